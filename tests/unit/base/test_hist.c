// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how a distribution is computed from the counts in the probe's buckets, for several CPUs and
 * for intervals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "base/hist.h"
#include "bpf/probe.h"

struct words {
	__u64 word[BPROF_HIST_BUCKETS];
	int shift; /* makes buckets coarser: hist__words_sz() */
	__s64 min, max;
};

/* Returns the number of a value's bucket, as bpf/probe.h describes it. */
static int bucket_of(__s64 value)
{
	int exp = 0;

	if (value < 0)
		return 0;
	if (value >> BPROF_HIST_MAX_BITS)
		return BPROF_HIST_BUCKETS - 1;
	while (value >> exp >> (BPROF_HIST_SUB_BITS + 1))
		exp++;
	return (exp << BPROF_HIST_SUB_BITS) + (value >> exp);
}

/* Adds cnt runs with this value, as the probe does. */
static void add(struct words *w, __s64 value, __u64 cnt)
{
	__u64 *word = &w->word[bucket_of(value) >> w->shift],
	      kept = (__u64)value << BPROF_HIST_VALUE_SHIFT;

	if ((*word ^ kept) >> BPROF_HIST_VALUE_SHIFT)
		*word = *word ? *word | BPROF_HIST_MIXED : kept;
	*word += cnt;
	w->min = value < w->min ? value : w->min;
	w->max = value > w->max ? value : w->max;
}

static struct words *new_words(void)
{
	struct words *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->min = INT64_MAX;
	w->max = INT64_MIN;
	return w;
}

static struct hist copy(const struct words *w)
{
	struct hist h;

	hist__copy(w->word, w->shift, &w->min, &w->max, &h);
	return h;
}

static void assert_value(const struct hist *h, double q, double value, double low, double high)
{
	struct hist_value v = hist__quantile(h, q);

	if (v.value != value || v.low != low || v.high != high)
		fail_msg("%g: %.1f of %.1f to %.1f is not %.1f of %.1f to %.1f", q, v.value, v.low,
			 v.high, value, low, high);
}

static void assert_exact(const struct hist *h, double q, double value)
{
	assert_value(h, q, value, value, value);
}

/* All runs but one are equal. Therefore all percentiles but the last one are equal. */
static void test_outlier(void **state)
{
	struct words *w = new_words();
	struct hist h;

	add(w, 672, 1999);
	add(w, 4089, 1);
	h = copy(w);
	assert_exact(&h, 0, 672);
	assert_exact(&h, .5, 672);
	assert_exact(&h, .99, 672);
	assert_exact(&h, .999, 672);
	assert_exact(&h, 1, 4089);
	hist__free(&h);
	free(w);
}

/*
 * If a bucket has several different values, a percentile in it is one of these values, with a lower
 * and an upper bound.
 */
static void test_mixed_bucket(void **state)
{
	struct words *w = new_words();
	struct hist h;

	add(w, 2625, 10);
	add(w, 2630, 1);
	add(w, 2625, 10);
	h = copy(w);
	/* the bounds of this bucket are 2624 and 2655 */
	assert_value(&h, .5, 2625, 2625, 2630);
	hist__free(&h);
	/* a percentile may also be the bucket's last value */
	memset(w->word, 0, sizeof(w->word));
	w->max = INT64_MIN;
	add(w, 2655, 1);
	add(w, 2625, 1);
	h = copy(w);
	assert_value(&h, .5, 2655, 2625, 2655);
	hist__free(&h);
	memset(w->word, 0, sizeof(w->word));
	add(w, 2625, 21);
	add(w, 2630, 1);
	add(w, 100, 1);
	add(w, 9999, 1);
	h = copy(w);
	assert_value(&h, .5, 2625, 2624, 2655);
	assert_exact(&h, 0, 100);
	hist__free(&h);
	free(w);
}

/*
 * The probe keeps the low bits of a bucket's first value. As long as a bucket is not wider than the
 * range of these bits, a value at either end of the bucket is exact.
 */
static void test_all_values(void **state)
{
	const __s64 values[] = {1,     2,     127,	 128,		129,	   130,
				255,   256,   (1 << 20), (1 << 20) + 1, (1 << 25), (1 << 26) - 1,
				65535, 65537, 524287,	 524288 + 3,	33554431};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct words *w = new_words();
		struct hist h;

		add(w, 0, 1);
		add(w, values[i], 5);
		add(w, 1LL << 50, 1);
		h = copy(w);
		assert_exact(&h, .5, values[i]);
		hist__free(&h);
		free(w);
	}
}

/* In a bucket that is wider than the range of the kept low bits, no value is exact. */
static void test_wide_bucket(void **state)
{
	const __s64 low = 3LL << 30, width = 1LL << 25;
	const __s64 last = (1LL << BPROF_HIST_MAX_BITS) -
			   (1LL << (BPROF_HIST_MAX_BITS - 1 - BPROF_HIST_SUB_BITS));
	struct words *w = new_words();
	struct hist h;

	add(w, 0, 1);
	add(w, low, 2);
	add(w, low + (1 << 20), 2); /* has the same low bits as "low" */
	add(w, 1LL << 40, 1);
	h = copy(w);
	assert_value(&h, .5, low + (width - 1) / 2, low, low + width - 1);
	/* the last bucket has no upper limit: the bound is the maximum */
	assert_value(&h, 1, hist__quantile(&h, 1).value, last, 1LL << 40);
	hist__free(&h);
	free(w);
	/* with two values, the percentile is in the middle between the minimum and the maximum */
	w = new_words();
	add(w, low + 6, 1);
	add(w, low + 12, 1);
	h = copy(w);
	assert_value(&h, .5, low + 9, low + 6, low + 12);
	hist__free(&h);
	free(w);
}

/* The first bucket has all values that are 0 or negative. */
static void test_negative(void **state)
{
	struct words *w = new_words();
	struct hist h;

	add(w, -5, 3);
	h = copy(w);
	assert_exact(&h, .5, -5);
	hist__free(&h);
	add(w, 0, 1);
	h = copy(w);
	assert_value(&h, .5, -5, -5, 0);
	hist__free(&h);
	free(w);

	w = new_words();
	add(w, 0, 3);
	h = copy(w);
	assert_exact(&h, .5, 0);
	hist__free(&h);
	/* this value is so far below 0 that its low bits are those of 0 */
	add(w, -(1LL << BPROF_HIST_VALUE_BITS), 1);
	h = copy(w);
	assert_value(&h, 0, hist__quantile(&h, 0).value, -(1LL << BPROF_HIST_VALUE_BITS), 0);
	hist__free(&h);
	free(w);
}

/* A bucket may have one value on each of two CPUs, but two values in their sum. */
static void test_two_cpus(void **state)
{
	struct words *a = new_words(), *b = new_words();
	struct hist first, second, sum = {};
	const struct hist none = {};

	add(a, 672, 10);
	add(a, 5, 1);
	add(b, 675, 30);
	add(b, 1000, 1);
	first = copy(a);
	second = copy(b);
	hist__add(&sum, &first, &none);
	assert_exact(&sum, .5, 672);
	hist__add(&sum, &second, &none);
	assert_int_equal(sum.cnt, 3);
	assert_value(&sum, .5, 675, 672, 675);
	assert_exact(&sum, 0, 5);
	assert_exact(&sum, 1, 1000);
	hist__free(&sum);
	/*
	 * of two values that are equally frequent, the one that was added first is the percentile
	 */
	hist__free(&second);
	memset(b->word, 0, sizeof(b->word));
	add(b, 675, 10);
	second = copy(b);
	hist__add(&sum, &first, &none);
	hist__add(&sum, &second, &none);
	assert_value(&sum, .5, 672, 672, 675);
	hist__free(&first);
	hist__free(&second);
	hist__free(&sum);
	free(a);
	free(b);
}

/*
 * An interval has the runs since the earlier copy. If a bucket has several values, it is unknown
 * which of these values were measured in the interval.
 */
static void test_interval(void **state)
{
	struct words *w = new_words();
	struct hist before, now, sum = {};

	add(w, 672, 10);
	add(w, 90000, 1);
	add(w, 3000, 5);
	before = copy(w);
	add(w, 672, 10);
	add(w, 3005, 1);
	now = copy(w);
	hist__add(&sum, &now, &before);
	assert_int_equal(sum.cnt, 2); /* the outlier is not in this interval */
	assert_int_equal(sum.bucket[0].count, 10);
	assert_exact(&sum, .5, 672);
	assert_value(&sum, 1, 3000, 2976, 3007);
	hist__free(&before);
	hist__free(&now);
	hist__free(&sum);
	free(w);
}

static void test_nothing(void **state)
{
	struct hist h = {}, sum = {};

	assert_true(isnan(hist__quantile(&h, .5).value));
	hist__add(&sum, &h, &h);
	assert_int_equal(sum.cnt, 0);
	hist__free(&sum);
}

/* Each bucket has a run. */
static void test_full(void **state)
{
	struct words *w = new_words();
	struct hist h = copy(w);

	assert_int_equal(h.cnt, 0);
	assert_null(h.bucket);
	w->min = 0;
	w->max = 1LL << 40;
	for (int i = 0; i < BPROF_HIST_BUCKETS; i++)
		w->word[i] = 1;
	h = copy(w);
	assert_int_equal(h.cnt, BPROF_HIST_BUCKETS);
	hist__free(&h);
	free(w);
}

/* The median of an even number of runs is the lower one of the two in the middle. */
static void test_median_of_two(void **state)
{
	struct words *w = new_words();
	struct hist h;

	add(w, 10, 1);
	add(w, 20, 1);
	h = copy(w);
	assert_value(&h, 0.5, 10, 10, 10);
	assert_value(&h, 0.51, 20, 20, 20);
	hist__free(&h);
	free(w);
}

/* A copy is independent of its original, also if there is nothing to copy. */
static void test_dup(void **state)
{
	struct words *w = new_words();
	struct hist h, dup = {.cnt = 7}, none = {};

	hist__dup(&none, &dup);
	assert_int_equal(dup.cnt, 0);
	assert_null(dup.bucket);
	add(w, 5, 1);
	add(w, 672, 9);
	add(w, 675, 1);
	h = copy(w);
	hist__dup(&h, &dup);
	h.bucket[0].count = 100;
	hist__free(&h);
	assert_int_equal(h.cnt, 0);
	assert_int_equal(dup.cnt, 2);
	assert_exact(&dup, .05, 5);
	assert_value(&dup, .5, 672, 672, 675);
	hist__free(&dup);
	free(w);
}

/* The ranges of the buckets have no gap and do not overlap, and each bucket has its bounds. */
static void test_bounds(void **state)
{
	__u64 low, high, next = 0;

	for (int i = 0; i < BPROF_HIST_BUCKETS; i++, next = high + 1) {
		hist__bounds(i, &low, &high);
		assert_int_equal(low, next);
		assert_int_equal(bucket_of(low), i);
		assert_int_equal(bucket_of(high), i);
	}
	assert_int_equal(next, 1LL << BPROF_HIST_MAX_BITS);
}

/* Values in the first bucket, at both ends of a bucket, in a wide one, and in the last one. */
static const __s64 some_values[] = {
	-7,
	0,
	1,
	64,
	66,
	127,
	128,
	129,
	2624,
	2655,
	1 << 25,
	(1 << 26) - 1,
	3LL << 30,
	(3LL << 30) + 5,
	(3LL << 30) + (1LL << 25) - 1,
	(1LL << BPROF_HIST_MAX_BITS) - 1,
	1LL << BPROF_HIST_MAX_BITS,
	1LL << 39,
};

/*
 * Adds three runs with each of two values, a <= b. The range of a percentile includes the true
 * value, and extends neither below a nor above b.
 */
static void check_pair(__s64 a, __s64 b, int shift)
{
	struct words *w = new_words();
	struct hist_value lowest, highest;
	struct hist h;

	w->shift = shift;
	add(w, a, 3);
	add(w, b, 3);
	h = copy(w);
	assert_int_equal(h.cnt, bucket_of(a) >> shift == bucket_of(b) >> shift ? 1 : 2);
	lowest = hist__quantile(&h, .5);
	highest = hist__quantile(&h, .51);
	assert_true(lowest.low == a && lowest.low <= lowest.value);
	assert_true(lowest.value <= lowest.high && highest.low <= highest.value);
	assert_true(highest.value <= highest.high && highest.high == b);
	assert_true(lowest.high >= a && highest.low <= b);
	hist__free(&h);
	free(w);
}

static const int shifts[] = {0, BPROF_HIST_COARSE_SHIFT, BPROF_HIST_COARSER_SHIFT};

static void test_pairs(void **state)
{
	const int cnt = sizeof(some_values) / sizeof(some_values[0]);

	for (int s = 0; s < 3; s++)
		for (int i = 0; i < cnt; i++)
			for (int j = i; j < cnt; j++)
				check_pair(some_values[i], some_values[j], shifts[s]);
}

/* Coarse buckets are at most as wide as bpf/probe.h says. With equal values they are exact. */
static void test_coarse(void **state)
{
	const int widest[] = {64, 8, 2}; /* at most 1/64, 1/8, 1/2 of the lower bound */

	for (int s = 0; s < 3; s++)
		for (__s64 v = 64; v < 1 << 20; v += v / 7) {
			struct words *w = new_words();
			struct hist_value p;
			struct hist h;

			w->shift = shifts[s];
			add(w, v, 2);
			h = copy(w);
			assert_exact(&h, .5, v);
			hist__free(&h);
			add(w, 1, 1);
			add(w, v + 1, 2);
			add(w, 1 << 22, 1);
			h = copy(w);
			p = hist__quantile(&h, .5);
			assert_true(p.low <= v && v <= p.high);
			assert_true((p.high - p.low) * widest[s] < p.low);
			hist__free(&h);
			free(w);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_of_two), cmocka_unit_test(test_outlier),
		cmocka_unit_test(test_mixed_bucket),  cmocka_unit_test(test_all_values),
		cmocka_unit_test(test_wide_bucket),   cmocka_unit_test(test_negative),
		cmocka_unit_test(test_two_cpus),      cmocka_unit_test(test_interval),
		cmocka_unit_test(test_nothing),	      cmocka_unit_test(test_dup),
		cmocka_unit_test(test_full),	      cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_pairs),	      cmocka_unit_test(test_coarse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
