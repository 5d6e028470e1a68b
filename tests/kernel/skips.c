// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which test may be skipped where, and why there. A skip that is not in this table is a failure: a
 * kernel that must run a test runs it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "harness.h"

static const struct {
	const char *test, *kernel, *arch; /* NULL: any */
	const char *why;
} may_skip[] = {
	/* DYNAMIC_FTRACE_WITH_DIRECT_CALLS came to arm64 with Linux 6.4: nothing can be attached to
	 * a kernel function, an LSM hook for one. */
	{"lsm", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"policy", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"recursion", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"lockdown_eperm", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"extensions", "5.10", NULL,
	 "tracing links have no target in their info before Linux 5.13"},
	{"raw_tp_nested", "7.2", NULL,
	 "a raw tracepoint's test run takes the program's recursion guard"},
	{"syscall_nested", "5.10", NULL, "BPF timers came with Linux 5.15"},
	{"multiplex", NULL, "x86_64", "the emulated CPU has no PMU"},
	/* The cost is promised for that machine (README, What it costs). */
	{"added_instructions", NULL, "x86_64", "promised for arm64"},
	{"added_instructions", "6.1", NULL, "promised for Linux 6.12"},
	{"added_instructions", "7.2", NULL, "promised for Linux 6.12"},
	{"switch_cost", NULL, "x86_64", "promised for arm64"},
	{"switch_cost", "6.1", NULL, "promised for Linux 6.12"},
	{"switch_cost", "7.2", NULL, "promised for Linux 6.12"},
	{"system_counters", NULL, "x86_64", "the emulated CPU has no PMU"},
};

bool kernel_is(const char *version)
{
	struct utsname uts;
	size_t len = strlen(version);

	uname(&uts);
	return !strncmp(uts.release, version, len) &&
	       (uts.release[len] < '0' || uts.release[len] > '9');
}

bool arch_is(const char *arch)
{
	struct utsname uts;

	uname(&uts);
	return !strcmp(uts.machine, arch);
}

void skip_test(const char *test, const char *reason)
{
	for (size_t i = 0; i < sizeof(may_skip) / sizeof(may_skip[0]); i++) {
		if (strcmp(may_skip[i].test, test) ||
		    (may_skip[i].kernel && !kernel_is(may_skip[i].kernel)) ||
		    (may_skip[i].arch && !arch_is(may_skip[i].arch)))
			continue;
		printf("# skipped: %s: %s (%s)\n", test, reason, may_skip[i].why);
		fflush(stdout);
		skip();
	}
	fail_test("%s must run on this kernel, but: %s", test, reason);
}
