/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types that ip_samples.bpf.c and user space share: the address ranges of the targets' code, and
 * the counts of samples in these ranges.
 */
#ifndef BPROF_IP_SAMPLES_H
#define BPROF_IP_SAMPLES_H

#include <linux/types.h>

/*
 * The address range of one function's JITed code. The map bprof_ranges has the ranges in ascending
 * order, and they do not overlap.
 */
struct bprof_ip_range {
	__u64 start, end; /* end is the first address after the range */
	__u32 first;	  /* index of the cell for the first instruction of the range */
	__u32 reserved;
};

/* The number of steps of the binary search, enough for 65535 ranges. */
#define BPROF_IP_STEPS 16
#define BPROF_IP_MAX_RANGES ((1u << BPROF_IP_STEPS) - 1)

/* The samples at one instruction. */
struct bprof_ip_cell {
	__u64 samples;
	__u64 weight; /* sum of the samples' periods: the number of events that they represent */
};

/* The samples on one CPU: all samples, those in targets, and those in what targets call. */
struct bprof_ip_cpu {
	__u64 samples, weight;
	__u64 in_targets, weight_in_targets;
	/* samples in code that targets call: helpers, kernel functions, and what interrupts them */
	__u64 in_calls, weight_in_calls;
	__u64 walk_ns;	/* the time that was spent on looking for callers */
	__u64 reserved; /* pads to a cache line */
};

/* The number of innermost frames in which a target is looked for. */
#define BPROF_IP_DEPTH 24

#endif
