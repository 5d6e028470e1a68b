// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Binding a thread: to CPUs that it may use, with sets of any size, and back.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel/affinity.h"

/* The kernel's sets have room for that many CPUs here; a set that is shorter is refused. */
static int room;
static cpu_set_t *allowed, *cpuset;
static size_t sz;

/* Instead of libc's: a machine with a cpuset. */
int sched_getaffinity(pid_t pid, size_t len, cpu_set_t *set)
{
	if (len * 8 < (size_t)room) {
		errno = EINVAL;
		return -1;
	}
	CPU_ZERO_S(len, set);
	for (int i = 0; i < room; i++)
		if (CPU_ISSET_S(i, sz, allowed))
			CPU_SET_S(i, len, set);
	return 0;
}

int sched_setaffinity(pid_t pid, size_t len, const cpu_set_t *set)
{
	bool any = false;

	for (int i = 0; i < room; i++)
		any |= CPU_ISSET_S(i, len, set) && CPU_ISSET_S(i, sz, cpuset);
	if (!any) {
		errno = EINVAL;
		return -1;
	}
	CPU_ZERO_S(sz, allowed);
	for (int i = 0; i < room; i++)
		if (CPU_ISSET_S(i, len, set) && CPU_ISSET_S(i, sz, cpuset))
			CPU_SET_S(i, sz, allowed);
	return 0;
}

static void make_machine(int cpus, int first, int last)
{
	room = cpus;
	sz = CPU_ALLOC_SIZE(cpus);
	CPU_FREE(allowed);
	CPU_FREE(cpuset);
	allowed = CPU_ALLOC(cpus);
	cpuset = CPU_ALLOC(cpus);
	assert_non_null(allowed);
	assert_non_null(cpuset);
	CPU_ZERO_S(sz, allowed);
	CPU_ZERO_S(sz, cpuset);
	for (int i = first; i <= last; i++) {
		CPU_SET_S(i, sz, allowed);
		CPU_SET_S(i, sz, cpuset);
	}
}

static void assert_bound(int cpu)
{
	assert_int_equal(CPU_COUNT_S(sz, allowed), 1);
	assert_true(CPU_ISSET_S(cpu, sz, allowed));
}

static void test_many_cpus(void **state)
{
	struct affinity *saved;

	make_machine(8192, 0, 8191);
	assert_int_equal(affinity__save(&saved), 0);
	assert_int_equal(affinity__bind(8000), 0);
	assert_bound(8000);
	affinity__restore(saved);
	assert_int_equal(CPU_COUNT_S(sz, allowed), 8192);
}

static void test_cpuset(void **state)
{
	int ids[] = {0, 1, 2, 3};
	const struct cpus all = {ids, 4}, outside = {ids, 2};
	struct affinity *saved;

	make_machine(64, 2, 5);
	assert_int_equal(affinity__save(&saved), 0);
	assert_int_equal(affinity__bind(0), -EINVAL);
	assert_int_equal(affinity__bind_any(saved, &all), 2);
	assert_bound(2);
	assert_int_equal(affinity__bind_any(saved, &outside), -EINVAL);
	affinity__restore(saved);
	assert_int_equal(CPU_COUNT_S(sz, allowed), 4);
}

/* taskset keeps nobody from another CPU, but those it names come first. */
static void test_taskset(void **state)
{
	int ids[] = {0, 1, 2, 3};
	const struct cpus all = {ids, 4}, others = {ids, 3};
	struct affinity *saved;

	make_machine(64, 1, 3);
	CPU_ZERO_S(sz, allowed);
	CPU_SET_S(3, sz, allowed);
	assert_int_equal(affinity__save(&saved), 0);
	assert_int_equal(affinity__bind_any(saved, &all), 3);
	assert_int_equal(affinity__bind_any(saved, &others), 1);
	affinity__restore(saved);
	assert_bound(3);
}

static int free_machine(void **state)
{
	CPU_FREE(allowed);
	CPU_FREE(cpuset);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_cpuset),
		cmocka_unit_test(test_taskset),
	};

	return cmocka_run_group_tests(tests, NULL, free_machine);
}
