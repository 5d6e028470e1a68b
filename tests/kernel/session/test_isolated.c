// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that bprof top and export do not attach probes repeatedly if some CPUs are isolated: each
 * attachment would interrupt the isolated CPUs, too.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define CGROUP "/sys/fs/cgroup/isolated"
#define DETACHED "runs so often that its probe is detached for good"

static int setup_isolated(void **state)
{
	return setup(state)
		       ?: system("echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control && "
				 "mkdir " CGROUP " && echo 3 >" CGROUP "/cpuset.cpus");
}

static int teardown_isolated(void **state)
{
	return rmdir(CGROUP) ?: teardown(state);
}

static void set_partition(const char *partition)
{
	char command[128];

	snprintf(command, sizeof(command), "echo %s >" CGROUP "/cpuset.cpus.partition", partition);
	assert_int_equal(system(command), 0);
}

/* Shows a busy program in bprof top. The last interval has its number of runs per second. */
static void watch_busy(struct fixture *f, struct target t, const char *options, bool detached)
{
	struct child *load = command_start(f, "drive -C 0 pace %u 300 1000 60000", t.id);
	struct run *r = bprof(f, "top --batch -n 6 -I 1s -e time%s", options);
	char *last = NULL, *rate;

	assert_status(r, 0);
	if (!!strstr(r->err, DETACHED) != detached)
		fail_test("detached for good: not %d", detached);
	for (char *row = strstr(r->out, " tc_mark "); row; row = strstr(row + 1, " tc_mark "))
		last = row;
	assert_non_null(last);
	rate = strstr(last, "fentry");
	assert_non_null(rate);
	if (strtod(rate + strlen("fentry"), NULL) <= 0)
		fail_test("no rate: %s", last);
	child_signal(load, SIGTERM);
	child_wait(f, load);
}

static void test_attached_once(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "skb", "tc_mark");

	set_partition("isolated");
	watch_busy(f, t, "", true);
	watch_busy(f, t, " --max-overhead 1%", false);
	set_partition("member");
	watch_busy(f, t, "", false);
}

KTEST_GROUP(isolated, "CPUs that are not to be interrupted", NULL, ON(SMP4, FROM(6.12)),
	    KTEST_WITH(setup_isolated, teardown_isolated, test_attached_once, LONG));
