/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A load of a known rate.
 */
#ifndef KTEST_PACE_H
#define KTEST_PACE_H

#include <linux/types.h>

/* The result of a load. */
struct pace {
	__u64 runs;
	__u64 elapsed_ns;
	__u64 cpu_ns; /* CPU time of this process */
};

/*
 * Runs a program cnt times every period_ns, for duration_ns. If the period is 0, runs it without a
 * pause. Like packets, the runs do not wait for the program: a run that could not begin in time
 * begins later. Returns 0 or -errno.
 */
int pace__run(__u32 id, __u64 cnt, __u64 period_ns, __u64 duration_ns, struct pace *out);

/*
 * Wakes up after random times, ns on average, and computes for a random time, with a higher
 * priority than all other tasks of its CPU. Otherwise, samples in a VM with -icount would always be taken at
 * the same places, because timers and programs are equally regular there. Returns -errno, or never.
 */
int pace__disturb(__u64 ns);

#endif
