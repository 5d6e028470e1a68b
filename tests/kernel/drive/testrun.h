/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs programs by BPF_PROG_TEST_RUN, exactly as often as requested.
 */
#ifndef KTEST_TESTRUN_H
#define KTEST_TESTRUN_H

#include <linux/types.h>

/*
 * Runs the program cnt times on the current CPU, with a UDP packet where it takes one. Returns 0 or
 * -errno.
 */
int testrun__fd(int prog_fd, __u64 cnt);
int testrun__id(__u32 id, __u64 cnt);

/*
 * Runs it cnt times, at most INT_MAX, in one test run. *ns is the mean time of a run by the
 * kernel's clock, with everything that happens during it. Returns 0 or -errno; only for types that
 * take a packet.
 */
int testrun__time(__u32 id, __u64 cnt, __u32 *ns);

/*
 * Measures what one more invocation costs, in instructions (arm64) or ticks of the TSC (x86-64).
 * The cost of a test run itself varies from call to call: the result is the slope between calls of
 * 100 and of 300 invocations, each the minimum of 25 tries. Returns 0 or -errno.
 */
int testrun__slope(__u32 id, double *out);

#endif
