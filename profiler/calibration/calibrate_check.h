/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks a calibration with programs of known cost.
 */
#ifndef BPROF_CALIBRATE_CHECK_H
#define BPROF_CALIBRATE_CHECK_H

#include "calibration/calibration.h"

struct event;

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
