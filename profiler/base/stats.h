/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of two samples: are they different, by how much, and how sure is that. Pure; no number
 * here is NaN unless the caller gave one, or that is said.
 */
#ifndef BPROF_STATS_H
#define BPROF_STATS_H

#include <linux/types.h>

/* How sure an interval is. */
#define STATS_LEVEL 0.95

/*
 * Mann and Whitney's test, two-sided, as R's wilcox.test(x, y) with its defaults: from the exact
 * distribution where both have fewer than 50 values and no two are the same, else from the normal
 * approximation with corrections for ties and continuity. What is all the same has p 1.
 */
struct mann_whitney {
	double w; /* pairs in which x is the larger one; R's W */
	double p;
};
/* 0, -EINVAL (a sample is empty) or -ENOMEM. */
int stats__mann_whitney(const double *x, int x_cnt, const double *y, int y_cnt,
			struct mann_whitney *out);

/*
 * How much larger y is than x. estimate: the median of all differences y - x (Hodges and Lehmann);
 * low, high: Moses' interval, the one that belongs to Mann and Whitney's test (Hollander and Wolfe,
 * Nonparametric Statistical Methods, 4.2 and 4.3): it holds the true shift with STATS_LEVEL at
 * least, also where there are ties. Both NaN where the samples are too small for any such interval
 * (3 and 3, say). R's wilcox.test(y, x, conf.int = TRUE) gives the same for fewer than 50 values
 * without ties.
 */
struct stats_interval {
	double estimate, low, high;
};
/* 0, -EINVAL (a sample is empty) or -ENOMEM. */
int stats__shift(const double *x, int x_cnt, const double *y, int y_cnt,
		 struct stats_interval *out);
/* How many times as large y is as x: the shift of the logarithms. -EDOM: not all are above 0. */
int stats__ratio(const double *x, int x_cnt, const double *y, int y_cnt,
		 struct stats_interval *out);

/*
 * Holm's correction, R's p.adjust(p, "holm"): with each p[i] called significant that is below alpha
 * afterwards, there is no wrong one among them with probability 1 - alpha. 0 or -ENOMEM.
 */
int stats__holm(double *p, int cnt);

/*
 * The standard deviation, by chance, of a total of which cnt samples were taken, each standing for as
 * much: that of a Poisson distribution, sqrt(cnt), of those. NaN where there was no sample.
 */
double stats__sampled_stddev(double total, __u64 cnt);

/* 0, -EINVAL (no value) or -ENOMEM. */
int stats__median(const double *v, int cnt, double *out);

#endif
