/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of calibration share. For them only.
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

/* What reading all events takes, by slot: the least of all tries, and how much more the next one. */
struct read_cost {
	__u64 min[BPROF_SLOTS], spread[BPROF_SLOTS];
};

/* What was measured of them on one kind of CPU. */
struct measured {
	struct bias func[FUNC_CNT];
	int args[FUNC_CNT];	 /* that the function's trampoline saves; 0: it was not measured */
	__u32 context[FUNC_CNT]; /* that its runs were in, mostly */
	struct read_cost reading[FUNC_CNT];
	struct bias alone; /* a caller of bprof_empty_sub(), */
	struct bias with;  /* and the same while that is probed */
};

/* Fills in the parts of each kind's bias, from m[] by kind, as far as they were measured. */
void calibration__set_parts(struct calibration *c, const struct measured *m);
/* Finds what tells interrupts that are disabled, by one of the first so many slots. */
void calibration__set_threshold(struct cpu_kind *kind, const struct measured *m, int slots);

#endif
