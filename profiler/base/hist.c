// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Distributions. Owns the conversion from buckets to values; knows nothing of events and targets.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "base/memory.h"
#include "bpf/probe.h"

#define SUB_CNT (1U << BPROF_HIST_SUB_BITS)

/* Narrows the range of a bucket to the minimum and maximum of all runs. */
static void limit_values(struct hist_bucket *b, __s64 min, __s64 max)
{
	/* the last bucket has no upper bound of its own */
	bool last = b->last == BPROF_HIST_BUCKETS - 1;

	if (b->low < min && (min <= b->high || last))
		b->low = min;
	if (b->low <= max && (max < b->high || last))
		b->high = max;
	if (b->value < b->low || b->value > b->high)
		b->value = b->low + (b->high - b->low) / 2;
}

static struct hist_bucket read_bucket(__u32 index, int shift, __u64 word, __s64 min, __s64 max)
{
	const __u64 kept = 1ULL << BPROF_HIST_VALUE_BITS;
	struct hist_bucket b = {.index = index << shift,
				.last = ((index + 1) << shift) - 1,
				.count = word & (BPROF_HIST_MIXED - 1)};
	__u64 low, high, first = word >> BPROF_HIST_VALUE_SHIFT;
	/* the word has the low bits of one value; true: they are enough to restore the value */
	bool complete;

	hist__bounds(b.last, &low, &high);
	b.high = high;
	hist__bounds(b.index, &low, &(__u64){0});
	b.low = low;
	if (!index) { /* the first bucket also holds all values below 0 */
		complete = min > (__s64)high - (__s64)kept;
		b.low = min < 0 ? min : 0;
		b.value = first <= high ? (__s64)first : (__s64)(first - kept);
	} else {
		complete = high - low < kept && b.last < BPROF_HIST_BUCKETS - 1;
		b.value = low + ((first - low) & (kept - 1));
	}
	if (!complete)
		b.value = b.low + (b.high - b.low) / 2;
	else if (!(word & BPROF_HIST_MIXED))
		b.low = b.high = b.value;
	if (b.low < b.high)
		limit_values(&b, min, max);
	return b;
}

void hist__copy(const __u64 *words, int shift, const __s64 *min, const __s64 *max, struct hist *out)
{
	const int all = BPROF_HIST_BUCKETS >> shift;
	__u64 copy[BPROF_HIST_BUCKETS];
	int cnt = 0;

	memset(out, 0, sizeof(*out));
	memcpy(copy, words, hist__words_sz(shift));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int i = 0; i < all; i++)
		cnt += copy[i] != 0;
	if (!cnt)
		return;
	out->bucket = xcalloc(cnt, sizeof(*out->bucket));
	for (int i = 0; i < all; i++)
		if (copy[i])
			out->bucket[out->cnt++] = read_bucket(i, shift, copy[i], *min, *max);
}

void hist__dup(const struct hist *h, struct hist *out)
{
	memset(out, 0, sizeof(*out));
	if (!h->cnt)
		return;
	out->bucket = xmalloc(h->cnt * sizeof(*out->bucket));
	memcpy(out->bucket, h->bucket, h->cnt * sizeof(*out->bucket));
	out->cnt = h->cnt;
}

static struct hist_bucket merge_buckets(const struct hist_bucket *a, const struct hist_bucket *b)
{
	struct hist_bucket both = a->count >= b->count ? *a : *b;

	both.count = a->count + b->count;
	both.low = a->low < b->low ? a->low : b->low;
	both.high = a->high > b->high ? a->high : b->high;
	return both;
}

/*
 * Returns the number of runs that were added to a bucket since "before", an earlier copy of the
 * distribution. *i: where to begin the search in "before"; call with ascending buckets.
 */
static __u64 count_new(const struct hist_bucket *b, const struct hist *before, int *i)
{
	while (*i < before->cnt && before->bucket[*i].index < b->index)
		++*i;
	return b->count - (*i < before->cnt && before->bucket[*i].index == b->index
				   ? before->bucket[*i].count
				   : 0);
}

void hist__add(struct hist *sum, const struct hist *h, const struct hist *before)
{
	struct hist_bucket *v = xcalloc(sum->cnt + h->cnt + 1, sizeof(*v));
	int cnt = 0, s = 0, old = 0;

	for (int i = 0; i < h->cnt; i++) {
		struct hist_bucket more = h->bucket[i];

		more.count = count_new(&h->bucket[i], before, &old);
		if (!more.count)
			continue;
		while (s < sum->cnt && sum->bucket[s].index < more.index)
			v[cnt++] = sum->bucket[s++];
		if (s < sum->cnt && sum->bucket[s].index == more.index)
			more = merge_buckets(&sum->bucket[s++], &more);
		v[cnt++] = more;
	}
	while (s < sum->cnt)
		v[cnt++] = sum->bucket[s++];
	free(sum->bucket);
	*sum = (struct hist){v, cnt};
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

struct hist_value hist__quantile(const struct hist *h, double q)
{
	const struct hist_bucket *b = h->bucket;
	__u64 total = 0, seen = 0;

	for (int i = 0; i < h->cnt; i++)
		total += h->bucket[i].count;
	if (!total)
		return (struct hist_value){NAN, NAN, NAN};
	for (int i = 0; i < h->cnt; i++) {
		b = &h->bucket[i];
		seen += b->count;
		if (seen >= q * total)
			break;
	}
	return (struct hist_value){b->value, b->low, b->high};
}
