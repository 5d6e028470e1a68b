/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides whether the costs of programs have changed since the baseline of bprof top. Pure:
 * calculates verdicts from the costs of intervals.
 */
#ifndef BPROF_TOP_JUDGE_H
#define BPROF_TOP_JUDGE_H

#include <stdbool.h>

#include "compare/compare.h"

#define TOP_SERIES_MAX 120 /* the most intervals that are kept */
#define TOP_SINCE_MAX \
	60 /* at most this many intervals since the baseline are compared: the latest */

/* The last intervals in which an event of a program was measured. */
struct top_series {
	int cnt;
	double cost[TOP_SERIES_MAX]; /* logarithms of the mean cost of a run */
};

/* One event of one program. */
struct top_judged {
	/* intervals before and since the baseline; at least one of each */
	const struct top_series *before, *since;
	/*
	 * the row is that of a whole program that was not replaced: the machine probably caused its
	 * change
	 */
	bool untouched;
	/* The results. */
	enum verdict verdict; /* worse, better, same, inconclusive */
	/* the change of the mean: absolute, and as a share of the mean before */
	double change, share;
	/* Only for top_judge.c. shift: the change of the logarithm. */
	double shift, error;
	int df; /* degrees of freedom of the error */
	/* ready: enough intervals; steady: each third since the baseline shows the change */
	bool ready, steady;
};

/*
 * Judges the same event of all programs. Sets *machine to the change, as a share, that most
 * untouched programs have in common: the machine caused it. 0: there is no such change, or there
 * are too few programs to say so.
 */
void top_judge__changes(struct top_judged *row, int cnt, double *machine);

#endif
