/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the places where the values of a series change and stay changed. Reads and prints nothing.
 *
 * The method is E-divisive: D. S. Matteson and N. A. James, A Nonparametric Approach for Multiple
 * Change Point Analysis of Multivariate Data, 2014. It makes no assumption about the distribution
 * of the values, and a single outlier is no change. Like Hunter (M. Fleming et al., Hunter: Using
 * Change Point Detection to Hunt for Performance Regressions, 2023), this code divides a long
 * series into windows, and checks each change again between its neighbours.
 */
#ifndef BPROF_CHANGES_H
#define BPROF_CHANGES_H

#define CHANGES_MAX_P 0.001 /* as in Hunter: the probability of a change in pure noise */
#define CHANGES_WINDOW 1000 /* the longest part of a series that is searched at once */

/* A change in a series. at is the index of the first value after the change. */
struct change {
	int at;
	double p; /* an upper bound of the probability that chance causes such a change */
};

struct changes {
	struct change *v; /* in ascending order of "at" */
	int cnt;
};

/*
 * Finds all changes with a probability of at most max_p. The values must be finite. The same values
 * always give the same result. The caller frees out->v.
 */
void changes__find(const double *v, int cnt, double max_p, struct changes *out);
/* Finds all changes of exact values: each difference between two neighbours is a change. */
void changes__find_exact(const double *v, int cnt, struct changes *out);

/*
 * The place at which E-divisive would divide values: of all choices of "at" and "end", the values
 * from 0 to at - 1 and the values from at to end - 1 differ most. q is the scaled distance of these
 * two parts, as in the paper.
 */
struct division {
	int at, end;
	double q;
};
/*
 * Each part has at least CHANGES_MIN_PART values, so cnt must be at least 2 * CHANGES_MIN_PART.
 * work has room for CHANGES_WORK * cnt values.
 */
#define CHANGES_MIN_PART 2
#define CHANGES_WORK 5
struct division changes__divide(const double *v, int cnt, double enough, double *work);

#endif
