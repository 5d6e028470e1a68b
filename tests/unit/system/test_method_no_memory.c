// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a method of bprof system that finds no memory says so: bprof would otherwise fail without
 * a reason, or count by the other method without a word. Ends before the methods ask the kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/util.h"
#include "btf/reason.h"
#include "system/system.h"
#include "tests/unit/no_memory.h"

static void test_open(void **state)
{
	static const struct system_ops *const methods[] = {&bperf_ops, &perf_event_ops};
	static struct event event = {.name = "cycles", .group = -1};
	static const struct event_list events = {.v = &event, .cnt = 1};

	/* The state of a method consists of two allocations. */
	for (size_t i = 0; i < ARRAY_SIZE(methods) * 2; i++) {
		const struct system_ops *ops = methods[i / 2];
		struct system s = {.events = &events};
		struct reason reason = {};
		void *opened = &s;
		int err;

		allocations_left = i % 2;
		err = ops->open(&s, &opened, &reason);
		allocations_left = LONG_MAX;
		assert_int_equal(err, -ENOMEM);
		assert_null(opened);
		assert_int_equal(reason.err, ENOMEM);
		if (!strstr(reason.detail, strerror(ENOMEM)))
			fail_msg("%s, allocation %zu: '%s'", ops->method, i % 2, reason.detail);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
