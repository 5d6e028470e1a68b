// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what a reset of a probe's counts keeps: all that calibration has set.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_biases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
