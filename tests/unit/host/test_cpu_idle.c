// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests that the idle times of CPUs are read anew each time, from this machine's /proc/stat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/util.h"
#include "host/cpu_idle.h"

#define CPUS 4096

static __u64 total(struct cpu_idle *idle)
{
	static __u64 ns[CPUS];
	__u64 sum = 0;

	assert_int_equal(cpu_idle__read(idle, ns), 0);
	for (int i = 0; i < CPUS; i++)
		sum += ns[i];
	return sum;
}

/* Sleeps until the CPUs have been idle for a tick, and sees it. */
static void test_grows(void **state)
{
	struct cpu_idle *idle;
	__u64 first;

	assert_int_equal(cpu_idle__open(CPUS, &idle), 0);
	first = total(idle);
	while (total(idle) <= first)
		usleep(1000);
	cpu_idle__close(idle);
}

/* CPUs beyond the limit are left out, and their ids are not used. */
static void test_limit(void **state)
{
	struct cpu_idle *idle;
	__u64 ns[2] = {1, 12345};

	assert_int_equal(cpu_idle__open(1, &idle), 0);
	assert_int_equal(cpu_idle__read(idle, ns), 0);
	assert_true(ns[0] != 1 && ns[1] == 12345);
	cpu_idle__close(idle);
	cpu_idle__close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
