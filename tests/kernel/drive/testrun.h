/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs programs with BPF_PROG_TEST_RUN, exactly as often as requested.
 */
#ifndef KTEST_TESTRUN_H
#define KTEST_TESTRUN_H

#include <linux/types.h>

/*
 * Runs the program cnt times on the current CPU, with a UDP packet as input if the program's type
 * takes one. Returns 0 or -errno.
 */
int testrun__fd(int prog_fd, __u64 cnt);
int testrun__id(__u32 id, __u64 cnt);

/*
 * Runs the program cnt times (at most INT_MAX) in one test run, only for types that take a packet.
 * Sets *ns to the mean time per run that the kernel reports, which includes interruptions. Returns
 * 0 or -errno.
 */
int testrun__time(__u32 id, __u64 cnt, __u32 *ns);

/*
 * Measures one invocation in instructions (arm64) or TSC ticks (x86-64). The overhead of test runs
 * varies, so the result is the slope between test runs of 100 and of 300 invocations. For each of
 * these two, the minimum of 25 tries is used. Returns 0 or -errno.
 */
int testrun__slope(__u32 id, double *out);

#endif
