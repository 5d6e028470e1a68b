/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the places where the values of a series change and stay changed. Reads and prints nothing.
 *
 * The method is E-divisive: D. S. Matteson and N. A. James, A Nonparametric Approach for Multiple
 * Change Point Analysis of Multivariate Data, 2014. It makes no assumption about the distribution
 * of the values, and a single outlier is no change. Like Hunter (M. Fleming et al., Hunter: Using
 * Change Point Detection to Hunt for Performance Regressions, 2023), it looks at windows of a long
 * series, and checks each change again between its neighbours.
 */
#ifndef BPROF_CHANGES_H
#define BPROF_CHANGES_H

#define CHANGES_MAX_P 0.001 /* as in Hunter: the risk of a change that is found in pure noise */
#define CHANGES_WINDOW 1000 /* the longest part of a series that is searched at once */

/* Where a series changes: at is the index of the first value after the change. */
struct change {
	int at;
	double p; /* a bound of the probability that chance makes such a change */
};

struct changes {
	struct change *v; /* ascending */
	int cnt;
};

/*
 * Finds all changes with a probability of at most max_p. The values must be finite. The same values
 * always give the same result. The caller frees out->v.
 */
void changes__find(const double *v, int cnt, double max_p, struct changes *out);
/* Finds all changes of exact values, where each difference between two neighbours is a change. */
void changes__find_exact(const double *v, int cnt, struct changes *out);

/*
 * Where E-divisive would divide values: the values from 0 to at - 1 differ most from those from at
 * to end - 1. q is the paper's scaled distance of these two parts.
 */
struct division {
	int at, end;
	double q;
};
/*
 * Each part has at least CHANGES_MIN_PART values, so cnt must be at least twice that. work has room
 * for CHANGES_WORK * cnt values.
 */
#define CHANGES_MIN_PART 2
#define CHANGES_WORK 5
struct division changes__divide(const double *v, int cnt, double enough, double *work);

#endif
