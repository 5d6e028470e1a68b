/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The running mean and variance of a series of numbers, by Welford's method: it does not store the
 * numbers, and does not lose precision in large sums.
 */
#ifndef BPROF_SPREAD_H
#define BPROF_SPREAD_H

/* Begin with a struct whose members are all 0. */
struct spread {
	int cnt;
	double mean, squares; /* squares: the sum of the squared distances from the mean */
};

void spread__add(struct spread *s, double v);
/* Adds v unless it is NaN. */
void spread__add_known(struct spread *s, double v);
/* Returns the mean, or NaN if there are no numbers. */
double spread__mean(const struct spread *s);
/*
 * Returns the standard deviation of the mean, like stddev_stats() in perf's util/stat.c, or NaN if
 * there are less than two numbers.
 */
double spread__stddev(const struct spread *s);

#endif
