// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests single plans of thinning against numbers that were computed by hand from the rules in
 * budget/thinning.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/util.h"
#include "budget/thinning.h"

#define MS 1000000ULL
#define INTERVAL (100 * MS)

enum { RARE, BUSY, IDLE, TARGETS };

/* A tenth of a CPU; measuring a run costs 1000 ns more than counting it. */
static const struct thinning_cpu tenth = {
	.share = THINNING_FULL_SHARE / 10,
	.cost = {.measured_ns = 1010, .skipped_ns = 10},
};

static void check(const struct thinning_target *t, __u64 rate, __u64 period, __u64 quota,
		  __u64 left_ns)
{
	assert_int_equal(t->rate, rate);
	assert_int_equal(t->period, period);
	assert_int_equal(t->quota, quota);
	assert_int_equal(t->left_ns, left_ns);
}

/*
 * Of 10 ms, an eighth is the reserve, and counting takes 1,061,020 ns: the budget is 7,688,980 ns.
 * Seven eighths of the budget are planned: 102,000 ns for the rare target, and 6,625,858 ns for the
 * busy one, which would need 106 ms. 1,351,686 ns remain for unexpected runs, a third for each target.
 */
static void test_plan(void **state)
{
	struct thinning_target t[TARGETS] = {{.seen = 102}, {.seen = 106000}, {}};
	struct thinning_cpu cpu = tenth;

	thinning__plan(&cpu, t, TARGETS, INTERVAL, INTERVAL);
	check(&t[RARE], 1020, 1, 552, 562);
	check(&t[BUSY], 1060000, 17, 6685, 856);
	check(&t[IDLE], 0, 1, 450, 562);
	assert_int_equal(cpu.debt_ns, 0);
	/* without runs, the expected rates fall by a quarter */
	for (int i = 0; i < TARGETS; i++)
		t[i].seen = 0;
	thinning__plan(&cpu, t, TARGETS, INTERVAL, INTERVAL);
	assert_int_equal(t[RARE].rate, 765);
	assert_int_equal(t[BUSY].rate, 795000);
}

/* With less than a nanosecond for each target, a plan still has periods. */
static void test_no_budget(void **state)
{
	struct thinning_target t[TARGETS] = {{.seen = 102}, {.seen = 106000}, {}};
	struct thinning_cpu cpu = tenth;

	thinning__plan(&cpu, t, TARGETS, INTERVAL, 10);
	assert_int_equal(t[RARE].period, 1);
	assert_int_equal(t[BUSY].period, 11);
	assert_int_equal(t[IDLE].period, 1);
}

/* A sixteenth of the allowed CPU time is for measuring runs beyond the targets' quotas. */
static void test_over_period(void **state)
{
	assert_int_equal(thinning__over_period(&tenth), 16001);
}

/* Adjustments may take a sixteenth of the allowed CPU time. Times are rounded up, and do not overflow. */
static void test_min_interval(void **state)
{
	assert_int_equal(thinning__min_interval(3, 0), INTERVAL);
	assert_int_equal(thinning__min_interval(3, 19), 101333334);
	assert_int_equal(thinning__min_interval(1, 1200000000000), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_no_budget),
		cmocka_unit_test(test_over_period),
		cmocka_unit_test(test_min_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
