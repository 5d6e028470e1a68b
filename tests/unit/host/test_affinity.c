// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests binding a thread to CPUs that it may use, with sets of any size, and without changing the
 * caller's affinity.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/log.h"
#include "host/affinity.h"

/* The number of CPUs for which the fake kernel's sets have room. A shorter set is refused. */
static int room;
static cpu_set_t *allowed, *cpuset;
static size_t sz;
static pthread_t caller; /* the thread whose affinity must not change */

/* Replaces libc's function, and behaves as on a machine with a cpuset. */
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

	assert_false(pthread_equal(pthread_self(), caller));
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
	caller = pthread_self();
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

static int bind_to_8000(const struct affinity *allowed, void *arg)
{
	return affinity__bind(8000);
}

static void test_many_cpus(void **state)
{
	make_machine(8192, 0, 8191);
	assert_int_equal(affinity__run(bind_to_8000, NULL), 0);
	assert_bound(8000);
}

static int bind_in_cpuset(const struct affinity *allowed, void *arg)
{
	int ids[] = {0, 1, 2, 3};
	const struct cpus all = {ids, 4}, outside = {ids, 2};

	assert_int_equal(affinity__bind(0), -EINVAL);
	assert_int_equal(affinity__bind_any(allowed, &all), 2);
	assert_bound(2);
	return affinity__bind_any(allowed, &outside);
}

static void test_cpuset(void **state)
{
	make_machine(64, 2, 5);
	assert_int_equal(affinity__run(bind_in_cpuset, NULL), -EINVAL);
}

/*
 * With taskset, a thread may still use other CPUs, but the CPUs that taskset names are preferred.
 */
static int bind_as_taskset(const struct affinity *allowed, void *arg)
{
	int ids[] = {0, 1, 2, 3};
	const struct cpus all = {ids, 4}, others = {ids, 3};

	assert_int_equal(affinity__bind_any(allowed, &all), 3);
	return affinity__bind_any(allowed, &others);
}

static void test_taskset(void **state)
{
	make_machine(64, 1, 3);
	CPU_ZERO_S(sz, allowed);
	CPU_SET_S(3, sz, allowed);
	assert_int_equal(affinity__run(bind_as_taskset, NULL), 1);
}

/* Tests that affinity__run()'s thread has the caller's log sink and blocks all signals. */
static const struct log_sink sink;

static int check_thread(const struct affinity *allowed, void *arg)
{
	sigset_t blocked;

	assert_ptr_equal(log__sink(), &sink);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
	assert_true(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM));
	return 7;
}

static void test_thread(void **state)
{
	const struct log_sink *sink_before = log__set_sink(&sink);
	sigset_t blocked;

	make_machine(64, 0, 3);
	assert_int_equal(affinity__run(check_thread, NULL), 7);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
	assert_false(sigismember(&blocked, SIGINT));
	log__set_sink(sink_before);
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
		cmocka_unit_test(test_thread),
	};

	return cmocka_run_group_tests(tests, NULL, free_machine);
}
