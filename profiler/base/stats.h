/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of two samples (here, as in statistics, a sample is a set of values): whether the samples
 * differ, by how much, and with what confidence. A sample has at least one value. Results are NaN only
 * if the input contains NaN, or where a comment below says so.
 */
#ifndef BPROF_STATS_H
#define BPROF_STATS_H

#include <linux/types.h>

/* Compares two doubles for qsort() in ascending order. */
int compare_doubles(const void *a, const void *b);

/* The confidence level of an interval. */
#define STATS_LEVEL 0.95

/*
 * The two-sided Mann-Whitney U test, like R's wilcox.test(x, y) with its defaults: it is exact if
 * both samples have fewer than 50 values and no two values are equal. Otherwise it uses the normal
 * approximation with corrections for ties and continuity. If all values are equal, p is 1.
 */
struct mann_whitney {
	double w; /* number of pairs in which x is larger than y; R's W */
	double p;
};
void stats__mann_whitney(const double *x, int x_cnt, const double *y, int y_cnt,
			 struct mann_whitney *out);

/*
 * The shift from x to y. estimate: the median of all differences y - x (the Hodges-Lehmann
 * estimator). low, high: the confidence interval of the Mann-Whitney test (Moses; see Hollander and
 * Wolfe, Nonparametric Statistical Methods, 4.2 and 4.3). The interval contains the true shift with
 * a probability of at least STATS_LEVEL, even if there are ties. low and high are NaN if x and y
 * have too few values for such an interval (for example, three each). R's wilcox.test(y, x,
 * conf.int = TRUE) gives the same result for fewer than 50 values without ties.
 */
struct stats_interval {
	double estimate, low, high;
};
void stats__shift(const double *x, int x_cnt, const double *y, int y_cnt,
		  struct stats_interval *out);
/*
 * Computes the ratio of y to x from the shift of the logarithms. Returns 0, or -EDOM if a value is not
 * above 0.
 */
int stats__ratio(const double *x, int x_cnt, const double *y, int y_cnt,
		 struct stats_interval *out);

/*
 * Student's two-sided t-test of two samples with the same variance, like R's t.test(x, y, var.equal = TRUE):
 * the difference of the means, mean(y) - mean(x), with its confidence interval, and p. One of the samples may
 * have only one value. If "more" is not NULL, the estimate of the variance also uses the samples that
 * stats_variance__add() added to it. If no sample has two values, p and the ends of the interval are NaN.
 */
struct students_t {
	struct stats_interval shift;
	double p;
};
struct stats_variance {
	double squares; /* the sum of the squared differences from the mean of each sample */
	int df;		/* degrees of freedom: the number of values minus the number of samples */
};
/* Adds a sample, which has at least one value. */
void stats_variance__add(struct stats_variance *var, const double *v, int cnt);
void stats__students_t(const double *x, int x_cnt, const double *y, int y_cnt,
		       const struct stats_variance *more, struct students_t *out);

/* From this number of degrees of freedom on, Student's t is nearly normal. */
#define STATS_MAX_DF 200

/*
 * Returns the value that the absolute value of Student's t exceeds with probability 1 -
 * STATS_LEVEL. df: degrees of freedom, at least 1.
 */
double stats__student_quantile(int df);
/* Returns the probability that the absolute value of Student's t, with df at least 1, exceeds t. */
double stats__student_p(double t, int df);

/*
 * Replaces all p[i] by their values after Holm's correction for multiple comparisons, like R's
 * p.adjust(p, "holm"). If all corrected values below alpha count as significant, the probability of
 * any false positive is at most alpha.
 */
void stats__holm(double *p, int cnt);

/*
 * Returns the sampling error (standard deviation) of a total that was estimated from cnt samples of
 * equal weight. The number of samples has a Poisson distribution with a standard deviation of
 * sqrt(cnt). Returns NaN if cnt is 0.
 */
double stats__sampled_stddev(double total, __u64 cnt);

/* These functions return NaN if there is no value. */
double stats__mean(const double *v, int cnt);
double stats__median(const double *v, int cnt);

#endif
