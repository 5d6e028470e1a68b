/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The measurements from which a calibration is computed.
 */
#ifndef BPROF_CALIBRATION_PRIV_H
#define BPROF_CALIBRATION_PRIV_H

#include "calibration/calibration.h"

/* The built-in functions that calibration measures. */
enum empty_func {
	FUNC_PROG,
	FUNC_ARGS,
	FUNC_RAW,
	FUNC_SYSCALL,
	FUNC_IRQ,
	FUNC_SUB,
	FUNC_TAIL_CALLS,
	FUNC_CNT
};

/*
 * The cost of reading all events, indexed by slot: the minimum of all measurements, and the
 * distance from the minimum to the second smallest measurement.
 */
struct read_cost {
	__u64 min[BPROF_SLOTS], spread[BPROF_SLOTS];
};

/* The measurements of the built-in functions on one kind of CPU. */
struct measured {
	struct bias func[FUNC_CNT];
	/* number of arguments that the function's trampoline saves; 0: not measured */
	int args[FUNC_CNT];
	__u32 context[FUNC_CNT]; /* context of most of the function's runs */
	struct read_cost reading[FUNC_CNT];
	struct bias alone; /* a caller of bprof_empty_sub(), while only the caller is probed */
	struct bias with;  /* a caller of bprof_empty_sub(), while both are probed */
	/* like "with", while the probe of bprof_empty_sub() searches for its frame */
	struct bias searching;
	/* programs that call KERNEL_FUNC, while only they are probed: with one call; with more calls */
	struct bias kernel_alone, kernel_more;
	/* KERNEL_FUNC, called by the program with one call, while both are probed */
	struct bias kernel;
	struct bias kernel_with; /* the program with one call, while both are probed */
	/*
	 * time of a run of the program with more calls, unprobed: [0] KERNEL_FUNC is not probed;
	 * [1] it is
	 */
	__u32 kernel_ns[2];
	bool has_kernel; /* the five members that begin with "kernel" are measured */
};

/* For each kind of CPU, sets the parts of the bias that were measured. m[] is indexed by kind. */
void calibration__set_parts(struct calibration *c, const struct measured *m);
/*
 * Sets the slot and the threshold by which the probe recognizes that interrupts are disabled.
 * Chooses one of the first "slots" slots.
 */
void calibration__set_threshold(struct cpu_kind *kind, const struct measured *m, int slots);

#endif
