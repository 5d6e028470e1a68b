// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests comparisons through the public interface: rules, accessors, the exit status, and rendering,
 * which gives the output of 'bprof diff'.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "lib/bprof.h"
#include "lib/bprof_model.h"
#include "tests/unit/compare_models.h"
#include "tests/unit/golden.h"

struct pair {
	struct bprof_report *base, *new;
	struct bprof_comparison *c;
};

static void open_pair(struct pair *p, const struct bprof_rules *rules)
{
	const struct bprof_compare_opts o = {.size = sizeof(o), .rules = rules};
	struct bprof_error error;

	p->base = bprof_report__of(make_side(false));
	p->new = bprof_report__of(make_side(true));
	if (bprof_compare(p->base, p->new, rules ? &o : NULL, &p->c, &error))
		fail_msg("%s", error.text);
}

static void close_pair(struct pair *p)
{
	bprof_comparison_free(p->c);
	bprof_report_free(p->base);
	bprof_report_free(p->new);
}

/* Returns the first change of the event called event, in the program of the base called name. */
static const struct bprof_change *find_change(const struct pair *p, const char *name,
					      const char *event)
{
	const struct bprof_change *change;

	for (int i = 0; (change = bprof_comparison_change(p->c, i)); i++)
		if (bprof_change_base(change) && !strcmp(bprof_change_event(change), event) &&
		    !strcmp(bprof_program_name(bprof_change_base(change)), name))
			return change;
	fail_msg("no change of %s of %s", event, name);
	return NULL;
}

/* ---- limits and matches ---- */

static void test_rules(void **state)
{
	struct bprof_error error = {};
	struct bprof_rules *rules;

	assert_int_equal(bprof_rules_new(&rules), 0);
	assert_int_equal(bprof_rules_add_limit(rules, "time:p50>0.5us", &error), 0);
	assert_int_equal(error.err, 0);
	assert_int_equal(bprof_rules_add_limit(rules, "time:p12>2%", &error), -EINVAL);
	assert_int_equal(error.err, -EINVAL);
	assert_string_equal(error.code, "argument");
	assert_int_equal(error.pos, strlen("time:"));
	assert_int_equal(error.len, strlen("p12"));
	assert_int_equal(bprof_rules_add_limit(rules, "nonsense", NULL), -EINVAL);
	assert_int_equal(bprof_rules_add_match(rules, "a=b", &error), 0);
	assert_int_equal(bprof_rules_add_match(rules, "a", &error), -EINVAL);
	for (int i = 1; i < COMPARE_MAX_LIMITS; i++)
		assert_int_equal(bprof_rules_add_limit(rules, "time:p50>2%", NULL), 0);
	assert_int_equal(bprof_rules_add_limit(rules, "time:p50>2%", &error), -E2BIG);
	assert_int_equal(error.err, -E2BIG);
	bprof_rules_free(rules);
	bprof_rules_free(NULL);
}

/* A limit and a match have their documented effects. */
static void test_rules_used(void **state)
{
	struct bprof_rules *rules;
	const struct bprof_change *change;
	struct pair p;

	assert_int_equal(bprof_rules_new(&rules), 0);
	assert_int_equal(bprof_rules_add_limit(rules, "xdp_fw*/time:p50>90%", NULL), 0);
	assert_int_equal(bprof_rules_add_match(rules, "xdp_fw=xdp_fw_v2", NULL), 0);
	open_pair(&p, rules);
	change = find_change(&p, "xdp_fw", "time");
	assert_string_equal(bprof_program_name(bprof_change_new(change)), "xdp_fw_v2");
	assert_string_equal(bprof_change_limit(change), "xdp_fw*/time:p50>90%");
	assert_string_equal(bprof_change_stat(change), "p50");
	close_pair(&p);
	bprof_rules_free(rules);
}

/* A limit or a match that applies to nothing in the reports is an error. */
static void test_rules_unused(void **state)
{
	struct bprof_report *base = bprof_report__of(make_side(false)),
			    *new = bprof_report__of(make_side(true));
	struct bprof_compare_opts o = {.size = sizeof(o)};
	struct bprof_comparison *c;
	struct bprof_error error;

	for (int match = 0; match < 2; match++) {
		struct bprof_rules *rules;

		assert_int_equal(bprof_rules_new(&rules), 0);
		if (match)
			assert_int_equal(bprof_rules_add_match(rules, "x=y", NULL), 0);
		else
			assert_int_equal(bprof_rules_add_limit(rules, "x/time:p50>1%", NULL), 0);
		o.rules = rules;
		assert_int_equal(bprof_compare(base, new, &o, &c, &error), -EINVAL);
		assert_string_equal(error.code, "argument");
		assert_int_equal(bprof_compare(base, new, &o, &c, NULL), -EINVAL);
		bprof_rules_free(rules);
	}
	bprof_report_free(base);
	bprof_report_free(new);
}

static void test_refused(void **state)
{
	struct bprof_report *empty = bprof_report__of(make_base());
	struct bprof_compare_opts o = {.size = sizeof(o), .flags = 1 << 10};
	struct bprof_comparison *c = (struct bprof_comparison *)empty;
	struct bprof_error error;

	assert_int_equal(bprof_compare(empty, empty, &o, &c, &error), -E2BIG);
	assert_null(c);
	o = (struct bprof_compare_opts){.size = 3};
	assert_int_equal(bprof_compare(empty, empty, &o, &c, &error), -EINVAL);
	assert_int_equal(bprof_compare(empty, empty, NULL, &c, &error), -ENODATA);
	assert_null(c);
	assert_true(strlen(error.text) > 10);
	bprof_report_free(empty);
	bprof_comparison_free(NULL);
}

/* ---- accessors of a comparison ---- */

static void test_whole(void **state)
{
	struct pair p;
	int notes = 0;

	open_pair(&p, NULL);
	assert_int_equal(bprof_comparison_verdict(p.c), BPROF_VERDICT_WORSE);
	assert_int_equal(bprof_comparison_exit_status(p.c), EXIT_REGRESSION);
	assert_memory_equal(bprof_comparison_headline(p.c), "worse: ", 7);
	assert_true(bprof_comparison_difference_count(p.c) > 0);
	while (bprof_comparison_note(p.c, notes))
		notes++;
	assert_true(notes >= bprof_comparison_difference_count(p.c));
	assert_memory_equal(bprof_comparison_note(p.c, 0), "the reports differ in ", 22);
	assert_null(bprof_comparison_note(p.c, -1));
	close_pair(&p);
}

static void test_changes(void **state)
{
	struct pair p;
	int cnt, last = 0;

	open_pair(&p, NULL);
	cnt = bprof_comparison_change_count(p.c);
	assert_true(cnt > 3);
	assert_null(bprof_comparison_change(p.c, cnt));
	assert_null(bprof_comparison_change(p.c, -1));
	for (int i = 0; i < cnt; i++) {
		const struct bprof_change *change = bprof_comparison_change(p.c, i);
		int verdict = bprof_change_verdict(change);
		double base = bprof_change_base_value(change), new = bprof_change_new_value(change);

		assert_true(verdict >= last);
		last = verdict;
		assert_non_null(bprof_verdict_name(verdict));
		assert_int_equal(!bprof_change_base(change), verdict == BPROF_VERDICT_NEW);
		assert_int_equal(!bprof_change_new(change), verdict == BPROF_VERDICT_GONE);
		assert_int_equal(!*bprof_change_why(change), verdict != BPROF_VERDICT_INCONCLUSIVE);
		if (isnan(base) || isnan(new))
			continue;
		assert_true(bprof_change_value(change, false) == new - base);
		assert_true(isnan(bprof_change_low(change, true)) ||
			    (bprof_change_low(change, true) <= bprof_change_value(change, true) &&
			     bprof_change_high(change, true) >= bprof_change_value(change, true)));
	}
	assert_null(bprof_verdict_name((enum bprof_verdict)99));
	close_pair(&p);
}

/* The exact event "instructions" grows by 1. */
static void test_exact_change(void **state)
{
	const struct bprof_change *change;
	struct pair p;

	open_pair(&p, NULL);
	change = find_change(&p, "xdp_lb", "instructions");
	assert_string_equal(bprof_change_stat(change), "min");
	assert_string_equal(bprof_change_unit(change), "");
	assert_true(bprof_change_base_value(change) == 99);
	assert_true(bprof_change_value(change, false) == 1);
	assert_true(bprof_change_low(change, false) == 1);
	assert_true(isnan(bprof_change_p(change)));
	close_pair(&p);
}

static void test_flags(void **state)
{
	struct bprof_report *base = bprof_report__of(make_base()),
			    *new = bprof_report__of(make_base());
	struct bprof_compare_opts o = {.size = sizeof(o)};
	struct bprof_comparison *c;

	/* these are too few blocks for a verdict */
	add_spread(&add_prog((struct report *)base, 1, "f", "f", 3000)->all, "time", 200, 1, 3);
	add_spread(&add_prog((struct report *)new, 1, "f", "f", 3000)->all, "time", 300, 1, 3);
	assert_int_equal(bprof_compare(base, new, &o, &c, NULL), 0);
	assert_int_equal(bprof_comparison_verdict(c), BPROF_VERDICT_INCONCLUSIVE);
	assert_int_equal(bprof_comparison_exit_status(c), EXIT_INCONCLUSIVE);
	bprof_comparison_free(c);
	o.flags = BPROF_COMPARE_INCONCLUSIVE_OK;
	assert_int_equal(bprof_compare(base, new, &o, &c, NULL), 0);
	assert_int_equal(bprof_comparison_exit_status(c), EXIT_DONE);
	bprof_comparison_free(c);
	bprof_report_free(base);
	bprof_report_free(new);
}

/* ---- rendering of comparisons ---- */

/* The caller frees the text. */
static char *render_changes(const char *format, uint64_t flags)
{
	const struct bprof_render_opts o = {.size = sizeof(o),
					    .flags = flags,
					    .base_name = "base.json",
					    .new_name = "new.json"};
	char *got = NULL;
	struct bprof_error error;
	struct bprof_rules *rules;
	struct pair p;
	size_t sz;
	FILE *out = open_memstream(&got, &sz);

	assert_int_equal(bprof_rules_new(&rules), 0);
	assert_int_equal(bprof_rules_add_match(rules, "xdp_fw=xdp_fw_v2", NULL), 0);
	open_pair(&p, rules);
	if (bprof_comparison_render(p.c, format, &o, out, &error))
		fail_msg("%s", error.text);
	fclose(out);
	close_pair(&p);
	bprof_rules_free(rules);
	return golden__set_version(got);
}

/* The golden files are those of 'bprof diff' (in compare/). */
static void test_render(void **state)
{
	static const struct {
		const char *format, *ext;
	} formats[] = {{"text", "txt"}, {"json", "json"}, {"markdown", "md"}, {"junit", "xml"}};
	char *text;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_golden("compare/changes", formats[i].ext,
			      render_changes(formats[i].format, 0));
	text = render_changes("text", BPROF_RENDER_VERBOSE | BPROF_RENDER_COLOR);
	assert_non_null(strstr(text, "\033[1mRAW P\033[0m"));
	assert_non_null(strstr(text, "\033[31mworse\033[0m"));
	free(text);
}

/*
 * Makes a locale with a decimal comma in dir, and sets it. Returns false if the machine lacks the
 * tools.
 */
static bool set_comma_locale(const char *dir)
{
	char command[256];

	snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE >/dev/null 2>&1",
		 dir);
	if (system(command))
		return false;
	setenv("LOCPATH", dir, 1);
	return setlocale(LC_NUMERIC, "de_DE");
}

/* If the caller's locale has a decimal comma, the output and limits still have a decimal point. */
static void test_locale(void **state)
{
	char dir[] = "/tmp/bprof-locale-XXXXXX", command[64], number[8];
	bool set;

	assert_non_null(mkdtemp(dir));
	set = set_comma_locale(dir);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	if (!set) {
		print_message("no locale with a decimal comma can be made here\n");
		skip();
	}
	snprintf(number, sizeof(number), "%.1f", 0.5);
	assert_string_equal(number, "0,5");
	test_render(state);
	test_rules(state);
	setlocale(LC_NUMERIC, "C");
}

static void test_render_refused(void **state)
{
	struct bprof_error error;
	struct pair p;

	open_pair(&p, NULL);
	assert_int_equal(bprof_comparison_render(p.c, "csv", NULL, stdout, &error), -EINVAL);
	assert_non_null(
		strstr(error.text, "format 'csv': give one of text, json, markdown, junit"));
	close_pair(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),	     cmocka_unit_test(test_rules_used),
		cmocka_unit_test(test_rules_unused), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_whole),	     cmocka_unit_test(test_changes),
		cmocka_unit_test(test_exact_change), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_render),	     cmocka_unit_test(test_render_refused),
		cmocka_unit_test(test_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
