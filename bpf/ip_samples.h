/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ip_samples.bpf.c and user space share: where the targets' code is, and what was sampled in it.
 */
#ifndef BPROF_IP_SAMPLES_H
#define BPROF_IP_SAMPLES_H

#include <linux/types.h>

/* One function's JITed code. The map has them by ascending start; none overlaps another. */
struct bprof_ip_range {
	__u64 start, end; /* end: the first address behind it */
	__u32 first;	  /* the cell of its first instruction */
	__u32 reserved;
};

/* Binary search takes so many steps: 65535 functions. */
#define BPROF_IP_STEPS 16
#define BPROF_IP_MAX_RANGES ((1u << BPROF_IP_STEPS) - 1)

/* What was sampled at one place of the code. */
struct bprof_ip_cell {
	__u64 samples;
	__u64 weight; /* of the event: the sum of the periods that they end */
};

/* What was sampled on one CPU, wherever. */
struct bprof_ip_cpu {
	__u64 samples, weight;
	__u64 in_targets, weight_in_targets;
	__u64 reserved[4]; /* a cache line each */
};

#endif
