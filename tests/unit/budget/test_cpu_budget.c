// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests budgets of CPU time: how much work may be done at once, and in the long run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "budget/cpu_budget.h"

#define MS 1000000ULL
#define S (1000 * MS)

/* A new budget is full, and a step that takes more than what is left ends the work. */
static void test_burst(void **state)
{
	struct cpu_budget b = {.part = 100, .max_ns = 20 * MS};

	assert_true(cpu_budget__refill(&b, 5 * S));
	assert_true(cpu_budget__has(&b, 12 * MS));
	assert_true(cpu_budget__has(&b, 19 * MS));
	assert_false(cpu_budget__has(&b, 26 * MS));
	cpu_budget__take(&b, 26 * MS);
	/* the work took 6 ms too much; it begins again when the budget has 5 ms, a quarter of the maximum */
	assert_false(cpu_budget__refill(&b, 6 * S));
	assert_false(cpu_budget__refill(&b, 6 * S + 99 * MS));
	assert_true(cpu_budget__refill(&b, 6 * S + 100 * MS));
}

/* A budget never has more than its maximum, however long no work is done. */
static void test_maximum(void **state)
{
	struct cpu_budget b = {.part = 100, .max_ns = 20 * MS};

	assert_true(cpu_budget__refill(&b, S));
	assert_true(cpu_budget__refill(&b, 3600 * S));
	assert_false(cpu_budget__has(&b, 20 * MS));
}

/* In the long run, work that always uses up its budget takes exactly the given part of the time. */
static void test_share(void **state)
{
	struct cpu_budget b = {.part = 400, .max_ns = 200 * MS};
	__u64 spent = 0;

	for (__u64 now = S; now < 3601 * S; now += S) {
		__u64 used = 0;

		if (!cpu_budget__refill(&b, now))
			continue;
		do
			used += 3 * MS;
		while (cpu_budget__has(&b, used));
		cpu_budget__take(&b, used);
		spent += used;
	}
	assert_in_range(spent, 3600 * S / 400, 3600 * S / 400 + 210 * MS);
}

static void test_no_limit(void **state)
{
	struct cpu_budget b = {};

	assert_true(cpu_budget__refill(&b, S));
	assert_true(cpu_budget__has(&b, 1000 * S));
	cpu_budget__take(&b, 1000 * S);
	assert_true(cpu_budget__refill(&b, S));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_no_limit),
	};

	return cmocka_run_group_tests_name("cpu_budget", tests, NULL, NULL);
}
