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

/*
 * The samples on one CPU: all samples, samples in targets, and samples in code that targets call.
 */
struct bprof_ip_cpu {
	__u64 samples, weight;
	__u64 in_targets, weight_in_targets;
	/* samples in code that targets call: helpers and kernel functions */
	__u64 in_calls, weight_in_calls;
	/* samples in interrupts of a target or of code that a target calls */
	__u64 interrupting, weight_interrupting;
	__u64 no_room;	   /* samples in calls that did not fit into bprof_callees */
	__u64 walk_ns;	   /* the time that searching for callers took */
	__u64 period;	   /* of the last sample */
	__u64 reserved[5]; /* pads to cache lines */
};

/* The number of frames that are searched for a target, from the innermost frame on. */
#define BPROF_IP_DEPTH 24

/* The maximum number of callees' frames that are kept. */
#define BPROF_IP_CALLEES 8

/*
 * A key of the map bprof_callees: the call instruction of a target, and the frames of the code that
 * it calls. The outermost frame is first; user space sets the maximum number of frames. For the
 * frame that was sampled, the key has the sampled address. For each other frame it has an address
 * inside of the frame's call instruction. 0: no further frame. The value is a struct bprof_ip_cell.
 *
 * On some architectures a call puts the return address into a register. There a function may have
 * no frame (yet), and then the frame of its caller is missing. So the key has the register's value
 * as an additional frame, before the last one. The function may have put another value into the
 * register meanwhile, so user space has to check the value.
 */
struct bprof_ip_callees {
	__u32 cell; /* of the call instruction, without bprof_calls_first */
	__u32 link; /* 1 + index of the frame that comes from the register; 0: no frame does */
	__u64 frame[BPROF_IP_CALLEES + 1];
};

/* The size of a key with this number of frames, and the number of elements of the map. */
#define BPROF_IP_CALLEES_SZ(depth) (8 + 8 * ((depth) + 1))
#define BPROF_IP_CALLEES_MAX 32768

#endif
