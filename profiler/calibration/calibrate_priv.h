/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations for the files of calibration (calibrate*.c) only.
 */
#ifndef BPROF_CALIBRATE_PRIV_H
#define BPROF_CALIBRATE_PRIV_H

#include "calibration/calibrate.h"
#include "probe/probe_template.h"

struct event;

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
 * The cost of reading all events, indexed by slot: the minimum of all measurements, and how far the
 * second smallest is above the minimum.
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
	struct bias alone;     /* a caller of bprof_empty_sub(), while only the caller is probed */
	struct bias with;      /* a caller of bprof_empty_sub(), while both are probed */
	struct bias searching; /* the same, while the latter's probe searches for its frame */
};

/* For each kind of CPU, sets the parts of the bias that were measured. m[] is indexed by kind. */
void calibration__set_parts(struct calibration *c, const struct measured *m);
/*
 * Sets the slot, one of the first "slots", and the threshold by which the probe recognizes that
 * interrupts are disabled.
 */
void calibration__set_threshold(struct cpu_kind *kind, const struct measured *m, int slots);

/*
 * Opens and attaches a built-in function as a target of its own. func: NULL for the entry function.
 * calibrate__close_empty() closes it, also after an error.
 */
int calibrate__open_empty(struct calibration *c, enum empty prog, const char *func,
			  struct target *t, struct reason *reason);
void calibrate__close_empty(struct target *t);

/* Returns the programs of known cost (enum empty, bits) that check what calibration measures. */
__u32 calibrate__checks(const struct calibration *c);

/* What is known about an event's number for BPROF_CHECK_INSNS instructions. */
enum check_kind {
	CHECK_NONE,  /* nothing */
	CHECK_EXACT, /* it is that number */
	CHECK_NOISY, /* between 0 and that number, and noise */
};

/* The net numbers of a function of known cost; bias and stddev are those that calibration found. */
struct check_numbers {
	double min, median; /* the cheapest run, and the median of the blocks' means */
	double bias, stddev;
};

enum check_kind calibrate__check_kind(const struct event *ev);
/* Returns by how much the bias is too small or too large, or 0 if the numbers are right. */
double calibrate__error(const struct check_numbers *n, enum check_kind kind);

/* Which check has failed. The strings are not owned. */
struct check_failure {
	const char *what, *event;
	int cpu;
	double error;
};

/*
 * Measures the functions of known cost. Returns 1, with *why, if a bias of the calibration is wrong,
 * else 0, also if something cannot be measured.
 */
int calibrate__check(struct calibration *c, struct check_failure *why);

#endif
