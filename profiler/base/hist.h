/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Distributions as the probe keeps them (bpf/probe.h): log-linear buckets. Pure.
 */
#ifndef BPROF_HIST_H
#define BPROF_HIST_H

#include <linux/types.h>

/* The buckets that are not empty, ascending. */
struct hist {
	struct hist_bucket {
		__u32 index;
		__u64 count;
		/* One of its runs had this value, and all of them a value from low to high. */
		__s64 value, low, high;
	} * bucket;
	int cnt;
};

/* A percentile: exact where low and high are the same, else known to be from low to high. */
struct hist_value {
	double value, low, high;
};

/*
 * Copies what is not empty of the probe's BPROF_HIST_BUCKETS words. min, max: of all the runs in
 * them; they are read last, for the probe may be counting. 0 or -ENOMEM; the caller frees it.
 */
int hist__copy(const __u64 *words, const __s64 *min, const __s64 *max, struct hist *out);
/* The same of another one. */
int hist__dup(const struct hist *h, struct hist *out);
/* Adds the runs that are in h, but not in before, an earlier copy of the same. 0 or -ENOMEM. */
int hist__add(struct hist *sum, const struct hist *h, const struct hist *before);
void hist__free(struct hist *h); /* leaves it empty */

/* The values that fall into a bucket; the first also holds all below 0, the last all above it. */
void hist__bounds(__u32 index, __u64 *low, __u64 *high);

/*
 * The value that the share q (0.5: the median) of the runs do not exceed. Where its bucket holds
 * several values it is one of them. NaN without runs.
 */
struct hist_value hist__quantile(const struct hist *h, double q);

#endif
