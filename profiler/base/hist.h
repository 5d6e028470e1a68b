/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Distributions as the probe keeps them (bpf/probe.h): log-linear buckets. Pure.
 */
#ifndef BPROF_HIST_H
#define BPROF_HIST_H

#include <linux/types.h>

/* The buckets that are not empty, in ascending order. */
struct hist {
	struct hist_bucket {
		__u32 index;
		__u64 count;
		/* value: that of one of its runs; all of them are from low to high. */
		__s64 value, low, high;
	} * bucket;
	int cnt;
};

/* A percentile: exact if low and high are equal, otherwise somewhere from low to high. */
struct hist_value {
	double value, low, high;
};

/*
 * Copies the buckets that are not empty from the probe's BPROF_HIST_BUCKETS words. min, max: over
 * all the runs in them; they are read last, because the probe may be counting. Returns 0 or
 * -ENOMEM. The caller frees *out with hist__free().
 */
int hist__copy(const __u64 *words, const __s64 *min, const __s64 *max, struct hist *out);
/* Copies h to *out. Returns 0 or -ENOMEM. */
int hist__dup(const struct hist *h, struct hist *out);
/*
 * Adds the runs of h that are not in before, an earlier copy of it, to sum. Returns 0 or -ENOMEM.
 */
int hist__add(struct hist *sum, const struct hist *h, const struct hist *before);
void hist__free(struct hist *h); /* leaves it empty */

/*
 * Returns the range of values in a bucket. The first bucket also holds all values below 0, the last
 * one all above it.
 */
void hist__bounds(__u32 index, __u64 *low, __u64 *high);

/*
 * Returns the value that the share q of the runs do not exceed (0.5: the median). If its bucket
 * holds several values it is one of them. NaN without runs.
 */
struct hist_value hist__quantile(const struct hist *h, double q);

#endif
