// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests adding up the measured time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/stopwatch.h"

static void test_sum_of_times(void **state)
{
	struct stopwatch w = {};
	__u64 ns;

	assert_int_equal(stopwatch__elapsed_ns(&w), 0);
	stopwatch__start(&w);
	w.started_ns -= 5000;
	ns = stopwatch__elapsed_ns(&w);
	assert_true(ns >= 5000);
	stopwatch__stop(&w);
	assert_true(w.measured_ns >= ns);
	/* the time between a stop and a start does not count */
	w.measured_ns = 7000;
	w.started_ns = 1;
	assert_int_equal(stopwatch__elapsed_ns(&w), 7000);
	stopwatch__start(&w);
	assert_true(w.started_ns > 1);
	assert_true(stopwatch__elapsed_ns(&w) >= 7000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum_of_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
