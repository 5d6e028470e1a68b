// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the names of processes (--by pid). Whether bprof is in a pid namespace is made up,
 * and so is when this process began.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/namespaces.h"
#include "host/task.h"
#include "result/key_names.h"

static bool in_initial;

bool is_in_initial_pid_ns(void)
{
	return in_initial;
}

static __u64 start_time = 1000;

int task__read(pid_t tid, struct task *task)
{
	*task = (struct task){.tid = tid, .tgid = tid, .start_time = start_time};
	return prctl(PR_GET_NAME, task->comm);
}

static void assert_name(const char *comm, const char *before_pid)
{
	char *got = key_names__make(BY_PID, getpid(), comm), want[64];

	snprintf(want, sizeof(want), *before_pid ? "%s[%d]" : "%s%d", before_pid, getpid());
	assert_string_equal(got, want);
	free(got);
}

/*
 * The probe reads ids of the initial pid namespace. In the /proc of a container, another process may
 * have the same id.
 */
static void test_pid(void **state)
{
	assert_int_equal(prctl(PR_SET_NAME, "now"), 0);
	in_initial = true;
	assert_name("before", "now");
	in_initial = false;
	assert_name("before", "before");
	assert_name("", "");
}

/* A process ends, and another one gets its id. The row has the runs of both, and keeps the name of the first. */
static void test_reuse(void **state)
{
	in_initial = true;
	assert_int_equal(prctl(PR_SET_NAME, "sh"), 0);
	assert_name("sh", "sh");
	assert_int_equal(prctl(PR_SET_NAME, "nginx"), 0); /* it executes a program */
	assert_name("sh", "nginx");
	start_time++;
	assert_int_equal(prctl(PR_SET_NAME, "sshd"), 0);
	assert_name("sh", "sh");
	assert_name("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pid),
		cmocka_unit_test(test_reuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
