/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types that ip_samples.bpf.c and user space share: the ranges of the targets' code and the samples
 * in it.
 */
#ifndef BPROF_IP_SAMPLES_H
#define BPROF_IP_SAMPLES_H

#include <linux/types.h>

/* JITed code of one function. The map has the ranges in ascending order; they do not overlap. */
struct bprof_ip_range {
	__u64 start, end; /* end: first address after it */
	__u32 first;	  /* cell of its first instruction */
	__u32 reserved;
};

/* Steps of the binary search: enough for 65535 functions. */
#define BPROF_IP_STEPS 16
#define BPROF_IP_MAX_RANGES ((1u << BPROF_IP_STEPS) - 1)

/* Samples at one instruction. */
struct bprof_ip_cell {
	__u64 samples;
	__u64 weight; /* events that the samples stand for: the sum of their periods */
};

/* All samples on one CPU, in or outside of targets. */
struct bprof_ip_cpu {
	__u64 samples, weight;
	__u64 in_targets, weight_in_targets;
	__u64 reserved[4]; /* pads to a cache line */
};

#endif
