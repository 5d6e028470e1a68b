/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of two samples: whether they differ, by how much, and with what confidence. Pure;
 * results are NaN only if the input is, or where stated.
 */
#ifndef BPROF_STATS_H
#define BPROF_STATS_H

#include <linux/types.h>

/* For qsort(): ascending. */
int compare_doubles(const void *a, const void *b);

/* The confidence level of an interval. */
#define STATS_LEVEL 0.95

/*
 * Mann and Whitney's test, two-sided, like R's wilcox.test(x, y) with its defaults: exact if both
 * samples have fewer than 50 values and no two values are equal, otherwise the normal approximation
 * with corrections for ties and continuity. If all values are equal, p is 1.
 */
struct mann_whitney {
	double w; /* number of pairs in which x is larger; R's W */
	double p;
};
/* Returns 0, -EINVAL (a sample is empty) or -ENOMEM. */
int stats__mann_whitney(const double *x, int x_cnt, const double *y, int y_cnt,
			struct mann_whitney *out);

/*
 * How much larger y is than x. estimate: the median of all differences y - x (Hodges and Lehmann);
 * low, high: Moses' interval, which belongs to Mann and Whitney's test (Hollander and Wolfe,
 * Nonparametric Statistical Methods, 4.2 and 4.3). It contains the true shift with a probability of
 * at least STATS_LEVEL, with ties too. Both are NaN if the samples are too small for any such
 * interval (for example 3 and 3). R's wilcox.test(y, x, conf.int = TRUE) gives the same for fewer
 * than 50 values without ties.
 */
struct stats_interval {
	double estimate, low, high;
};
/* Returns 0, -EINVAL (a sample is empty) or -ENOMEM. */
int stats__shift(const double *x, int x_cnt, const double *y, int y_cnt,
		 struct stats_interval *out);
/* The ratio of y to x: the shift of the logarithms. -EDOM: a value is not above 0. */
int stats__ratio(const double *x, int x_cnt, const double *y, int y_cnt,
		 struct stats_interval *out);

/*
 * Applies Holm's correction, R's p.adjust(p, "holm"), to all p: if each p[i] that is then below
 * alpha is called significant, the probability of any false positive is at most alpha. Returns 0 or
 * -ENOMEM.
 */
int stats__holm(double *p, int cnt);

/*
 * Returns the sampling error (standard deviation) of a total estimated from cnt samples of equal
 * weight: that of a Poisson distribution, sqrt(cnt) samples. NaN for cnt 0.
 */
double stats__sampled_stddev(double total, __u64 cnt);

/* Returns 0, -EINVAL (no value) or -ENOMEM. */
int stats__median(const double *v, int cnt, double *out);

#endif
