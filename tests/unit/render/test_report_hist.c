// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the bars of histograms: which buckets become one bar, and which gaps are shown.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/util.h"
#include "render/report_priv.h"
#include "tests/unit/report_models.h"

static struct report_event ev;
static struct report_bucket bar[HIST_BARS];

static void free_buckets(void)
{
	free(ev.bucket);
	ev = (struct report_event){};
}

/* Adds a bucket for each of cnt values, from first on. */
static void add_values(double first, double step, int cnt)
{
	for (int i = 0; i < cnt; i++)
		add_bucket(&ev, first + step * i, first + step * i, 1);
}

/* Checks the first values of the bars, up to a NaN, and frees the buckets. */
static void check_bars(const double *low)
{
	int got = report_event__merge_buckets(&ev, bar), cnt = 0;

	for (; !isnan(low[cnt]); cnt++)
		if (cnt >= got || bar[cnt].low != low[cnt])
			fail_msg("bar %d of %d: from %g instead of %g", cnt, got, bar[cnt].low,
				 low[cnt]);
	assert_int_equal(got, cnt);
	free_buckets();
}

#define CHECK_BARS(...) check_bars((const double[]){__VA_ARGS__, NAN})

/*
 * The core of a histogram is the range from the 1st to the 95th percentile. It has 12 bars, which are just wide
 * enough for all its values.
 */
static void test_core(void **state)
{
	/* 0 to 94: the width is 8 */
	add_values(0, 1, 100);
	CHECK_BARS(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96);
	/* 1 to 96: the width is 8, and 0 is in the tail */
	add_values(0, 1, 102);
	CHECK_BARS(0, 1, 9, 17, 25, 33, 41, 49, 57, 65, 73, 81, 89, 97);
	/* 1 to 97: the width is 9 */
	add_values(0, 1, 103);
	CHECK_BARS(0, 1, 10, 19, 28, 37, 46, 55, 64, 73, 82, 91, 100);
}

/* An event with a scale has the same bars as an event without. */
static void test_scale(void **state)
{
	struct report_bucket plain[HIST_BARS];
	int cnt = 0;

	for (int scaled = 0; scaled < 2; scaled++) {
		double scale = scaled ? 0x1p-20 : 1;

		add_values(-50 * scale, scale, 1);
		add_values(0, scale, 100);
		add_values(500 * scale, 500 * scale, 3);
		if (!scaled)
			cnt = report_event__merge_buckets(&ev, plain);
		else
			assert_int_equal(report_event__merge_buckets(&ev, bar), cnt);
		free_buckets();
	}
	for (int i = 0; i < cnt; i++)
		assert_true(bar[i].low == plain[i].low * 0x1p-20);
}

/*
 * The smallest distance of two values counts, wherever it is. The widths of bars are multiples of
 * the core's widest bucket.
 */
static void test_steps(void **state)
{
	/* the first two values are neighbours */
	add_values(7, 1, 1);
	add_values(8, 8, 30);
	CHECK_BARS(7, 32, 48, 64, 88, 104, 128, 144, 160, 184, 200, 216, 240);
	/* the last two values are neighbours */
	add_values(0, 8, 30);
	add_values(233, 1, 1);
	CHECK_BARS(0, 24, 40, 64, 80, 104, 120, 144, 160, 184, 200, 224);
	/* the last bucket of the core is wide */
	add_values(0, 1, 30);
	add_bucket(&ev, 30, 61, 100);
	CHECK_BARS(0, 1);
}

/* Bars of the tails are ever wider, and the last one includes the farthest value. */
static void test_tails(void **state)
{
	add_values(-900, 1, 1);
	add_values(-60, 1, 1);
	add_values(-5, 1, 1);
	for (int i = 0; i < 24; i++)
		add_bucket(&ev, i, i, 1000);
	for (int i = 5; i < 15; i++)
		add_values(1 << i, 1, 1);
	CHECK_BARS(-900, -60, -5, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 32, 64, 128, 512,
		   4096);
}

/* A malformed report may have buckets without a distance. */
static void test_same_value(void **state)
{
	add_values(5, 0, 25);
	CHECK_BARS(5);
}

/* A gap is shown if it is wider than an eighth of all values. */
static void test_gaps(void **state)
{
	static const struct {
		struct report_bucket bar[3];
		bool gap;
	} cases[] = {
		{{{-1, 0}, {1, 1}, {12, 79}}, false},
		{{{-1, 0}, {1, 1}, {13, 79}}, true},
		{{{0, 1}, {1, 1}, {1, 8}}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(report_hist__is_gap(cases[i].bar, 3, 2), cases[i].gap);
		assert_false(report_hist__is_gap(cases[i].bar, 3, 0));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_core),  cmocka_unit_test(test_scale),
		cmocka_unit_test(test_steps), cmocka_unit_test(test_tails),
		cmocka_unit_test(test_gaps),  cmocka_unit_test(test_same_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
