// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the statistics with those of R 4.2.2, whose calls are given beside the values, and with
 * known results.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "base/util.h"

/* Examples from the book of Hollander and Wolfe, as they are in help("wilcox.test"). */
static const double depression_x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
static const double depression_y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
static const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
static const double age_12_26[] = {1.15, 0.88, 0.90, 0.74, 1.21};
/* The months May and August of R's example airquality$Ozone. */
static const double may[] = {41, 36, 12, 18, 28, 23, 19, 8, 7,	16, 11, 14,  18,
			     14, 34, 6,	 30, 11, 1,  11, 4, 32, 23, 45, 115, 37};
static const double august[] = {39, 9,	16, 78, 35, 66, 122, 89,  110, 44, 28,	65, 22,
				59, 23, 31, 44, 21, 9,	45,  168, 73,  76, 118, 84, 85};
/* The values of the blocks of two benchmarks. */
static const double base[] = {151.2, 149.8, 152.9, 150.4, 151.9, 148.7, 150.9, 153.3};
static const double slower[] = {163.1, 161.4, 166.2, 164.9, 162.5, 160.8, 165.7};

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance * fabs(want)))
		fail_msg("%.17g, expected %.17g", got, want);
}

/* ---- the Mann-Whitney U test ---- */

static void check_test(const double *x, int x_cnt, const double *y, int y_cnt, double w, double p)
{
	struct mann_whitney got;

	stats__mann_whitney(x, x_cnt, y, y_cnt, &got);
	assert_near(got.w, w, 0);
	assert_near(got.p, p, 1e-12);
	/* the result is the same if the samples are swapped */
	stats__mann_whitney(y, y_cnt, x, x_cnt, &got);
	assert_near(got.w, (double)x_cnt * y_cnt - w, 0);
	assert_near(got.p, p, 1e-12);
}

/* Does not use ARRAY_SIZE(), because cppcheck cannot expand it within another macro. */
#define CHECK_TEST(a, b, w, p) \
	check_test(a, sizeof(a) / sizeof(double), b, sizeof(b) / sizeof(double), w, p)

static void test_exact(void **state)
{
	static const double odd[] = {1, 3, 5, 7, 9, 11}, even[] = {2, 4, 6, 8, 10, 12};
	static const double low[] = {1, 2, 3, 4, 5, 6}, high[] = {7, 8, 9, 10, 11, 12};
	static const double outer[] = {1, 4, 5, 8}, inner[] = {2, 3, 6, 7};
	static const double one[] = {1}, two[] = {2};

	/* R: wilcox.test(at, age); Hollander and Wolfe give a one-sided P of 0.127 */
	CHECK_TEST(at_term, age_12_26, 35, 0.2544122544122544);
	/* R: wilcox.test(c(1,3,5,7,9,11), c(2,4,6,8,10,12)) */
	CHECK_TEST(odd, even, 15, 0.69913419913419916);
	/* of 924 possible orders only this one and its reverse are so extreme */
	CHECK_TEST(low, high, 0, 2. / 924);
	CHECK_TEST(outer, inner, 8, 1);
	CHECK_TEST(one, two, 0, 1);
	/*
	 * R: wilcox.test(slower, base); of 6435 orders only this one and its reverse are so extreme
	 */
	CHECK_TEST(slower, base, 56, 0.0003108003108003108);
}

static void fill(double *v, int cnt, double first, double step)
{
	for (int i = 0; i < cnt; i++)
		v[i] = first + i * step;
}

/* Fills v with (i * factor) %% modulus + add for i in 1:cnt (the notation of R). */
static void scatter(double *v, int cnt, int factor, int modulus, double add)
{
	for (int i = 0; i < cnt; i++)
		v[i] = (i + 1) * factor % modulus + add;
}

/*
 * R uses an approximation if a sample has 50 values or more. Checks sizes on both sides of this
 * limit.
 */
static void test_large(void **state)
{
	double x[60], y[60];

	/* R: wilcox.test((1:49) * 2, (1:49) * 2 + 15) */
	fill(x, 49, 2, 2);
	fill(y, 49, 17, 2);
	check_test(x, 49, y, 49, 861, 0.015546031479292413);
	/* R: wilcox.test((1:49) * 2, (1:50) * 2 + 15) */
	fill(y, 50, 17, 2);
	check_test(x, 49, y, 50, 861, 0.010960047803216777);
	/*
	 * R: wilcox.test((1:49 * 37) %% 101, (1:49 * 53) %% 97 + 8.5): in the middle of the range
	 * of the exact test
	 */
	scatter(x, 49, 37, 101, 0);
	scatter(y, 49, 53, 97, 8.5);
	check_test(x, 49, y, 49, 1119, 0.56654025004122865);
	/* R: wilcox.test(1:60, 1:60 + 0.5) */
	fill(x, 60, 1, 1);
	fill(y, 60, 1.5, 1);
	check_test(x, 60, y, 60, 1770, 0.87695152018682465);
	/* R: wilcox.test((1:60) * 2, (1:30) * 3 + 0.5) */
	fill(x, 60, 2, 2);
	fill(y, 30, 3.5, 3);
	check_test(x, 60, y, 30, 1110, 0.072948228986441863);
}

static void test_ties(void **state)
{
	static const double same[] = {7, 7, 7, 7, 7, 7}, larger[] = {8, 8, 8, 8, 8, 8};
	static const double left[] = {10, 10, 11, 12, 12, 12},
			    right[] = {12, 13, 13, 14, 14, 15, 16};
	static const double one[] = {1}, two[] = {1, 2}, twice[] = {2, 2}, three[] = {2, 3};

	/* R: wilcox.test(x, y) */
	CHECK_TEST(depression_x, depression_y, 58, 0.13291945818531886);
	/* R: wilcox.test(Ozone ~ Month, data = airquality, subset = Month %in% c(5, 8)) */
	CHECK_TEST(may, august, 127.5, 0.00012080783076877442);
	/* R: wilcox.test(c(10,10,11,12,12,12), c(12,13,13,14,14,15,16)) */
	CHECK_TEST(left, right, 1.5, 0.0057081219436040656);
	/* R: wilcox.test(rep(7, 6), rep(8, 6)) */
	CHECK_TEST(same, larger, 0, 0.0012619447673879749);
	/* R: wilcox.test(c(1,2), c(2,3)), wilcox.test(1, c(2,2)) */
	CHECK_TEST(two, three, 0.5, 0.41421617824252505);
	CHECK_TEST(one, twice, 0, 0.47950012218695354);
	/* R returns NaN here, because the samples do not differ at all */
	CHECK_TEST(same, same, 18, 1);
}

/* ---- confidence intervals ---- */

static void check_interval(const struct stats_interval *got, double estimate, double low,
			   double high, double tolerance)
{
	assert_near(got->estimate, estimate, tolerance);
	assert_near(got->low, low, tolerance);
	assert_near(got->high, high, tolerance);
}

static void test_shift(void **state)
{
	double x[60], y[60];
	struct stats_interval got;

	/* R: wilcox.test(at, age, conf.int = TRUE) */
	stats__shift(age_12_26, 5, at_term, 10, &got);
	check_interval(&got, 0.305, -0.15, 0.76, 1e-12);
	/* R: wilcox.test(slower, base, conf.int = TRUE) */
	stats__shift(base, 8, slower, 7, &got);
	check_interval(&got, 12.3, 9.9, 14.8, 1e-12);
	/* R: wilcox.test((1:49 * 53) %% 97 + 8.5, (1:49 * 37) %% 101, conf.int = TRUE) */
	scatter(x, 49, 37, 101, 0);
	scatter(y, 49, 53, 97, 8.5);
	stats__shift(x, 49, y, 49, &got);
	check_interval(&got, 3.5, -8.5, 15.5, 0);
	/*
	 * The same test with 55 and 60 values. Here R searches for a root of the test's statistic
	 * and returns 4.49991, -7.49997, 15.49991. The values below are those of sort(outer(y, x,
	 * "-")).
	 */
	scatter(x, 60, 37, 101, 0);
	scatter(y, 55, 53, 97, 8.5);
	stats__shift(x, 60, y, 55, &got);
	check_interval(&got, 4.5, -7.5, 15.5, 0);
}

static void test_ratio(void **state)
{
	static const double zero[] = {1, 2, 0}, negative[] = {1, -2, 3}, first[] = {-1, 2};
	static const double one[] = {2}, other[] = {5};
	struct stats_interval got;

	/* R: exp() of wilcox.test(log(at), log(age), conf.int = TRUE) */
	assert_int_equal(stats__ratio(age_12_26, 5, at_term, 10, &got), 0);
	check_interval(&got, 1.31176713707837367, 0.85950413223140498, 1.95945945945945943, 1e-12);
	/* R: exp() of wilcox.test(log(slower), log(base), conf.int = TRUE) */
	assert_int_equal(stats__ratio(base, 8, slower, 7, &got), 0);
	check_interval(&got, 1.0811294923780059, 1.0656063618290257, 1.0980781974817762, 1e-12);
	/* a ratio needs values above 0 */
	assert_int_equal(stats__ratio(base, 8, zero, 3, &got), -EDOM);
	assert_int_equal(stats__ratio(negative, 3, base, 8, &got), -EDOM);
	assert_int_equal(stats__ratio(first, 2, base, 8, &got), -EDOM);
	assert_int_equal(stats__ratio(one, 1, other, 1, &got), 0);
	assert_near(got.estimate, 2.5, 1e-12);
}

/* Tests values that are all equal, differ only in the last bit, are huge, or are negative. */
static void test_interval_extremes(void **state)
{
	static const double same[] = {99, 99, 99, 99, 99, 99}, more[] = {104, 104, 104, 104};
	static const double zero[] = {0, 0, 0, 0}, minus[] = {-5, -5, -5, -5};
	static const double huge[] = {1e300, 1e300, 1e300, 1e300, 1e300, 1e300};
	double next[] = {nextafter(99, 100), nextafter(99, 100), nextafter(99, 100),
			 nextafter(99, 100), nextafter(99, 100), nextafter(99, 100)};
	struct stats_interval got;

	stats__shift(same, 6, more, 4, &got);
	check_interval(&got, 5, 5, 5, 0);
	stats__shift(same, 6, same, 6, &got);
	check_interval(&got, 0, 0, 0, 0);
	assert_false(signbit(got.estimate) || signbit(got.low) || signbit(got.high));
	/* the interval between a sample and itself contains 0, and the estimate is not -0 */
	stats__shift(depression_x, 9, depression_x, 9, &got);
	assert_true(got.low < 0 && got.estimate == 0 && got.high > 0);
	assert_false(signbit(got.estimate));
	stats__shift(zero, 4, minus, 4, &got);
	check_interval(&got, -5, -5, -5, 0);
	stats__shift(same, 6, next, 6, &got);
	assert_true(got.low > 0 && got.low == got.high);
	stats__shift(huge, 6, same, 6, &got);
	check_interval(&got, -1e300, -1e300, -1e300, 1e-15);
	assert_int_equal(stats__ratio(same, 6, huge, 6, &got), 0);
	assert_near(got.estimate, 1e300 / 99, 1e-10);
}

/*
 * In R, qwilcox(0.025, n, n) is 0, 0, 1 for n = 2, 3, 4: with three values on each side no interval
 * reaches 95 %.
 */
static void test_few(void **state)
{
	struct stats_interval got;

	for (int n = 1; n <= 4; n++) {
		stats__shift(base, n, slower, n, &got);
		assert_false(isnan(got.estimate));
		assert_int_equal(isnan(got.low), n < 4);
		assert_int_equal(isnan(got.high), n < 4);
	}
	/* R: wilcox.test(slower[1:4], base[1:4], conf.int = TRUE): the widest possible interval */
	check_interval(&got, 13, 8.5, 16.4, 1e-12);
	assert_true(isnan(stats__median(base, 0)));
}

/* Without ties, an interval excludes 0 if and only if the test finds a difference. */
static void test_agree(void **state)
{
	int outside = 0;

	for (int shift = -40; shift <= 40; shift++) {
		double x[12], y[9];
		struct stats_interval got;
		struct mann_whitney test;
		bool excludes;

		scatter(x, 12, 37, 101, 0);
		scatter(y, 9, 53, 97, shift + 0.25);
		stats__shift(x, 12, y, 9, &got);
		stats__mann_whitney(y, 9, x, 12, &test);
		excludes = got.low > 0 || got.high < 0;
		assert_int_equal(excludes, test.p < 1 - STATS_LEVEL);
		outside += excludes;
	}
	assert_in_range(outside, 10, 70);
}

/* ---- Holm's correction, the median ---- */

static void check_holm(double *p, const double *want, int cnt)
{
	stats__holm(p, cnt);
	for (int i = 0; i < cnt; i++)
		assert_near(p[i], want[i], 1e-12);
}

static void test_holm(void **state)
{
	/* R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") */
	double p[] = {0.01, 0.02, 0.03, 0.04, 0.05}, want[] = {0.05, 0.08, 0.09, 0.09, 0.09};
	/* R: p.adjust(c(0.04, 0.001, 0.5, 0.03, 0.03, 0.9), "holm") */
	double mixed[] = {0.04, 0.001, 0.5, 0.03, 0.03, 0.9};
	double mixed_want[] = {0.15, 0.006, 1, 0.15, 0.15, 1};
	/*
	 * The smallest values of the example in help("p.adjust"): 2 * pnorm(sort(-abs(x))),
	 * set.seed(123).
	 */
	double smallest[50] = {2.3540535079793408e-07, 2.1015902407242859e-05,
			       2.5768418740401113e-05, 9.8147833236073584e-05,
			       1.0526095883054314e-04, 1.2414807289280150e-04};
	double smallest_want[50] = {1.1770267539896705e-05, 1.0297792179549000e-03,
				    1.2368840995392533e-03, 4.6129481620954581e-03,
				    4.8420041062049845e-03, 5.5866632801760676e-03};
	double one = 0.03;

	check_holm(p, want, ARRAY_SIZE(p));
	check_holm(mixed, mixed_want, ARRAY_SIZE(mixed));
	/* the other 44 values are larger, and only their number matters */
	for (int i = 6; i < 50; i++)
		smallest[i] = smallest_want[i] = 1;
	check_holm(smallest, smallest_want, 50);
	check_holm(&one, &one, 1);
	stats__holm(NULL, 0);
}

static void test_median(void **state)
{
	static const double v[] = {5, 3, 1, 4};
	double median;

	median = stats__median(v, 4);
	assert_true(median == 3.5);
	median = stats__median(v, 3);
	assert_true(median == 3);
	median = stats__median(v, 1);
	assert_true(median == 5);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-4 * fmax(1, fabs(b));
}

/*
 * R: with(sleep, t.test(extra[group == 2], extra[group == 1], var.equal = TRUE)), on the data of
 * Student, The Probable Error of a Mean, 1908. The other values are from tables of t.
 */
static void test_students_t(void **state)
{
	static const double one[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
	static const double two[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	static const double pairs[] = {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1};
	static const struct {
		int cnt;
		double quantile;
	} table[] = {{2, 12.7062}, {4, 3.18245}, {6, 2.57058}, {10, 2.26216}};
	const double same[] = {7, 7, 7}, zero = 0, more = 8;
	struct stats_variance other = {};
	struct students_t t;

	stats__students_t(one, 10, two, 10, NULL, &t);
	assert_true(is_near(t.p, 0.07919) && is_near(t.shift.estimate, 1.58));
	assert_true(is_near(t.shift.low, -0.203874) && is_near(t.shift.high, 3.363874));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double n = table[i].cnt, error = sqrt(n / (n - 1) * (1 + 1 / n));

		stats__students_t(pairs, n, &zero, 1, NULL, &t);
		assert_true(is_near(t.shift.high / error, table[i].quantile));
		assert_true(is_near(t.shift.low, -t.shift.high) && t.p == 1);
	}
	stats__students_t(same, 3, &more, 1, NULL, &t);
	assert_true(t.p == 0 && t.shift.low == 1 && t.shift.high == 1);
	stats__students_t(same, 3, same, 1, NULL, &t);
	assert_true(t.p == 1 && t.shift.high == 0);
	stats__students_t(same, 1, &more, 1, NULL, &t);
	assert_true(isnan(t.p) && isnan(t.shift.low) && t.shift.estimate == 1);
	/* one value each, but other values say how much they vary: the error is sqrt(4 / 3 * 2) */
	stats_variance__add(&other, pairs, 4);
	stats__students_t(same, 1, &more, 1, &other, &t);
	assert_true(is_near(t.shift.high - 1, 3.18245 * sqrt(8. / 3)));
}

/* Compares the standard deviation of sampled counts with tables of the Poisson distribution. */
static void test_sampled(void **state)
{
	/* for mean 100, P(n <= 90) is 0.171 and P(n >= 111) is 0.147: the deviation is 10 */
	assert_true(stats__sampled_stddev(100, 100) == 10);
	/* all periods are equal: 20,011 ns */
	assert_true(fabs(stats__sampled_stddev(400 * 20011.0, 400) - 20 * 20011.0) < 1e-6);
	/* for a deviation of 1 %, ten thousand samples are needed */
	assert_true(stats__sampled_stddev(5e9, 10000) == 5e7);
	assert_true(stats__sampled_stddev(250, 1) == 250);
	assert_true(isnan(stats__sampled_stddev(0, 0)));
}

static int compare_values(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * With one small and one large sample, the formula for large samples is used. The oracle lists and
 * sorts all differences.
 */
static void test_shift_of_unequal_samples(void **state)
{
	double x[5], y[60], all[300];
	struct stats_interval got;
	int rank = floor(150 - 1.959963984540054 * sqrt(300 * 66 / 12.));

	for (int i = 0; i < 5; i++)
		x[i] = 1000 + 37 * i % 100;
	for (int j = 0; j < 60; j++)
		y[j] = 2000 + 7919 * j % 1009;
	for (int i = 0; i < 300; i++)
		all[i] = y[i / 5] - x[i % 5];
	qsort(all, 300, sizeof(all[0]), compare_values);
	assert_int_equal(rank, 70);
	for (int swapped = 0; swapped < 2; swapped++) {
		if (swapped)
			stats__shift(y, 60, x, 5, &got);
		else
			stats__shift(x, 5, y, 60, &got);
		assert_true(got.low == (swapped ? -all[300 - rank] : all[rank - 1]));
		assert_true(got.high == (swapped ? -all[rank - 1] : all[300 - rank]));
	}
}

/*
 * R: qwilcox(0.025, 49, 10) is 148, and the formula for large samples gives 147. All differences are
 * different whole numbers, so that the k-th smallest one is the least plus k - 1.
 */
static void test_largest_exact(void **state)
{
	double few[10], many[50], one[] = {0};
	struct stats_interval got;

	fill(many, 50, 0, 1);
	fill(few, 10, 0, 49);
	stats__shift(many, 49, few, 10, &got);
	assert_true(got.low == -48 + 147 && got.high == 441 - 147);
	stats__shift(few, 10, many, 49, &got);
	assert_true(got.low == -441 + 147 && got.high == 48 - 147);
	/* too few values for the formula */
	stats__shift(many, 50, one, 1, &got);
	assert_true(isnan(got.low) && isnan(got.high));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shift_of_unequal_samples),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_largest_exact),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_interval_extremes),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_agree),
		cmocka_unit_test(test_holm),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_students_t),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
