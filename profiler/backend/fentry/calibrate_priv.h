/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations shared by the files of calibration, and only by these.
 */
#ifndef BPROF_CALIBRATE_PRIV_H
#define BPROF_CALIBRATE_PRIV_H

#include "backend/fentry/calibrate.h"

/* The built-in functions that are measured. */
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
 * The cost of reading all events, by slot: the minimum of all measurements, and the distance of the
 * second smallest.
 */
struct read_cost {
	__u64 min[BPROF_SLOTS], spread[BPROF_SLOTS];
};

/* The measurements of these functions on one kind of CPU. */
struct measured {
	struct bias func[FUNC_CNT];
	int args[FUNC_CNT];	 /* arguments that its trampoline saves; 0: not measured */
	__u32 context[FUNC_CNT]; /* context of most of its runs */
	struct read_cost reading[FUNC_CNT];
	struct bias alone; /* a caller of bprof_empty_sub() */
	struct bias with;  /* the same caller while bprof_empty_sub() is probed */
};

/* Sets the parts of each kind's bias from m[], indexed by kind, as far as they were measured. */
void calibration__set_parts(struct calibration *c, const struct measured *m);
/*
 * Finds the slot, one of the first "slots", and the threshold that show whether interrupts are
 * disabled.
 */
void calibration__set_threshold(struct cpu_kind *kind, const struct measured *m, int slots);

#endif
