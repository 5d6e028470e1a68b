// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the search for changes: against the definition in the paper, on published series whose
 * changes are known, and on 100 made-up series with and 100 without changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/util.h"
#include "history/changes.h"
#include "tests/unit/history/made_series.h"
#include "tests/unit/long_test.h"

static void check_changes(const struct changes *c, const int *want, int cnt)
{
	for (int i = 0; i < c->cnt && i < cnt; i++)
		if (c->v[i].at != want[i])
			fail_msg("change %d is at %d, not at %d", i, c->v[i].at, want[i]);
	assert_int_equal(c->cnt, cnt);
}

static void check(const double *v, int cnt, double max_p, const int *want, int want_cnt)
{
	struct changes c;

	changes__find(v, cnt, max_p, &c);
	check_changes(&c, want, want_cnt);
	for (int i = 0; i < c.cnt; i++)
		assert_true(c.v[i].p >= 0 && c.v[i].p <= max_p);
	free(c.v);
}

/* ---- the definition ---- */

/* Returns the mean distance of a value in x from a value in y; of two values in x if y is x. */
static double mean_distance(const double *x, int n, const double *y, int m)
{
	double sum = 0;
	int cnt = 0;

	for (int i = 0; i < n; i++)
		for (int k = x == y ? i + 1 : 0; k < m; k++, cnt++)
			sum += fabs(x[i] - y[k]);
	return sum / cnt;
}

/* Equations (5) to (7) of Matteson and James, with alpha = 1, for one pair of tau and kappa. */
static double paper_q(const double *v, int tau, int kappa)
{
	double n = tau, m = kappa - tau;

	return n * m / (n + m) *
	       (2 * mean_distance(v, tau, v + tau, kappa - tau) - mean_distance(v, tau, v, tau) -
		mean_distance(v + tau, kappa - tau, v + tau, kappa - tau));
}

static void test_definition(void **state)
{
	double v[24], work[CHANGES_WORK * 24];

	srand48(1);
	for (int round = 0; round < 300; round++) {
		int cnt = 4 + round % 21;
		struct division d;
		double max = -INFINITY;

		for (int i = 0; i < cnt; i++)
			v[i] = round % 3 ? random_normal() + (i > cnt / 3) : floor(4 * drand48());
		for (int tau = 2; tau <= cnt - 2; tau++)
			for (int kappa = tau + 2; kappa <= cnt; kappa++)
				max = fmax(max, paper_q(v, tau, kappa));
		d = changes__divide(v, cnt, INFINITY, work);
		assert_true(fabs(d.q - max) < 1e-9);
		assert_true(fabs(paper_q(v, d.at, d.end) - max) < 1e-9);
	}
}

/* ---- published series ---- */

/*
 * The flow of the Nile at Aswan from 1871 to 1970: the data set Nile of R, whose manual says "with
 * apparent changepoint near 1898". 1898 is the last year before the change (G. W. Cobb, The Problem
 * of the Nile: Conditional Solution to a Changepoint Problem, Biometrika 65, 1978).
 */
static void test_nile(void **state)
{
	static const double nile[] = {
		1120, 1160, 963,  1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,	1110,
		994,  1020, 960,  1180, 799,  958,  1140, 1100, 1210, 1150, 1250, 1260, 1220,
		1030, 1100, 774,  840,	874,  694,  940,  833,	701,  916,  692,  1020, 1050,
		969,  831,  726,  456,	824,  702,  1120, 1100, 832,  764,  821,  768,	845,
		864,  862,  698,  845,	744,  796,  1040, 759,	781,  865,  845,  944,	984,
		897,  822,  1010, 771,	676,  649,  846,  812,	742,  801,  1040, 860,	874,
		848,  890,  744,  749,	838,  1050, 918,  986,	797,  923,  975,  815,	1020,
		906,  901,  1170, 912,	746,  919,  718,  714,	740,
	};
	static const int want[] = {1899 - 1871};

	assert_int_equal(ARRAY_SIZE(nile), 100);
	check(nile, ARRAY_SIZE(nile), CHANGES_MAX_P, want, ARRAY_SIZE(want));
}

/*
 * Explosions in British coal mines from 1851 to 1961, a year each (R. G. Jarrett, A Note on the
 * Intervals between Coal-Mining Disasters, Biometrika 66, 1979). The change is after 41 years (B. P.
 * Carlin, A. E. Gelfand, A. F. M. Smith, Hierarchical Bayesian Analysis of Changepoint Problems,
 * 1992). Most values are equal to others.
 */
static void test_coal(void **state)
{
	static const double coal[] = {
		4, 5, 4, 0, 1, 4, 3, 4, 0, 6, 3, 3, 4, 0, 2, 6, 3, 3, 5, 4, 5, 3, 1, 4, 4, 1, 5, 5,
		3, 4, 2, 5, 2, 2, 3, 4, 2, 1, 3, 2, 2, 1, 1, 1, 1, 3, 0, 0, 1, 0, 1, 1, 0, 0, 3, 1,
		0, 3, 2, 2, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 1, 1, 0, 2, 3, 3, 1, 1,
		2, 1, 1, 1, 1, 2, 4, 2, 0, 0, 1, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1,
	};
	static const int want[] = {41};

	assert_int_equal(ARRAY_SIZE(coal), 111);
	check(coal, ARRAY_SIZE(coal), CHANGES_MAX_P, want, ARRAY_SIZE(want));
}

/* ---- made-up series ---- */

/* The number of series, which the environment can set for a better estimate of the rates. */
static int count_series(void)
{
	const char *cnt = getenv("BPROF_SERIES");

	return cnt ? atoi(cnt) : case_cnt(100);
}

/* The cost at each commit is the median of its blocks, as in a report. */
static void make_series(int seed, bool steps, int blocks, double *v)
{
	double block[BLOCKS];

	srand48(seed);
	for (int i = 0; i < COMMITS; i++) {
		for (int k = 0; k < blocks; k++)
			block[k] = noisy_cost(i, steps);
		v[i] = stats__median(block, blocks);
	}
}

/*
 * The numbers of changes that are found: exactly at the commit of a step, one commit beside it, at most 5 commits
 * from it, and elsewhere (wrong).
 */
struct rates {
	int exact, near, found, wrong;
};

static void count_found(bool steps, int blocks, struct rates *r)
{
	double v[COMMITS];

	*r = (struct rates){};
	for (int seed = 1; seed <= count_series(); seed++) {
		struct changes c;

		make_series(seed, steps, blocks, v);
		changes__find(v, COMMITS, CHANGES_MAX_P, &c);
		for (int i = 0; i < c.cnt; i++) {
			int off = (c.v[i].at + STEP_EVERY / 2) % STEP_EVERY - STEP_EVERY / 2;

			r->exact += steps && !off;
			r->near += steps && abs(off) == 1;
			r->found += steps && abs(off) <= 5;
			r->wrong += !steps || abs(off) > 5;
		}
		free(c.v);
	}
	if (getenv("BPROF_SERIES"))
		print_message(
			"%d series, %d blocks, %s: %d found, %d exact, %d one off, %d wrong\n",
			count_series(), blocks, steps ? "steps" : "no step", r->found, r->exact,
			r->near, r->wrong);
}

/*
 * All steps are found at their commits. Chance may add a change to 1 of 1,000 series, by
 * CHANGES_MAX_P; here it may add one to these 100.
 */
static void test_steps(void **state)
{
	struct rates r;

	count_found(true, BLOCKS, &r);
	assert_int_equal(r.exact, STEPS * count_series());
	assert_in_range(r.wrong, 0, (count_series() + 99) / 100);
}

static void test_noise(void **state)
{
	struct rates r;

	count_found(false, BLOCKS, &r);
	assert_in_range(r.wrong, 0, count_series() / 200);
}

/*
 * With only one value for each commit, a step of 2.5 standard deviations is found, but chance can
 * make the commit before or after it a better place: the best possible estimate finds the right one
 * in 77 % of all cases, the product over k of exp(-2 / k * P(normal < -1.25 * sqrt(k))).
 */
static void test_one_value(void **state)
{
	int steps = STEPS * count_series();
	struct rates r;

	count_found(true, 1, &r);
	assert_in_range(r.exact, steps * 70 / 100, steps);
	assert_in_range(r.found, steps * 99 / 100, steps);
	assert_in_range(r.wrong, 0, count_series() / 20);
	count_found(false, 1, &r);
	assert_in_range(r.wrong, 0, (count_series() + 99) / 100);
}

/* With ASan, the whole series takes 4 s. Without it, tests/packages.sh --long runs this test. */
#ifdef __SANITIZE_ADDRESS__
#define SHORT_SERIES 1
#define QUIET 120 /* commits left out */
#else
#define QUIET 0
#define SHORT_SERIES 3
#endif

/* A regression that was soon repaired, in a long quiet series. */
static void test_short_regression(void **state)
{
	static const int want[] = {240 - QUIET, 248 - QUIET};
	double v[COMMITS];

	for (int seed = 1; seed <= SHORT_SERIES; seed++) {
		make_series(seed, false, BLOCKS, v);
		for (int i = want[0]; i < want[1]; i++)
			v[QUIET + i] *= STEP;
		check(v + QUIET, COMMITS - 2 * QUIET, CHANGES_MAX_P, want, ARRAY_SIZE(want));
	}
}

/* One slow run of CI is no change, wherever it is. */
static void test_outlier(void **state)
{
	double v[100];

	srand48(1);
	for (int at = 0; at < 100; at += 9) {
		for (int i = 0; i < 100; i++)
			v[i] = noisy_cost(0, false) * (i == at ? 3 : 1);
		check(v, 100, CHANGES_MAX_P, NULL, 0);
	}
}

/* In a series that is longer than the window, a change is found in each window, and on the border of two windows. */
static void test_long_series(void **state)
{
	static const int want[] = {CHANGES_WINDOW / 2, CHANGES_WINDOW, 2 * CHANGES_WINDOW + 3};
	int cnt = 3 * CHANGES_WINDOW;
	double *v = calloc(cnt, sizeof(*v));

	assert_non_null(v);
	srand48(1);
	for (int i = 0, level = 0; i < cnt; i++) {
		level += level < 3 && i == want[level];
		v[i] = 100 * (10 + level) + random_normal();
	}
	check(v, cnt, CHANGES_MAX_P, want, ARRAY_SIZE(want));
	free(v);
}

static void test_no_noise(void **state)
{
	static const int want[] = {10, 30};
	double v[40] = {};

	check(v, 0, CHANGES_MAX_P, NULL, 0);
	check(v, 1, CHANGES_MAX_P, NULL, 0);
	check(v, 3, CHANGES_MAX_P, NULL, 0);
	check(v, 40, CHANGES_MAX_P, NULL, 0);
	for (int i = 0; i < 40; i++)
		v[i] = 499 + (i >= want[0]) + (i >= want[1]);
	check(v, 40, CHANGES_MAX_P, want, ARRAY_SIZE(want));
}

/* ---- exact series ---- */

static void test_exact(void **state)
{
	static const double v[] = {499, 499, 500, 500, 500, 499, 499, 501};
	static const int want[] = {2, 5, 7};
	struct changes c;

	changes__find_exact(v, ARRAY_SIZE(v), &c);
	check_changes(&c, want, ARRAY_SIZE(want));
	free(c.v);
	changes__find_exact(v, 2, &c);
	assert_int_equal(c.cnt, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition),
		cmocka_unit_test(test_nile),
		cmocka_unit_test(test_coal),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_short_regression),
		cmocka_unit_test(test_outlier),
		cmocka_unit_test(test_long_series),
		cmocka_unit_test(test_no_noise),
		cmocka_unit_test(test_exact),
	};

	return cmocka_run_group_tests_name("history/changes", tests, NULL, NULL);
}
