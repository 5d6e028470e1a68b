// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the mark of a probe: it changes with each counter of runs on each CPU, and with nothing
 * else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "backend/backend_env.h"
#include "base/util.h"
#include "probe/probes.h"
#include "target/target.h"

enum { CPUS = 3 };

static struct bprof_cpu_stat stat[CPUS];
static const struct backend_env env;
static struct probes set = {.env = &env};
static struct probe probe;
static struct target target;

static int set_up(void **state)
{
	memset(stat, 0, sizeof(stat));
	probe = (struct probe){.set = &set,
			       .prog_fd = {-1, -1},
			       .stats = {.mem = stat},
			       .stat_sz = sizeof(stat[0]),
			       .cpu_limit = CPUS};
	target = (struct target){.priv = &probe};
	return 0;
}

static __u64 mark(void)
{
	__u64 v;

	assert_int_equal(probe__mark(&target, &v), 0);
	return v;
}

/* Adds 1 to a counter, and checks that the mark changes and then stays as it is. */
static void change(__u64 *counter)
{
	__u64 before = mark();

	++*counter;
	assert_int_not_equal(mark(), before);
	assert_int_equal(mark(), mark());
}

static void test_runs(void **state)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		for (int i = 0; i < BPROF_CONTEXTS; i++)
			change(&stat[cpu].measured[i]);
		change(&stat[cpu].thinned_out);
		change(&stat[cpu].lost_overflow);
		change(&stat[cpu].overflow_exits);
		change(&stat[cpu].lost_entry);
		change(&stat[cpu].no_entry);
		change(&stat[cpu].stale);
	}
	change(&probe.detached.misses);
}

/* The counters have 64 bits, but a sum of them may wrap. */
static void test_wrap(void **state)
{
	stat[0].measured[0] = ~0ULL;
	change(&stat[1].measured[0]);
	assert_int_equal(mark(), 0);
	change(&stat[2].measured[3]);
	change(&stat[0].measured[0]);
}

/*
 * What user space writes does not change the mark. Thus the rows of a target that has not run may
 * have an old period; reports ignore the periods of such targets (result__set_periods()).
 */
static void test_thinning(void **state)
{
	__u64 before;

	stat[1].measured[0] = 5;
	before = mark();
	stat[1].period = 17;
	stat[1].over_period = 999;
	stat[1].quota = 100;
	stat[1].countdown = 3;
	assert_int_equal(mark(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_runs, set_up),
		cmocka_unit_test_setup(test_wrap, set_up),
		cmocka_unit_test_setup(test_thinning, set_up),
	};

	return cmocka_run_group_tests_name("mark", tests, NULL, NULL);
}
