/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Distributions of runs over the values of an event, in log-linear buckets as in the probe (bpf/probe.h). */
#ifndef BPROF_HIST_H
#define BPROF_HIST_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/probe.h"

/* The buckets that are not empty, in ascending order. */
struct hist {
	struct hist_bucket {
		__u32 index,
			/*
			 * the first and last of the finest buckets (hist__bounds()) that this bucket covers
			 */
			last;
		__u64 count;
		/*
		 * All runs in the bucket have values from low to high. value is the value of one of
		 * these runs if the bits that the probe keeps of it are enough to know it, else the
		 * middle of the range.
		 */
		__s64 value, low, high;
	} * bucket;
	int cnt;
};

/*
 * A percentile. It is exact if low and high are equal; otherwise the true value lies from low to
 * high.
 */
struct hist_value {
	double value, low, high;
};

/*
 * Returns the size of the words in which the probe keeps a distribution, in bytes. A bucket covers 1
 * << shift of the finest buckets. shift is 0, BPROF_HIST_COARSE_SHIFT or BPROF_HIST_COARSER_SHIFT.
 */
static inline size_t hist__words_sz(int shift)
{
	return (BPROF_HIST_BUCKETS >> shift) * sizeof(__u64);
}

/*
 * Returns the maximum width of a bucket (for values from 64 on) as a share of the bucket's lowest
 * value. It is 1 / 64 for the finest buckets.
 */
static inline double hist__bucket_width(int shift)
{
	return (double)(1 << shift) / (1 << BPROF_HIST_SUB_BITS);
}

/*
 * Copies the non-empty buckets of a distribution that the probe keeps in hist__words_sz(shift) bytes, a word
 * for each bucket. *min and *max are the smallest and the largest value of all runs. This function reads them
 * after the words, because the probe may still be counting: the range from *min to *max must include all copied
 * values.
 * The caller frees *out with hist__free().
 */
void hist__copy(const __u64 *words, int shift, const __s64 *min, const __s64 *max,
		struct hist *out);
/* Copies h to *out. */
void hist__dup(const struct hist *h, struct hist *out);
/* Adds to "sum" the runs of h that are not in "before", an earlier copy of h. */
void hist__add(struct hist *sum, const struct hist *h, const struct hist *before);
void hist__free(struct hist *h); /* h is empty afterwards */

/*
 * Returns the range of values of one of the finest buckets. The first bucket also holds all values below 0. The last
 * bucket also holds all values above its range.
 */
void hist__bounds(__u32 index, __u64 *low, __u64 *high);

/*
 * Returns the value that a share q of the runs do not exceed (0.5: the median). If the value's
 * bucket has several values, returns one of these. Returns NaN if there are no runs.
 */
struct hist_value hist__quantile(const struct hist *h, double q);

#endif
