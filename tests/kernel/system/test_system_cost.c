// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures the overhead of bperf users in the deterministic VM (one vCPU, -icount). With twenty
 * more bperf users, a context switch takes no more instructions, and no more PMU counters are used.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/drive/counters.h"
#include "tests/kernel/drive/switches.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/system/sharing.h"
#include "tests/kernel/system/users.h"

#define FURTHER 20 /* number of bperf users after the first one */
/*
 * A try of 500 rounds contains one or two timer ticks. If one of two compared measurements contains
 * one more tick, it shows 10 more instructions for each switch.
 */
#define TICK 10
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
	rotate_rarely(false);
	write_file(ADDRESSES, "2");
	return teardown(state);
}

/*
 * Checks that with a bperf user, a context switch takes at most as many more instructions as
 * docs/dev/bperf.md (What it costs) promises.
 */
static void test_switch_cost(void **state)
{
	static const struct switches_effort effort = {.pairs = 3, .tries = 4, .rounds = 500};
	static const int users[] = {1, 1 + FURTHER};
	static const struct {
		char *scope[3];
		double first, further;
	} cases[] = {
		{{"-a"}, 480, 5},
		{{"-p", "PIDS"}, 600, 5},
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
		if (first > cases[i].first + TICK || first < 100 || further > cases[i].further)
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
	rotate_rarely(true);
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

/* ---- many scopes ---- */

#define LEVELS 30
#define DEEP_TWO 1100
#define DEEP_SIXTEEN 3500
#define MANY 1000

/* Writes the name of the cgroup at this level, "deep/2/3/…", to name. */
static int deep_name(char *name, size_t sz, int level)
{
	int len = snprintf(name, sz, "deep");

	for (int i = 2; i <= level; i++)
		len += snprintf(name + len, sz - len, "/%d", i);
	assert_true((size_t)len < sz);
	return len;
}

static void enter_cgroup(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/cgroup.procs", name);
	write_file(path, "0");
}

/* Makes nested cgroups and enters the deepest one. */
static void enter_deep(void)
{
	char name[128], path[256];

	for (int level = 1; level <= LEVELS; level++) {
		deep_name(name, sizeof(name), level);
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", name);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	enter_cgroup(name);
}

static int leave_deep(void **state)
{
	char name[128], path[256];

	enter_cgroup("");
	for (int level = LEVELS; level > 0; level--) {
		deep_name(name, sizeof(name), level);
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", name);
		rmdir(path);
	}
	return teardown_cost(state);
}

static void assert_cost(char *option, char *scopes, double most)
{
	static const struct switches_effort effort = {.pairs = 3, .tries = 4, .rounds = 500};
	char *argv[] = {"bprof", "system", "-e",    "instructions", option,
			scopes,	 "--",	   "drive", "ready",	    NULL};
	static const int one = 1;
	double cost[2], added;

	assert_int_equal(switches__measure(&effort, &one, 1, argv, cost), 0);
	added = cost[1] - cost[0];
	printf("# %s %.40s: %.0f instructions added to a switch, at most %.0f\n", option, scopes,
	       added, most);
	if (added > most + TICK || added < 100)
		fail_test("%s %.40s: costs more than promised", option, scopes);
}

/* A switch costs the same whether 2 or 1,000 processes are counted. */
static void test_many_processes(void **state)
{
	static pid_t pid[MANY];
	static char scopes[16384];
	char *at = scopes + sprintf(scopes, "PIDS");

	if (!arch_is("aarch64") || !kernel_is("6.12"))
		skip_test("switch_cost", "no promise is made for this kernel");
	for (int i = 0; i < MANY; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		at += sprintf(at, ",%d", pid[i]);
	}
	assert_cost("-p", scopes, 600);
	for (int i = 0; i < MANY; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

/*
 * The cost grows with the number of levels that have counted cgroups, not with the levels between.
 */
static void test_deep_cgroups(void **state)
{
	char scopes[4096], *at = scopes;

	if (!arch_is("aarch64") || !kernel_is("6.12"))
		skip_test("switch_cost", "no promise is made for this kernel");
	enter_deep();
	deep_name(scopes, sizeof(scopes), LEVELS);
	strcat(scopes, ",deep");
	assert_cost("--for-each-cgroup", scopes, DEEP_TWO);
	for (int level = LEVELS; level > LEVELS - 16; level--) {
		at += deep_name(at, scopes + sizeof(scopes) - at, level);
		*at++ = level > LEVELS - 15 ? ',' : '\0';
	}
	assert_cost("--for-each-cgroup", scopes, DEEP_SIXTEEN);
}

#define COST_TEST(...) KTEST_WITH(setup_cost, teardown_cost, __VA_ARGS__)

KTEST_GROUP(system_cost, "what shared counters cost", NULL, ON(EXACT, FROM(6.1), LONG),
	    COST_TEST(test_switch_cost), COST_TEST(test_many_processes, LONG),
	    KTEST_WITH(setup_cost, leave_deep, test_deep_cgroups, LONG), COST_TEST(test_counters));
