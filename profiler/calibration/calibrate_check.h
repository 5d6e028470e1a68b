/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks a calibration with programs of known cost.
 */
#ifndef BPROF_CALIBRATE_CHECK_H
#define BPROF_CALIBRATE_CHECK_H

#include "calibration/calibration.h"

struct event;

/* Returns the programs of known cost (enum empty, bits) that check the measured biases. */
__u32 calibrate__checks(const struct calibration *c);

/* What is known about the number that an event counts for BPROF_CHECK_INSNS instructions. */
enum check_kind {
	CHECK_NONE,  /* nothing */
	CHECK_EXACT, /* it is BPROF_CHECK_INSNS */
	CHECK_NOISY, /* between 0 and BPROF_CHECK_INSNS, plus noise */
};

/* The net numbers of a function of known cost. bias and stddev are the results of calibration. */
struct check_numbers {
	double min, median; /* the cheapest run, and the median of the blocks' means */
	double bias, stddev;
};

enum check_kind calibrate__check_kind(const struct event *ev);
/* Returns by how much the net numbers are too high (or too low: negative), or 0 if they are right. */
double calibrate__error(const struct check_numbers *n, enum check_kind kind);

/* Describes the check that failed. Does not own the strings. */
struct check_failure {
	const char *what, *event;
	int cpu;
	double error;
};

/*
 * Measures the functions of known cost. Returns 1, with *why, if a bias of the calibration is wrong.
 * Otherwise returns 0, even if a function cannot be measured.
 */
int calibrate__check(struct calibration *c, struct check_failure *why);

#endif
