// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests comparisons on an axis: the same programs at several points, such as kernels, of which one
 * is the base of the others.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

enum { OLD, BASE, NEW, NONE, POINTS, OTHER = POINTS, LOST, PARTS };

static const char *const points[PARTS] = {"5.10", "6.1", "6.12", "7.2", "6.12", "5.4"};

struct axis {
	struct report *report[PARTS];
	struct compare_part part[PARTS];
	struct comparison *c;
};

static struct report *make_point(const char *kernel, double cycles, double instructions)
{
	struct report *r = make_base();
	struct report_prog *p;

	free(r->host.kernel);
	r->host.kernel = strdup(kernel);
	if (isnan(cycles)) {
		add_skip(r, 0, "other", "no_load", "no such map type");
		add_skip(r, 0, "lb", "no_load", "the verifier refuses it");
		return r;
	}
	p = add_prog(r, 1, "lb", "lb", 8000);
	add_spread(&p->all, "cycles", cycles, 0.25, 8);
	add_exact(&p->all, "instructions", instructions);
	return r;
}

static int setup(void **state)
{
	struct axis *a = calloc(1, sizeof(*a));

	if (!a)
		return -1;
	*state = a;
	a->report[OLD] = make_point("5.10.1", 110, 499);
	a->report[BASE] = make_point("6.1.1", 100, 499);
	a->report[NEW] = make_point("6.12.1", 100, 490);
	a->report[NONE] = make_point("7.2.1", NAN, NAN);
	/* another entry of the suite at the same point */
	a->report[OTHER] = make_point("6.12.1", 50, 7);
	for (int i = 0; i < PARTS; i++)
		a->part[i] = (struct compare_part){.base = i < POINTS ? a->report[BASE] : NULL,
						   .new = a->report[i],
						   .axis = "kernel",
						   .point = points[i]};
	a->part[LOST].name = "5.4";
	a->part[LOST].why = "the VM ended early";
	return 0;
}

static int teardown(void **state)
{
	struct axis *a = *state;

	comparison__free(a->c);
	for (int i = 0; i < PARTS; i++)
		report__free(a->report[i]);
	free(a);
	return 0;
}

static void compare_points(struct axis *a, int first, int cnt)
{
	struct reason why = {};

	comparison__free(a->c);
	assert_int_equal(compare__parts(&a->part[first], cnt, &a->c, &why), 0);
}

/* Rows of one statistic are together, in the order of the points; the worst group comes first. */
static void test_order(void **state)
{
	static const struct {
		const char *event, *point;
		bool exact, reference;
		double base, new;
		enum verdict verdict;
	} want[] = {
		{"cycles", "5.10", false, false, 100, 110, VERDICT_WORSE},
		{"cycles", "6.1", false, true, NAN, 100, VERDICT_SAME},
		{"cycles", "6.12", false, false, 100, 100, VERDICT_SAME},
		{"cycles", "7.2", false, false, 100, NAN, VERDICT_GONE},
		{"instructions", "5.10", true, false, 499, 499, VERDICT_SAME},
		{"instructions", "6.1", true, true, NAN, 499, VERDICT_SAME},
		{"instructions", "6.12", true, false, 499, 490, VERDICT_BETTER},
		{"instructions", "7.2", true, false, 499, NAN, VERDICT_GONE},
	};
	struct axis *a = *state;

	compare_points(a, 0, POINTS);
	assert_int_equal(a->c->row_cnt, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct compare_row *row = &a->c->row[i];

		assert_string_equal(row->event, want[i].event);
		assert_string_equal(row->point, want[i].point);
		assert_int_equal(row->exact, want[i].exact);
		assert_int_equal(row->reference, want[i].reference);
		assert_int_equal(row->verdict, want[i].verdict);
		assert_true(row->base_value == want[i].base ||
			    (isnan(row->base_value) && isnan(want[i].base)));
		assert_true(row->new_value == want[i].new ||
			    (isnan(row->new_value) && isnan(want[i].new)));
		assert_true(!row->base == row->reference);
		assert_int_equal(row->worst, i < 4 ? VERDICT_WORSE : want[7].verdict);
	}
	/* the base itself is no result */
	assert_int_equal(a->c->cnt[VERDICT_WORSE], 1);
	assert_int_equal(a->c->cnt[VERDICT_SAME], 2);
	assert_int_equal(a->c->cnt[VERDICT_BETTER], 1);
	assert_int_equal(a->c->cnt[VERDICT_GONE], 2);
	assert_int_equal(a->c->verdict, VERDICT_WORSE);
	assert_int_equal(a->c->tests, 2);
}

/* The report of the point says why it lacks the program. */
static void test_absent(void **state)
{
	struct axis *a = *state;

	compare_points(a, 0, POINTS);
	assert_string_equal(a->c->row[3].why, "the verifier refuses it");
	assert_string_equal(a->c->row[7].why, "the verifier refuses it");
	assert_string_equal(a->c->row[0].why, "");
	/* the other way round: the base lacks it */
	a->part[NEW].base = a->report[NONE];
	compare_points(a, NEW, 1);
	assert_int_equal(a->c->row_cnt, 2);
	assert_int_equal(a->c->row[0].verdict, VERDICT_NEW);
	assert_string_equal(a->c->row[0].why, "in the base: the verifier refuses it");
	assert_true(a->c->row[0].exact != a->c->row[1].exact);
}

/* The names of skips have the entry of the suite, or the input case. */
static void test_absent_names(void **state)
{
	static const struct {
		const char *input, *skip;
		bool found;
	} cases[] = {
		{NULL, "lb", true},
		{NULL, "lb2", false},
		{NULL, "entry: lb", false},
		{"syn", "lb", true},
		{"syn", "lb [syn]", true},
		{"syn", "lb [ack]", false},
		{"syn", "lb [sy]", false},
		{"syn", "lb [syn]]", false},
		{"entry", "entry: lb", true},
		{"entry", "entry2: lb", false},
		{"entry", "other: lb", false},
		{"entry/syn", "entry: lb", true},
		{"entry/syn", "entry: lb [syn]", true},
		{"entry/syn", "entry: lb [ack]", false},
		{"entry/syn", "entry: fw [syn]", false},
		{"a/b/syn", "a/b: lb [syn]", true},
		{"a/b/syn", "a: lb [b/syn]", true},
	};
	struct axis *a = *state;
	struct report_prog *p = &a->report[BASE]->prog[0];
	struct report_skip *skip = &a->report[NONE]->skip[1];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		free(p->input);
		free(skip->name);
		p->input = cases[i].input ? strdup(cases[i].input) : NULL;
		skip->name = strdup(cases[i].skip);
		compare_points(a, NONE, 1);
		assert_string_equal(a->c->row[0].why,
				    cases[i].found ? "the verifier refuses it" : "");
	}
}

/* A point that has other sums (--sum) than the base cannot be compared with the base. */
static void test_other_sums(void **state)
{
	struct axis *a = *state;
	struct comparison *c = NULL;
	struct reason why = {};

	a->report[NEW]->sum = "owner";
	assert_int_equal(compare__parts(&a->part[NEW], 1, &c, &why), -ENODATA);
	assert_string_equal(why.detail,
			    "the new report has sums of programs (--sum owner), the base "
			    "report has none; measure both in the same way");
	/* a point without programs has no sums */
	a->report[NONE]->sum = "owner";
	compare_points(a, NONE, 1);
}

/* The row of a size (verified instructions), too, says why a point lacks the program. */
static void test_absent_size(void **state)
{
	struct compare_limits limits = {};
	struct axis *a = *state;

	for (int i = 0; i < NONE; i++)
		a->report[i]->prog[0].size[SIZE_VERIFIED_INSNS] = 1000 + i;
	assert_int_equal(compare_limits__add(&limits, "verified_insns>5%", NULL), 0);
	for (int i = 0; i < POINTS; i++)
		a->part[i].opts.limits = &limits;
	compare_points(a, 0, POINTS);
	assert_string_equal(a->c->row[0].event, "verified_insns");
	for (int i = 0; i < a->c->row_cnt; i++)
		assert_string_equal(a->c->row[i].why, a->c->row[i].verdict == VERDICT_GONE
							      ? "the verifier refuses it"
							      : "");
	assert_int_equal(a->c->cnt[VERDICT_GONE], 1);
	comparison__free(a->c);
	a->c = NULL;
	compare_limits__free(&limits);
}

static void test_places(void **state)
{
	struct axis *a = *state;

	compare_points(a, 0, PARTS);
	assert_string_equal(a->c->axis, "kernel");
	assert_string_equal(a->c->axis_header, "KERNEL");
	/* each point once, without those that were not measured */
	assert_int_equal(a->c->place_cnt, POINTS);
	for (int i = 0; i < POINTS; i++) {
		assert_string_equal(a->c->place[i].label, points[i]);
		assert_string_equal(a->c->place[i].kernel, a->report[i]->host.kernel);
	}
	assert_int_equal(a->c->gap_cnt, 1);
	assert_string_equal(a->c->gap[0].name, "5.4");
	assert_string_equal(a->c->gap[0].why, "the VM ended early");
	/* the first of these two points also has a report of another entry */
	compare_points(a, NEW, 3);
	assert_int_equal(a->c->place_cnt, 2);
	assert_string_equal(a->c->place[0].label, "6.12");
	assert_string_equal(a->c->place[1].label, "7.2");
	/* without an axis, there are no places */
	a->part[OLD].axis = a->part[OLD].point = NULL;
	compare_points(a, OLD, 1);
	assert_null(a->c->axis);
	assert_string_equal(a->c->axis_header, "");
	assert_int_equal(a->c->place_cnt, 0);
	assert_null(a->c->row[0].point);
}

/* If the base has few blocks, or an exact value, the value of its whole measurement is shown. */
static void test_few_blocks(void **state)
{
	struct axis *a = *state;
	struct report *r = a->report[BASE];
	struct report_prog *p;

	for (int blocks = 5; blocks <= 6; blocks++) {
		p = add_prog(r, blocks, blocks == 5 ? "five" : "six", "f", 8000);
		add_spread(&p->all, "cycles", 70, 0.5, blocks)->stat[STAT_P50] = 33;
	}
	for (int i = 0; i < 6; i++) {
		add_block(&r->prog[0].all.event[1], 1000, 500, 500);
		r->prog[0].all.event[1].block[i].stat[STAT_MIN] = 500;
	}
	compare_points(a, BASE, 1);
	assert_int_equal(a->c->row_cnt, 5);
	assert_string_equal(a->c->row[1].event, "instructions");
	assert_int_equal(a->c->row[1].stat, STAT_MIN);
	assert_true(a->c->row[1].new_value == 499);
	assert_int_equal(a->c->row[1].new_blocks, 6);
	assert_string_equal(a->c->row[3].new->name, "five");
	assert_true(a->c->row[3].new_value == 33);
	assert_int_equal(a->c->row[3].new_blocks, 5);
	assert_string_equal(a->c->row[4].new->name, "six");
	assert_true(a->c->row[4].new_value == 70);
	assert_int_equal(a->c->row[4].new_blocks, 6);
}

/*
 * A limit must select a row at some point, be it the first or the last one. With one point, each
 * limit selects one row.
 */
static void test_limits(void **state)
{
	static const struct {
		const char *limit[2];
		const char *unused; /* NULL: all select a row */
	} cases[] = {
		{{"cycles:p50>2%", "instructions:min>0"}, NULL},
		{{"instructions:min>0", "cycles:p50>2%"}, NULL},
		{{"branches:p50>2%", "cycles:p50>2%"}, "branches:p50>2%"},
		{{"cycles:p50>2%", "branches:p50>2%"}, "branches:p50>2%"},
	};
	struct axis *a = *state;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const char *const *limit = cases[i / 2].limit, *unused = cases[i / 2].unused;
		struct compare_limits limits = {};
		struct comparison *c = NULL;
		struct reason why = {};
		int err;

		for (int k = 0; k < 2; k++)
			assert_int_equal(compare_limits__add(&limits, limit[k], NULL), 0);
		for (int k = 0; k < PARTS; k++)
			a->part[k].opts.limits = &limits;
		err = compare__parts(&a->part[BASE], 1 + i % 2, &c, &why);
		assert_int_equal(err, unused ? -EINVAL : 0);
		assert_true(!unused || strstr(why.detail, unused));
		comparison__free(c);
		compare_limits__free(&limits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_absent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_absent_size, setup, teardown),
		cmocka_unit_test_setup_teardown(test_absent_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(test_places, setup, teardown),
		cmocka_unit_test_setup_teardown(test_few_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
