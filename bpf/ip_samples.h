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
	/* samples in code that targets call: helpers and kernel functions */
	__u64 in_calls, weight_in_calls;
	/* samples in interrupts that came while a target, or what it calls, was running */
	__u64 interrupting, weight_interrupting;
	__u64 no_room;	   /* samples in calls whose callees had no room in bprof_callees */
	__u64 walk_ns;	   /* the time that was spent on looking for callers */
	__u64 reserved[6]; /* pads to cache lines */
};

/* The number of innermost frames in which a target is looked for. */
#define BPROF_IP_DEPTH 24

/* The most frames of callees that are kept. */
#define BPROF_IP_CALLEES 8

/*
 * A key of the map bprof_callees: where a target makes a call, and the frames of what it calls, the
 * outermost one first, up to the depth that user space wants. The frame in which the sample is has its
 * address, and the others have one inside of their call instruction. 0: no further frame. The value is
 * a struct bprof_ip_cell.
 *
 * Where return addresses are in a register at first, a function may have no frame (yet), so that the
 * one that called it is missing. Then the register is an additional frame before the last one. But the
 * function may have put anything else into it meanwhile: user space has to look.
 */
struct bprof_ip_callees {
	__u32 cell; /* of the call instruction, without bprof_calls_first */
	__u32 link; /* index of the frame that is from the register + 1; 0: none */
	__u64 frame[BPROF_IP_CALLEES + 1];
};

/* The size of a key for this depth, and the number of elements of the map. */
#define BPROF_IP_CALLEES_SZ(depth) (8 + 8 * ((depth) + 1))
#define BPROF_IP_CALLEES_MAX 32768

#endif
