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
	} * bucket;
	int cnt;
};

/* Copies what is not 0 of BPROF_HIST_BUCKETS counts. 0 or -ENOMEM; the caller frees it. */
int hist__copy(const __u64 *counts, struct hist *out);
/* The same of another one. */
int hist__dup(const struct hist *h, struct hist *out);
/* Adds h to BPROF_HIST_BUCKETS counts, or takes it off with sign -1. */
void hist__add(const struct hist *h, __u64 *counts, int sign);
void hist__free(struct hist *h); /* leaves it empty */

/* The values that fall into a bucket; the first also holds all below 0, the last all above it. */
void hist__bounds(__u32 index, __u64 *low, __u64 *high);

/*
 * The value that the share q (0.5: the median) of the runs do not exceed: the middle of its bucket,
 * but never outside [min, max]. NaN without runs.
 */
double hist__quantile(const __u64 *counts, double q, double min, double max);

#endif
