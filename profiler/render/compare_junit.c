// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A comparison as JUnit XML, which CI systems show as tests: each row is one test. Owns the mapping
 * from verdicts to test results, and the escaping; must not know how a verdict was found.
 *
 * JUnit XML has no official standard; the schema of Jenkins comes closest (junit-10.xsd of the
 * xUnit plugin).
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "render/compare_render.h"
#include "render/render.h"

enum result { RESULT_PASSED, RESULT_FAILURE, RESULT_ERROR, RESULT_SKIPPED, RESULT_CNT };

static const struct {
	const char *element; /* the XML element of the result, or NULL */
	/* The attribute of <testsuite> that has the number of tests with this result */
	const char *count;
} results[RESULT_CNT] = {
	/* "tests" is the number of all tests: JUnit has no attribute for those that passed */
	[RESULT_PASSED] = {NULL, "tests"},
	[RESULT_FAILURE] = {"failure", "failures"},
	[RESULT_ERROR] = {"error", "errors"},
	[RESULT_SKIPPED] = {"skipped", "skipped"},
};

static const enum result of_verdict[VERDICT_CNT] = {
	[VERDICT_WORSE] = RESULT_FAILURE, [VERDICT_INCONCLUSIVE] = RESULT_ERROR,
	[VERDICT_GONE] = RESULT_ERROR,	  [VERDICT_NEW] = RESULT_ERROR,
	[VERDICT_BETTER] = RESULT_PASSED, [VERDICT_SAME] = RESULT_PASSED,
};

static enum result row_result(const struct compare_row *row, const struct compare_render_opts *o)
{
	if (compare_row__is_excused(row, o->excuses))
		return RESULT_SKIPPED;
	return of_verdict[row->verdict];
}

static void print_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	text__put(out, text__xml(value));
	fputc('"', out);
}

/*
 * Prints the names that identify a test: "xdp_lb" or "xdp_lb [case]", and "cycles p50" or, at a point
 * of an axis, "cycles p50 6.12".
 */
static void print_names(const struct compare_row *row, FILE *out)
{
	const char *input = compare_row__input(row);
	char label[COMPARE_LABEL_SZ], *class, *name;

	class = text__format("%s%s%s%s", compare_row__label(row, label), *input ? " [" : "", input,
			     *input ? "]" : "");
	name = text__format("%s %s%s%s", row->event, compare_stats[row->stat].name,
			    row->point ? " " : "", text__or_empty(row->point));
	print_attribute(out, "classname", class);
	print_attribute(out, "name", name);
	free(class);
	free(name);
}

static void print_message(const struct compare_row *row, FILE *out)
{
	char cell[COMPARE_LABEL_SZ], message[2 * COMPARE_LABEL_SZ] = "";

	if (*row->why) {
		print_attribute(out, "message", row->why);
		return;
	}
	if (row->verdict == VERDICT_WORSE) /* a saved comparison may lack the limit */
		snprintf(message, sizeof(message), "%s, limit %s", compare_row__change(row, cell),
			 row->limit ? row->limit->bound : "not known");
	else
		snprintf(message, sizeof(message), "only in the %s report",
			 row->verdict == VERDICT_NEW ? "new" : "base");
	print_attribute(out, "message", message);
}

static void print_test(const struct compare_row *row, const struct compare_render_opts *o,
		       FILE *out)
{
	enum result result = row_result(row, o);

	fputs("  <testcase", out);
	print_names(row, out);
	if (result == RESULT_PASSED) {
		fputs("/>\n", out);
		return;
	}
	fprintf(out, ">\n   <%s", results[result].element);
	if (result != RESULT_SKIPPED)
		fprintf(out, " type=\"%s\"", verdict_specs[row->verdict].name);
	print_message(row, out);
	fputs("/>\n  </testcase>\n", out);
}

static void print_property(const char *name, const char *value, FILE *out)
{
	fputs("   <property", out);
	print_attribute(out, "name", name);
	print_attribute(out, "value", value);
	fputs("/>\n", out);
}

/* Prints "xdp_lb jited_bytes: 980 -> 1,004 (+24)". */
static void print_size(const struct compare_pair *prog, enum size_id id, FILE *out)
{
	char label[COMPARE_LABEL_SZ], cell[SIZE_CELL_SZ], *value;

	if (!strcmp(compare_size__format(prog, id, cell), "-"))
		return;
	value = text__format("%s %s%s%s: %s", compare__label(prog->base, prog->new, label),
			     size_specs[id].name, prog->point ? " " : "",
			     text__or_empty(prog->point), cell);
	print_property("size", value, out);
	free(value);
}

/* Prints notes and program sizes as properties, because they are not tests. */
static void print_properties(const struct comparison *c, FILE *out)
{
	unsigned int known = comparison__known_sizes(c);
	char text[COMPARE_NOTE_SZ];

	if (!known && !comparison__note(c, 0, text, sizeof(text)))
		return;
	fputs("  <properties>\n", out);
	for (int i = 0; comparison__note(c, i, text, sizeof(text)); i++)
		print_property("note", text, out);
	for (int i = 0; i < c->size_cnt; i++)
		for (int id = 0; id < SIZE_CNT; id++)
			if (known & (1U << id))
				print_size(&c->size[i], id, out);
	fputs("  </properties>\n", out);
}

void comparison__render_junit(const struct comparison *c, const struct compare_render_opts *o,
			      FILE *out)
{
	int cnt[RESULT_CNT] = {}, tests = 0;

	/* Leave out rows without a verdict: they are no tests. */
	for (int i = 0; i < c->row_cnt; i++)
		if (!c->row[i].reference) {
			cnt[row_result(&c->row[i], o)]++;
			tests++;
		}
	cnt[RESULT_PASSED] = tests + c->gap_cnt;
	cnt[RESULT_ERROR] += c->gap_cnt;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
	      " <testsuite name=\"bprof\"",
	      out);
	for (int i = 0; i < RESULT_CNT; i++)
		fprintf(out, " %s=\"%d\"", results[i].count, cnt[i]);
	fputs(">\n", out);
	print_properties(c, out);
	/* A part that could not be measured is one test with an error. */
	for (int i = 0; i < c->gap_cnt; i++) {
		fputs("  <testcase", out);
		print_attribute(out, "classname", c->gap[i].name);
		fputs(" name=\"measure\">\n   <error type=\"not_measured\"", out);
		print_attribute(out, "message", c->gap[i].why);
		fputs("/>\n  </testcase>\n", out);
	}
	for (int i = 0; i < c->row_cnt; i++)
		if (!c->row[i].reference)
			print_test(&c->row[i], o, out);
	fputs(" </testsuite>\n</testsuites>\n", out);
}
