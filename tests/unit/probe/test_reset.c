// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what a reset of a probe's counts keeps, and which run is measured next with --sample.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "backend/backend_env.h"
#include "probe/probes.h"
#include "target/target.h"

/* A reset keeps all that calibration has set. */
static void test_biases(void **state)
{
	struct bprof_cpu_stat stat = {.clock_slot = BPROF_CLOCK_SLOT, .measured[3] = 8};
	struct probe p = {.stats = {.mem = &stat},
			  .stat_sz = sizeof(stat),
			  .cpu_limit = 1,
			  .lost_overflow = (__u64[1]){}};
	const struct target t = {.priv = &p};
	struct bprof_event_sum want = {.search = 122, .min = INT64_MAX, .max = INT64_MIN}, *sum;

	for (int i = 0; i < BPROF_CONTEXTS; i++) {
		want.bias[i] = 100 + i;
		want.cost[i] = 200 + i;
	}
	for (int i = 0; i < BPROF_SLOTS; i++) {
		sum = &stat.event[i];
		*sum = want;
		sum->total = sum->self = sum->errors = sum->squares = 5;
		sum->min = sum->max = 5;
	}
	probe__reset(&t, 0);
	for (int i = 0; i < BPROF_SLOTS; i++)
		assert_memory_equal(&stat.event[i], &want, sizeof(want));
	assert_int_equal(probe_stat__measured(&stat), 0);
}

/* With --sample, the first run after a reset is measured, and the block of this run has "period" runs. */
static void test_block(void **state)
{
	struct bprof_cpu_stat stat = {
		.clock_slot = BPROF_CLOCK_SLOT, .period = 10, .countdown = 7, .rest = 2};
	struct probe p = {.stats = {.mem = &stat},
			  .stat_sz = sizeof(stat),
			  .cpu_limit = 1,
			  .lost_overflow = (__u64[1]){}};
	const struct target t = {.priv = &p};

	probe__reset(&t, 0);
	assert_int_equal(stat.countdown, 0);
	assert_int_equal(stat.rest, 9);
}

static void test_begin_block(void **state)
{
	struct bprof_cpu_stat stat = {};

	probe_stat__begin_block(&stat, 10, 3);
	assert_int_equal(stat.countdown, 3);
	assert_int_equal(stat.rest, 6);
}

/* With a shorter period, neither the wait for the next measured run nor its block stays longer. */
static void test_shorten_block(void **state)
{
	static const struct {
		__u64 period, countdown, rest, to_countdown, to_rest;
	} cases[] = {
		/* as the probe may have set them with this period: they stay */
		{10, 0, 9, 0, 9},
		{10, 18, 0, 18, 0},
		{1, 0, 0, 0, 0},
		/* set with a longer period */
		{10, 19, 10, 9, 9},
		{10, 3, 500, 3, 9},
		{1, 1, 0, 0, 0},
		{1, 1000, 1000, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bprof_cpu_stat stat = {.countdown = cases[i].countdown,
					      .rest = cases[i].rest};

		probe_stat__shorten_block(&stat, cases[i].period);
		assert_int_equal(stat.countdown, cases[i].to_countdown);
		assert_int_equal(stat.rest, cases[i].to_rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_biases),
		cmocka_unit_test(test_block),
		cmocka_unit_test(test_begin_block),
		cmocka_unit_test(test_shorten_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
