// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests comparisons of several parts, such as the entries of a suite: each part has its own programs
 * and limits, and all of them share one verdict.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "render/render.h"
#include "report/report_head.h"
#include "tests/unit/compare_models.h"

enum { STRICT, LAX, ALONE, FAILED, PARTS };

struct fixture {
	struct report *base[PARTS], *new[PARTS];
	struct compare_limits limits[PARTS];
	struct compare_part part[PARTS];
	struct comparison *c;
	struct reason why;
};

static struct report *make_report(const char *input, double cost)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 1, "xdp_lb", "xdp_lb", 8000);

	p->input = strdup(input);
	add_spread(&p->all, "cycles", cost, 0.25, 8);
	return r;
}

/* Both pairs have the same program and the same change. Only one limit allows the change. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	f->base[STRICT] = make_report("strict", 100);
	f->new[STRICT] = make_report("strict", 110);
	f->base[LAX] = make_report("lax", 100);
	f->new[LAX] = make_report("lax", 110);
	f->new[ALONE] = make_report("alone", 70);
	assert_int_equal(compare_limits__add(&f->limits[LAX], "cycles:p50>20%", NULL), 0);
	for (int i = 0; i < PARTS; i++)
		f->part[i] = (struct compare_part){
			.base = f->base[i], .new = f->new[i], .opts.limits = &f->limits[i]};
	f->part[FAILED].name = "failed";
	f->part[FAILED].why = "lb.o: No such file or directory";
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	comparison__free(f->c);
	for (int i = 0; i < PARTS; i++) {
		report__free(f->base[i]);
		report__free(f->new[i]);
		compare_limits__free(&f->limits[i]);
	}
	free(f);
	return 0;
}

static void compare_some(struct fixture *f, int first, int cnt)
{
	comparison__free(f->c);
	assert_int_equal(compare__parts(&f->part[first], cnt, &f->c, &f->why), 0);
}

static const struct compare_row *find(const struct fixture *f, const char *input)
{
	const struct compare_row *found = NULL;

	for (int i = 0; i < f->c->row_cnt; i++)
		if (!strcmp(compare_row__input(&f->c->row[i]), input)) {
			assert_null(found);
			found = &f->c->row[i];
		}
	assert_non_null(found);
	return found;
}

static void test_limits(void **state)
{
	struct fixture *f = *state;

	compare_some(f, 0, PARTS);
	assert_int_equal(f->c->row_cnt, 3);
	assert_int_equal(find(f, "strict")->verdict, VERDICT_WORSE);
	assert_string_equal(find(f, "strict")->limit->spec, "*:p50>2%");
	assert_int_equal(find(f, "lax")->verdict, VERDICT_SAME);
	assert_string_equal(find(f, "lax")->limit->spec, "cycles:p50>20%");
	assert_int_equal(find(f, "alone")->verdict, VERDICT_NEW);
	assert_int_equal(comparison__outcome(f->c, 0), OUTCOME_WORSE);
	/* Holm's correction is for the tests of all parts. */
	assert_int_equal(f->c->tests, 2);
	assert_true(find(f, "lax")->adjusted_p >= 2 * find(f, "lax")->p);
}

/* An entry without an old version is no failure, but a program that only one report has is one. */
static void test_alone(void **state)
{
	struct fixture *f = *state;

	compare_some(f, LAX, 2);
	assert_int_equal(comparison__outcome(f->c, 0), OUTCOME_PASS);
	add_spread(&add_prog(f->new[LAX], 2, "added", "added", 8000)->all, "cycles", 5, 0.25, 8);
	compare_some(f, LAX, 2);
	assert_int_equal(comparison__outcome(f->c, 0), OUTCOME_INCONCLUSIVE);
}

/* An entry that only the verifier judges has a limit of its own, also beside entries that were run. */
static void test_verifier(void **state)
{
	struct fixture *f = *state;

	report__free(f->base[ALONE]);
	report__free(f->new[ALONE]);
	f->base[ALONE] = make_base();
	f->new[ALONE] = make_base();
	add_prog(f->base[ALONE], 7, "probe", "probe", 0)->size[SIZE_VERIFIED_INSNS] = 100;
	add_prog(f->new[ALONE], 8, "probe", "probe", 0)->size[SIZE_VERIFIED_INSNS] = 101;
	f->part[ALONE].base = f->base[ALONE];
	f->part[ALONE].new = f->new[ALONE];
	compare_some(f, LAX, 2);
	assert_int_equal(f->c->row_cnt, 2);
	assert_string_equal(find(f, "")->event, "verified_insns");
	assert_int_equal(find(f, "")->verdict, VERDICT_WORSE);
	assert_int_equal(find(f, "lax")->verdict, VERDICT_SAME);
}

/* The sizes of an entry without an old version are shown, and are not compared with a limit. */
static void test_alone_sizes(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(compare_limits__add(&f->limits[ALONE], "verified_insns>0", NULL), 0);
	assert_int_equal(compare_limits__add(&f->limits[ALONE], "cycles:p50>2%", NULL), 0);
	f->new[ALONE]->prog[0].size[SIZE_VERIFIED_INSNS] = 100;
	compare_some(f, ALONE, 1);
	assert_int_equal(f->c->size_cnt, 1);
	assert_int_equal(f->c->row_cnt, 1);
	assert_string_equal(f->c->row[0].event, "cycles");
}

/* A limit that is refused stays refused, even if the next program's size can be compared. */
static void test_refused_size(void **state)
{
	struct fixture *f = *state;
	struct comparison *c;

	f->base[STRICT]->prog[0].size[SIZE_JITED] = 100;
	f->new[STRICT]->prog[0].size[SIZE_JITED] = 100;
	for (int i = 0; i < 2; i++)
		add_prog(i ? f->new[STRICT] : f->base[STRICT], 2, "fw", "fw", 8000)
			->size[SIZE_JITED] = 200;
	assert_int_equal(compare_limits__add(&f->limits[STRICT], "xdp_lb/jited_bytes>1us", NULL),
			 0);
	assert_int_equal(compare__parts(&f->part[STRICT], 1, &c, &f->why), -EINVAL);
}

/* A difference that all parts have is noted once. */
static void test_differences(void **state)
{
	struct fixture *f = *state;

	for (int i = STRICT; i <= LAX; i++) {
		free(f->new[i]->host.kernel);
		f->new[i]->host.kernel = strdup("7.2.1");
	}
	compare_some(f, 0, PARTS);
	assert_int_equal(f->c->difference_cnt, 1);
	assert_string_equal(f->c->difference[0].what, "kernel");
	/* another new value, or another base, is another difference */
	f->new[LAX]->host.kernel[0] = '8';
	compare_some(f, 0, PARTS);
	assert_int_equal(f->c->difference_cnt, 2);
	assert_string_equal(f->c->difference[1].new, "8.2.1");
	f->new[LAX]->host.kernel[0] = '7';
	f->base[LAX]->host.kernel[0] = '5';
	compare_some(f, 0, PARTS);
	assert_int_equal(f->c->difference_cnt, 2);
	assert_string_equal(f->c->difference[1].base, "5.12.57");
}

static char *render(const struct fixture *f, comparison_render_fn *fn)
{
	const struct compare_render_opts o = {.base_name = "old", .new_name = "new"};

	return render_comparison(f->c, fn, &o);
}

static void assert_has(const struct fixture *f, comparison_render_fn *fn, const char *part)
{
	char *text = render(f, fn);

	if (!strstr(text, part))
		fail_msg("%s is not in:\n%s", part, text);
	free(text);
}

#define WHY "lb.o: No such file or directory"

/* Each format shows the part that could not be measured. */
static void test_failed(void **state)
{
	static comparison_render_fn *const notes[] = {
		comparison__render_text, comparison__render_markdown, comparison__render_html};
	struct fixture *f = *state;

	compare_some(f, 0, PARTS);
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		assert_has(f, notes[i], "failed was not measured: " WHY);
	assert_has(f, comparison__render_junit,
		   "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\"");
	assert_has(f, comparison__render_junit,
		   "<testcase classname=\"failed\" name=\"measure\">\n"
		   "   <error type=\"not_measured\" message=\"" WHY "\"/>");
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	struct report_source src = {};
	struct compare_saved saved;
	struct report_error err;
	char *text, *again;
	json_t *doc;

	compare_some(f, 0, PARTS);
	text = render(f, comparison__render_json);
	doc = json_loads(text, 0, NULL);
	assert_non_null(doc);
	if (compare_saved__parse(&src, doc, &saved, &err))
		fail_msg("%s", err.text);
	comparison__free(f->c);
	f->c = saved.c;
	assert_true(find(f, "alone")->alone);
	assert_int_equal(comparison__outcome(f->c, 0), OUTCOME_WORSE);
	again = render(f, comparison__render_json);
	assert_string_equal(again, text);
	saved.c = NULL;
	compare_saved__free(&saved);
	json_decref(doc);
	free(again);
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_differences, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alone_sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_size, setup, teardown),
		cmocka_unit_test_setup_teardown(test_verifier, setup, teardown),
		cmocka_unit_test_setup_teardown(test_json, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
