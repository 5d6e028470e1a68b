/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A load of a known rate.
 */
#ifndef KTEST_PACE_H
#define KTEST_PACE_H

#include <linux/types.h>

/* What a load took. */
struct pace {
	__u64 runs;
	__u64 elapsed_ns;
	__u64 cpu_ns; /* CPU time of this process */
};

/*
 * Runs a program cnt times every period_ns, for duration_ns; with a period of 0, without a pause.
 * Like a load of packets, it does not wait for the program: what could not run in time runs later.
 * Returns 0 or -errno.
 */
int pace__run(__u32 id, __u64 cnt, __u64 period_ns, __u64 duration_ns, struct pace *out);

/*
 * Wakes up after random times, ns on average, and computes for a random time, before all other tasks of
 * its CPU. On the exact machine, whose timers are as regular as its programs, samples are then not always
 * taken at the same places. Returns -errno, or never.
 */
int pace__disturb(__u64 ns);

#endif
