// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report in Go's benchmark format, which benchstat reads:
 * https://go.dev/design/14313-benchmark-format, and the package golang.org/x/perf/benchfmt. Owns
 * the names that programs, input cases and events have in this format; must not know where the
 * numbers come from.
 *
 * A line "key: value" applies to the lines that follow. Each block of each program, function and input case
 * has a line: "BenchmarkNAME RUNS VALUE UNIT VALUE UNIT ...". A value is a cost per run. The values are the
 * mean and the minimum; the unit of the minimum begins with "min-". If there are no blocks, one line has the
 * entire measurement. Events without a value and the scopes of bprof system have no line.
 *
 * In names and units, some bytes are percent-encoded ("%20"): '%', bytes that are not printable
 * ASCII, and bytes with a special meaning, such as '/'.
 */
#include <ctype.h>
#include <math.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "render/render.h"
#include "report/report.h"

struct benchfmt {
	const struct report *r;
	FILE *out;
	void *names;	    /* a tree (tsearch) of the names that were printed */
	const char *method; /* the method that was printed last, or NULL */
};

/* The statistics printed for each event. */
static const struct unit_kind {
	enum stat_id stat;
	const char *prefix;
} kinds[] = {{STAT_MEAN, ""}, {STAT_MIN, "min-"}};
enum { KIND_CNT = sizeof(kinds) / sizeof(kinds[0]) };

/* The units of a row's events, indexed by KIND_CNT * event + kind. */
struct units {
	char **unit;
	int cnt;
};

/* ---- names ---- */

static int compare_bench_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/*
 * Escapes "-2" at the end of a name, because benchstat would take it for the number of CPUs
 * (GOMAXPROCS).
 */
static char *escape_suffix(char *name)
{
	size_t len = strlen(name), end = len;
	char *escaped;

	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end == len || !end || name[end - 1] != '-')
		return name;
	escaped = text__format("%.*s%%2D%s", (int)end - 1, name, name + end);
	free(name);
	return escaped;
}

/* Returns "Xdp_lb/func=parse/case=syn.pcap#1/retval=0". */
static char *make_bench_name(const struct report *r, const struct report_prog *p)
{
	char label[LABEL_SZ], retval[RETURNS_SZ], *func, *name = NULL;
	size_t sz;
	FILE *out = text__open(&name, &sz);

	report_prog__label(p, label);
	func = strchr(label, ':');
	if (func)
		*func++ = '\0';
	/* The word after "Benchmark" must begin with an upper-case letter. */
	label[0] = toupper((unsigned char)label[0]);
	text__put(out, text__percent(label));
	if (func) {
		fputs("/func=", out);
		text__put(out, text__percent(func));
	}
	if (p->input && *p->input) {
		fputs("/case=", out);
		text__put(out, text__percent(p->input));
	}
	if (p->by_retval) {
		fprintf(out, "/%s=", report__key(r)->name);
		text__put(out, text__percent(report_prog__returns(p, retval)));
	}
	fclose(out);
	return escape_suffix(name);
}

/*
 * Adds name to a tree, which then owns the name. Returns false if the tree already has an equal
 * name.
 */
static bool keep_name(void **tree, char *name)
{
	char **node = tsearch(name, tree, compare_bench_names);

	if (!node)
		out_of_memory();
	return *node == name;
}

/*
 * Returns the program's name, with "/nr=2" appended for the second program with that name:
 * benchstat takes lines with the same name for measurements of the same program. The tree owns the
 * name.
 */
static const char *make_own_name(struct benchfmt *b, const struct report_prog *p)
{
	char *first = make_bench_name(b->r, p), *name = first;

	for (unsigned int nr = 2; !keep_name(&b->names, name); nr++) {
		if (name != first)
			free(name);
		name = text__format("%s/nr=%u", first, nr);
	}
	if (name != first)
		free(first);
	return name;
}

/* ---- units ---- */

/*
 * Returns "instructions/op", "min-ns/op" or "energy-Joules/op". The part before "/op" ends with the
 * unit of measurement, if the event has one.
 */
static char *make_unit(const struct report_event *ev, const struct unit_kind *kind, int nr)
{
	const char *unit = text__or_empty(ev->unit);
	char *text = NULL;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	fputs(kind->prefix, out);
	if (!text__is_same(ev->name, "time") || !text__is_same(ev->unit, "ns")) {
		text__put(out, text__percent(ev->name));
		fputs(*unit ? "-" : "", out);
	}
	text__put(out, text__percent(unit));
	if (nr > 1)
		fprintf(out, "#%d", nr);
	fputs("/op", out);
	fclose(out);
	return text;
}

static bool has_unit(const struct units *u, const char *unit)
{
	for (int i = 0; i < u->cnt; i++)
		if (!strcmp(u->unit[i], unit))
			return true;
	return false;
}

static void free_units(struct units *u)
{
	for (int i = 0; i < u->cnt; i++)
		free(u->unit[i]);
	free(u->unit);
}

/*
 * Makes the units of a row's events. If two events have the same name, the unit of the second one
 * is "cycles#2/op".
 */
static void make_units(struct units *u, const struct report_row *row)
{
	*u = (struct units){.unit = xcalloc(KIND_CNT * row->event_cnt + 1, sizeof(*u->unit))};
	for (int i = 0; i < KIND_CNT * row->event_cnt; i++) {
		const struct report_event *ev = &row->event[i / KIND_CNT];
		char *unit = make_unit(ev, &kinds[i % KIND_CNT], 1);

		for (int nr = 2; has_unit(u, unit); nr++) {
			free(unit);
			unit = make_unit(ev, &kinds[i % KIND_CNT], nr);
		}
		u->unit[u->cnt++] = unit;
	}
}

/* Returns true if the event is exact in each program that has a value of that event. */
static bool is_always_exact(const struct report *r, const struct report_event *ev)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_row *row = &r->prog[i].all;

		for (int e = 0; e < row->event_cnt; e++)
			if (text__is_same(row->event[e].name, ev->name) &&
			    report_event__has_value(&row->event[e]) && !row->event[e].exact)
				return false;
	}
	return true;
}

/*
 * Prints "Unit min-instructions/op assume=exact" for the minimum of each exact event. Benchstat
 * then treats any difference as real.
 */
static void print_units(struct benchfmt *b)
{
	void *printed = NULL;

	for (int i = 0; i < b->r->prog_cnt; i++) {
		const struct report_row *row = &b->r->prog[i].all;
		struct units u;

		make_units(&u, row);
		for (int e = 0; e < row->event_cnt; e++) {
			const char *unit = u.unit[KIND_CNT * e + 1];

			if (!row->event[e].exact || tfind(unit, &printed, compare_bench_names) ||
			    !is_always_exact(b->r, &row->event[e]))
				continue;
			keep_name(&printed, xstrdup(unit));
			fprintf(b->out, "Unit %s assume=exact\n", unit);
		}
		free_units(&u);
	}
	tdestroy(printed, free);
}

/* ---- lines ---- */

static void print_config(struct benchfmt *b, const char *key, const char *value)
{
	char *printable = text__utf8(value);

	/*
	 * Leave out a key without a value: benchstat would take it as a request to delete the key.
	 */
	if (printable[strspn(printable, " ")])
		fprintf(b->out, "%s: %s\n", key, printable);
	free(printable);
}

/* Returns Go's name of the architecture. */
static const char *go_arch(const char *arch)
{
	static const char *const names[][2] = {
		{"aarch64", "arm64"},
		{"x86_64", "amd64"},
		{"i686", "386"},
		{"ppc64le", "ppc64le"},
	};

	for (size_t i = 0; arch && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], arch))
			return names[i][1];
	return arch;
}

/*
 * Finds the values of an event on line nr: the values of block nr or, if there are no blocks, the
 * values of the entire measurement. Returns false if there are none.
 */
static bool find_line_values(const struct report_event *ev, int nr, const double **stat,
			     __u64 *runs)
{
	if (nr < ev->block_cnt) {
		*stat = ev->block[nr].stat;
		*runs = ev->block[nr].measured;
		return true;
	}
	*stat = ev->stat;
	*runs = ev->measured;
	return !nr && report_event__has_value(ev);
}

/*
 * Prints the method if it differs from the last one. The method applies to the lines that follow,
 * so call this only before a line with values.
 */
static void print_method(struct benchfmt *b, const struct report_prog *p)
{
	const char *method = text__or_empty(p->method);

	if (strcmp(text__or_empty(b->method), method))
		print_config(b, "method", method);
	b->method = method;
}

static void print_result(struct benchfmt *b, const struct report_prog *p, const struct units *u,
			 const char *name, int nr)
{
	const struct report_row *row = &p->all;
	char number[NUMBER_SZ];
	const double *stat;
	bool begun = false;
	__u64 max_runs = 0, runs;

	for (int e = 0; e < row->event_cnt; e++)
		if (find_line_values(&row->event[e], nr, &stat, &runs) && runs > max_runs)
			max_runs = runs;
	for (int i = 0; i < u->cnt; i++) {
		const struct report_event *ev = &row->event[i / KIND_CNT];
		enum stat_id id = kinds[i % KIND_CNT].stat;

		if (!find_line_values(ev, nr, &stat, &runs) || !isfinite(stat[id]))
			continue;
		if (!begun) {
			print_method(b, p);
			/* Go's counts are signed 64-bit integers. */
			fprintf(b->out, "Benchmark%s\t%llu", name,
				(unsigned long long)(max_runs < INT64_MAX ? max_runs : INT64_MAX));
		}
		begun = true;
		fprintf(b->out, "\t%s %s", number__plain(number, stat[id]), u->unit[i]);
	}
	if (begun)
		fputc('\n', b->out);
}

static void print_prog(struct benchfmt *b, const struct report_prog *p)
{
	const char *name = make_own_name(b, p);
	struct units u;
	int lines = 1;

	make_units(&u, &p->all);
	for (int e = 0; e < p->all.event_cnt; e++)
		if (p->all.event[e].block_cnt > lines)
			lines = p->all.event[e].block_cnt;
	for (int nr = 0; nr < lines; nr++)
		print_result(b, p, &u, name, nr);
	free_units(&u);
}

void report__render_benchfmt(const struct report *r, const struct render_opts *o, FILE *out)
{
	struct benchfmt b = {.r = r, .out = out};

	print_config(&b, "goos", "linux");
	print_config(&b, "goarch", go_arch(r->host.arch));
	print_config(&b, "cpu", r->host.cpu_model);
	print_config(&b, "kernel", r->host.kernel);
	print_config(&b, "cost", r->calibrated ? "net" : "raw");
	print_config(&b, "version", o->version);
	print_units(&b);
	fputc('\n', out);
	for (int i = 0; i < r->prog_cnt; i++)
		print_prog(&b, &r->prog[i]);
	tdestroy(b.names, free);
}
