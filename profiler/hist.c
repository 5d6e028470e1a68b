// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Distributions. Owns the way from buckets back to values; knows nothing of events and targets.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"
#include "probe.h"

#define SUB_CNT (1U << BPROF_HIST_SUB_BITS)

int hist__copy(const __u64 *counts, struct hist *out)
{
	int cnt = 0;

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < BPROF_HIST_BUCKETS; i++)
		cnt += counts[i] != 0;
	if (!cnt)
		return 0;
	out->bucket = calloc(cnt, sizeof(*out->bucket));
	if (!out->bucket)
		return -ENOMEM;
	/* The probe may be writing: what has come since the first look waits for the next. */
	for (int i = 0; i < BPROF_HIST_BUCKETS && out->cnt < cnt; i++)
		if (counts[i])
			out->bucket[out->cnt++] = (struct hist_bucket){i, counts[i]};
	return 0;
}

int hist__dup(const struct hist *h, struct hist *out)
{
	memset(out, 0, sizeof(*out));
	if (!h->cnt)
		return 0;
	out->bucket = malloc(h->cnt * sizeof(*out->bucket));
	if (!out->bucket)
		return -ENOMEM;
	memcpy(out->bucket, h->bucket, h->cnt * sizeof(*out->bucket));
	out->cnt = h->cnt;
	return 0;
}

void hist__add(const struct hist *h, __u64 *counts, int sign)
{
	for (int i = 0; i < h->cnt; i++)
		counts[h->bucket[i].index] += sign * h->bucket[i].count;
}

void hist__free(struct hist *h)
{
	free(h->bucket);
	memset(h, 0, sizeof(*h));
}

void hist__bounds(__u32 index, __u64 *low, __u64 *high)
{
	__u32 exp = index < 2 * SUB_CNT ? 0 : (index >> BPROF_HIST_SUB_BITS) - 1;
	__u64 v = index - exp * SUB_CNT;

	*low = v << exp;
	*high = ((v + 1) << exp) - 1;
}

double hist__quantile(const __u64 *counts, double q, double min, double max)
{
	__u64 total = 0, seen = 0, low, high;
	double value;
	int i;

	for (i = 0; i < BPROF_HIST_BUCKETS; i++)
		total += counts[i];
	if (!total)
		return NAN;
	for (i = 0; i < BPROF_HIST_BUCKETS - 1; i++) {
		seen += counts[i];
		if (seen >= q * total)
			break;
	}
	hist__bounds(i, &low, &high);
	value = (low + high) / 2.0;
	return fmax(min, fmin(max, value));
}
