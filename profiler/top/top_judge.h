/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether what programs cost has changed since the baseline of bprof top. Pure: from the costs of
 * intervals to verdicts.
 */
#ifndef BPROF_TOP_JUDGE_H
#define BPROF_TOP_JUDGE_H

#include <stdbool.h>

#include "compare/compare.h"

#define TOP_SERIES_MAX 120 /* the most intervals that are kept */
#define TOP_SINCE_MAX \
	60 /* the most intervals since the baseline that are compared: the last ones */

/* The last intervals in which an event of a program was measured. */
struct top_series {
	int cnt;
	double cost[TOP_SERIES_MAX]; /* logarithms of the mean cost of a run */
};

/* One event of one program. */
struct top_judged {
	const struct top_series *before, *since; /* the baseline; at least one interval each */
	bool untouched; /* a whole program, the same one as before: says what the machine did */
	/* The results. */
	enum verdict verdict; /* worse, better, same, inconclusive */
	double change, share; /* the change of the mean, and as a share of the mean before */
	/* For top_judge.c. shift: the change of the logarithm. */
	double shift, error;
	int df;		    /* degrees of freedom of the error */
	bool ready, steady; /* there are enough intervals; all thirds of those since show it */
};

/*
 * Judges the same event of all programs. Sets *machine to the change that most untouched programs
 * have in common, which is the machine's, as a share; 0: there is none, or too few programs to tell.
 */
void top_judge__changes(struct top_judged *row, int cnt, double *machine);

#endif
