// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures the overhead of bperf users in the deterministic VM (one vCPU, -icount). With twenty
 * more bperf users, a context switch takes no more instructions, and no more PMU counters are used.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/kernel/drive/counters.h"
#include "tests/kernel/drive/switches.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/ktest.h"
#include "tests/kernel/system/sharing.h"
#include "tests/kernel/system/users.h"

#define MUX_INTERVAL "/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms"
#define FURTHER 20 /* number of bperf users after the first one */
#define ADDRESSES "/proc/sys/kernel/randomize_va_space"

static int setup_cost(void **state)
{
	unlink(ATTR_MAP);
	/*
	 * Turn off address randomization, so that the pages of the two processes always share the
	 * caches in the same way.
	 */
	write_file(ADDRESSES, "0");
	return setup(state);
}

static int teardown_cost(void **state)
{
	unlink(ATTR_MAP);
	write_file(ADDRESSES, "2");
	return teardown(state);
}

/*
 * Checks that a context switch takes at most as many more instructions as docs/bperf.md (What it
 * costs) promises.
 */
static void test_switch_cost(void **state)
{
	static const struct switches_effort effort = {.pairs = 3, .tries = 4, .rounds = 500};
	static const int users[] = {1, 1 + FURTHER};
	static const struct {
		char *scope[3];
		double first, further;
	} cases[] = {
		{{"-a"}, 700, 5},
		{{"-p", "PIDS"}, 850, 5},
	};
	double cost[3];

	if (!arch_is("aarch64") || !kernel_is("6.12"))
		skip_test("switch_cost", "no promise is made for this kernel");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *argv[12] = {"bprof", "system", "-e", "instructions"};
		double first, further;
		int n = 4;

		for (int j = 0; cases[i].scope[j]; j++)
			argv[n++] = cases[i].scope[j];
		argv[n++] = "--";
		argv[n++] = "drive";
		argv[n++] = "ready";
		assert_int_equal(switches__measure(&effort, users, 2, argv, cost), 0);
		first = cost[1] - cost[0];
		further = (cost[2] - cost[1]) / FURTHER;
		printf("# %s: %.0f instructions added to a switch by the first user, at most %.0f; "
		       "%.1f by each further one, at most %.0f\n",
		       cases[i].scope[0], first, cases[i].first, further, cases[i].further);
		if (first > cases[i].first || first < 100 || further > cases[i].further)
			fail_test("%s: costs more than promised", cases[i].scope[0]);
	}
}

/*
 * Two events use two PMU counters, whatever the number of bperf users and scopes. The other
 * counters stay free, and no event is multiplexed.
 */
static void test_counters(void **state)
{
	static const char *const scopes[] = {"-a", "-p", "-t", "-C 0 -p"};
	struct fixture *f = *state;
	struct user user[FURTHER];
	struct shuttle w;

	if (!arch_is("aarch64"))
		skip_test("system_counters", "no PMU");
	if (!access(MUX_INTERVAL, W_OK))
		write_file(MUX_INTERVAL, "1000");
	await_free_counters(PMU_COUNTERS);
	shuttle__start(f, &w, 0);
	for (int i = 0; i < FURTHER; i++) {
		char pid[16] = "";

		if (i % 4)
			snprintf(pid, sizeof(pid), "%d", w.pid);
		user__start(f, &user[i], "bprof system -e cycles,instructions %s %s", scopes[i % 4],
			    pid);
		user__await(f, &user[i]);
		assert_int_equal(free_counters(), PMU_COUNTERS - 2);
	}
	assert_int_equal(sharing__read().cnt, 2);
	shuttle__work(&w);
	for (int i = 0; i < FURTHER; i++) {
		struct run *r = user__end(f, &user[i]);

		/* csv_count() fails the test if an event was multiplexed */
		assert_true(csv_count(r, "cycles") > 1000000);
		assert_true(csv_count(r, "instructions") > 1000000);
	}
}

#define COST_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup_cost, teardown_cost)

int run_system_cost(void)
{
	const struct CMUnitTest tests[] = {
		COST_TEST(test_switch_cost),
		COST_TEST(test_counters),
	};

	return cmocka_run_group_tests_name("system_cost", tests, NULL, NULL);
}
