/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The errors of the means and percentiles of a target whose probe was attached for slices of time
 * (--max-overhead): the runs in a slice are not independent of one another, the slices are.
 */
#ifndef BPROF_RESULT_SLICES_H
#define BPROF_RESULT_SLICES_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/hist.h"

struct counts;
struct range;

/* How exact the statistics of an event are. */
struct slices_error {
	bool sampled; /* not all runs were seen; else the other members are not used */
	double mean; /* of all runs, as far as is known from those that were seen; NaN: not known */
	/* Its error; NaN: not known. half_width: of the interval that has the true mean in 95 % of cases */
	double stddev, half_width;
	double skew; /* how much the part of other runs than those in slices is too large, or too small */
	/* Student's t and the number of independent runs that say as much as those of the slices */
	double t, runs;
};

/* "c" has the counts of the range. */
struct slices_error slices__error(const struct range *g, const struct counts *c, __u32 slot);
/* Returns true if a value is not known: if its error is larger than a quarter of it, and than 1. */
bool slices_error__is_too_large(double value, double half_width);
/* Returns the share q of a distribution, with bounds that have the true value in 95 % of cases. */
struct hist_value slices__quantile(const struct slices_error *e, const struct hist *h, double q);

#endif
