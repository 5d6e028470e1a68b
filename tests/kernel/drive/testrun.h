/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs run by BPF_PROG_TEST_RUN, each invocation wanted and none more.
 */
#ifndef KTEST_TESTRUN_H
#define KTEST_TESTRUN_H

#include <linux/types.h>

/* Runs the program cnt times on the current CPU, with a UDP packet where it takes one. 0 or -errno.
 */
int testrun__fd(int prog_fd, __u64 cnt);
int testrun__id(__u32 id, __u64 cnt);

/*
 * Runs it cnt times, at most INT_MAX, in one go. *ns: what one run takes in the mean, by the
 * kernel's clock, all that happens in it included. 0 or -errno; for types that take a packet.
 */
int testrun__time(__u32 id, __u64 cnt, __u32 *ns);

/*
 * What one more invocation costs, in instructions (arm64) or ticks of the TSC (x86-64): a test run
 * costs a varying amount per call, so the slope between calls of 100 and of 300 invocations, each
 * the least of 25 tries. 0 or -errno.
 */
int testrun__slope(__u32 id, double *out);

#endif
