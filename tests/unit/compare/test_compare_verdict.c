// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the verdicts on events that both reports have: which changes are worse, which pass, and
 * which never pass. Some events are noisy, others are exact.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.15g, expected %.15g", got, want);
}

/* ---- noisy events ---- */

/*
 * Each report has eight blocks of runs. The means of the blocks lie around "base" in the base report,
 * and around "new" in the new report. Neighboring blocks differ by "step".
 */
static const struct {
	double base, new;
	double step; /* 0: all blocks are equal */
	const char *limit;
	enum verdict verdict;
} noise[] = {
	{100, 110, 0.5, "cycles:p50>2%", VERDICT_WORSE},
	{100, 90, 0.5, "cycles:p50>2%", VERDICT_BETTER},
	{100, 100, 0.5, "cycles:p50>5%", VERDICT_SAME},
	/* the change is significant, but no larger than the limit */
	{100, 110, 0.5, "cycles:p50>12%", VERDICT_SAME},
	{100, 90, 0.5, "cycles:p50>12%", VERDICT_SAME},
	/* the limit is an amount instead of a percentage */
	{100, 110, 0.5, "cycles:mean>9", VERDICT_WORSE},
	{100, 110, 0.5, "cycles:mean>11", VERDICT_SAME},
	{100, 90, 0.5, "cycles:mean>9", VERDICT_BETTER},
	/*
	 * the change may be 0, but also 2 %, because the blocks differ by so much: this is not a
	 * pass
	 */
	{100, 100, 2, "cycles:p50>2%", VERDICT_INCONCLUSIVE},
	{100, 103, 2, "cycles:p50>2%", VERDICT_INCONCLUSIVE},
	{100, 95.1, 2, "cycles:p50>2%", VERDICT_SAME},
	{100, 100, 2, "cycles:p50>10%", VERDICT_SAME},
	/* only equal blocks can show that there is no change at all */
	{100, 100, 0.5, "cycles:p50>0", VERDICT_INCONCLUSIVE},
	{100, 100, 0, "cycles:p50>0", VERDICT_SAME},
	{100, 100.1, 0, "cycles:p50>0", VERDICT_WORSE},
	{100, 100.1, 0, "cycles:p50>1%", VERDICT_SAME},
	/*
	 * Any change from 0 exceeds any percentage. A percentage of a negative base is a percentage
	 * of its magnitude.
	 */
	{0, 1, 0, "cycles:p50>50%", VERDICT_WORSE},
	{0, -1, 0, "cycles:p50>50%", VERDICT_BETTER},
	{0, 0, 0, "cycles:p50>50%", VERDICT_SAME},
	{-4, -3, 0.01, "cycles:p50>20%", VERDICT_WORSE},
	{-4, -3, 0.01, "cycles:p50>30%", VERDICT_SAME},
	{-4, -5, 0.01, "cycles:p50>20%", VERDICT_BETTER},
	{-4, 4, 0.01, "cycles:p50>199%", VERDICT_WORSE},
};

static void test_noise(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(noise); i++) {
		const struct compare_row *row;
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_limit(&s, noise[i].limit);
		add_spread(s.base_row, "cycles", noise[i].base, noise[i].step, 8);
		add_spread(s.new_row, "cycles", noise[i].new, noise[i].step, 8);
		row = compare(&s);
		if (row->verdict != noise[i].verdict)
			fail_msg("%zu: %g, %g, %s: %s, p %g", i, noise[i].base, noise[i].new,
				 noise[i].limit, verdict_specs[row->verdict].name, row->p);
		assert_int_equal(!*row->why, row->verdict != VERDICT_INCONCLUSIVE);
		assert_int_equal(s.c->verdict, row->verdict);
		assert_int_equal(s.c->cnt[row->verdict], 1);
		close_scene(&s);
	}
}

/*
 * The blocks of one session do not show how much two sessions differ, so a change must be larger than
 * that. The values are net: the bias counts, too.
 */
static void test_one_session(void **state)
{
	static const struct {
		int base_sessions, new_sessions;
		bool driven;
		double new, bias;
		enum verdict verdict;
		const char *event; /* NULL: cycles */
	} cases[] = {
		{1, 1, false, 110, 0, VERDICT_INCONCLUSIVE},
		{1, 8, false, 110, 0, VERDICT_INCONCLUSIVE},
		{8, 1, false, 95, 0, VERDICT_INCONCLUSIVE},
		{8, 8, false, 110, 0, VERDICT_WORSE},
		{1, 1, true, 110, 0, VERDICT_WORSE},
		{0, 0, false, 110, 0, VERDICT_WORSE},
		{1, 1, false, 120, 0, VERDICT_WORSE},
		{1, 1, false, 120, 200, VERDICT_INCONCLUSIVE},
		{1, 1, false, 140, 200, VERDICT_WORSE},
		{1, 1, false, 80, 0, VERDICT_BETTER},
		{1, 1, false, 101, 0, VERDICT_SAME},
		{1, 1, false, 110, 200, VERDICT_WORSE, "instructions"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *event = cases[i].event ?: "cycles";
		const struct compare_row *row;
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_limit(&s, "*:p50>2%");
		add_spread(s.base_row, event, 100, 0.05, 8);
		add_spread(s.new_row, event, cases[i].new, 0.05, 8);
		s.base->sessions = cases[i].base_sessions;
		s.new->sessions = cases[i].new_sessions;
		s.base->driven = s.new->driven = cases[i].driven;
		s.base_row->event[0].bias = s.new_row->event[0].bias = cases[i].bias;
		row = compare(&s);
		if (row->verdict != cases[i].verdict)
			fail_msg("%zu: %s", i, verdict_specs[row->verdict].name);
		close_scene(&s);
	}
}

/*
 * Some blocks are at about 37, others at about 41. The difference of the medians is therefore far
 * larger than the estimated shift of the blocks. Checks that the row's numbers are still
 * consistent, and that the row's interval contains them.
 */
static void test_rows_add_up(void **state)
{
	static const double base[] = {36.1, 36.3, 36.5, 36.8, 36.9, 37, 41.1, 41.2, 41.3};
	static const double new[] = {36.4, 36.6, 36.9, 41.2, 41.3, 41.4, 41.5, 41.6, 41.7};
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "cycles:mean>5%");
	add_blocks(s.base_row, "cycles", base, 9);
	add_blocks(s.new_row, "cycles", new, 9);
	row = compare(&s);
	assert_near(row->base_value, 36.9);
	assert_near(row->new_value, 41.3);
	assert_true(row->shift.estimate < 1);
	assert_near(row->change.estimate, 41.3 - 36.9);
	assert_near(row->share.estimate, (41.3 - 36.9) / 36.9);
	assert_true(row->change.low <= row->change.estimate);
	assert_true(row->change.high >= row->change.estimate);
	assert_true(row->share.high >= row->share.estimate);
	assert_int_equal(row->verdict, VERDICT_INCONCLUSIVE);
	close_scene(&s);
	/*
	 * here, the interval of the shift does not contain the change of the medians, but the row's
	 * does
	 */
	open_scene(&s, "lb", "lb");
	add_limit(&s, "cycles:mean>5%");
	add_blocks(s.base_row, "cycles", (const double[]){10, 10, 10, 10, 10, 20, 20, 20, 20}, 9);
	add_blocks(s.new_row, "cycles", (const double[]){10, 10, 10, 10, 20, 20, 20, 20, 20}, 9);
	row = compare(&s);
	assert_near(row->change.estimate, 10);
	assert_true(row->shift.high <= row->change.high);
	assert_near(row->change.high, 10);
	close_scene(&s);
}

/*
 * The shift of the blocks is significant, but the medians changed in the other direction: the row
 * is inconclusive.
 */
static void test_other_way(void **state)
{
	double base[40], new[40];
	const struct compare_row *row;
	struct scene s;

	for (int i = 0; i < 40; i++) {
		base[i] = i < 19 ? 50 + i * .1 : 100 + i * .1;
		new[i] = i < 21 ? 90 + i * .1 : 150 + i * .1;
	}
	open_scene(&s, "lb", "lb");
	add_limit(&s, "cycles:mean>2%");
	add_blocks(s.base_row, "cycles", base, 40);
	add_blocks(s.new_row, "cycles", new, 40);
	row = compare(&s);
	assert_true(row->adjusted_p < basis_specs[BASIS_BLOCKS].alpha);
	assert_true(row->shift.estimate > 0);
	assert_true(row->change.estimate < 0);
	assert_int_equal(row->verdict, VERDICT_INCONCLUSIVE);
	close_scene(&s);
}

static void test_numbers(void **state)
{
	static const double base[] = {151.2, 149.8, 152.9, 150.4, 151.9, 148.7, 150.9, 153.3};
	static const double new[] = {163.1, 161.4, 166.2, 164.9, 162.5, 160.8, 165.7};
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "cycles:mean>5%");
	add_blocks(s.base_row, "cycles", base, 8);
	add_blocks(s.new_row, "cycles", new, 7);
	row = compare(&s);
	assert_string_equal(row->event, "cycles");
	assert_int_equal(row->stat, STAT_MEAN);
	assert_int_equal(row->base_blocks, 8);
	assert_int_equal(row->new_blocks, 7);
	assert_near(row->base_value, 151.05);
	assert_near(row->new_value, 163.1);
	assert_near(row->change.estimate, 163.1 - 151.05);
	assert_near(row->share.estimate, (163.1 - 151.05) / 151.05);
	/* R computed these values from the data of test_stats.c */
	assert_near(row->shift.estimate, 12.3);
	assert_near(row->shift.low, 9.9);
	assert_near(row->shift.high, 14.8);
	assert_near(row->change.low, 9.9);
	assert_near(row->change.high, 14.8);
	assert_near(row->share.low, 0.0656063618290257);
	assert_near(row->share.high, 0.0980781974817762);
	assert_near(row->p, 0.0003108003108003108);
	assert_near(row->adjusted_p, row->p);
	assert_int_equal(row->verdict, VERDICT_WORSE);
	assert_ptr_equal(row->limit, &s.limits.v[0]);
	assert_int_equal(comparison__outcome(s.c, ~0U), OUTCOME_WORSE);
	close_scene(&s);
}

/* If a report has fewer than six blocks, there is no verdict, whatever the values are. */
static void test_few_blocks(void **state)
{
	static const int cnts[][2] = {{5, 8}, {8, 5}, {1, 1}, {6, 6}};

	for (size_t i = 0; i < ARRAY_SIZE(cnts); i++) {
		const struct compare_row *row;
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_limit(&s, "cycles:p50>2%");
		add_spread(s.base_row, "cycles", 100, 0.5, cnts[i][0]);
		add_spread(s.new_row, "cycles", 200, 0.5, cnts[i][1]);
		row = compare(&s);
		assert_near(row->change.estimate, 100);
		assert_int_equal(isnan(row->p), i < 3);
		assert_int_equal(isnan(row->change.low), i < 3);
		assert_int_equal(row->verdict, i < 3 ? VERDICT_INCONCLUSIVE : VERDICT_WORSE);
		close_scene(&s);
	}
}

/*
 * If some blocks lack a statistic, the other blocks are compared. If all blocks lack it, there is
 * no verdict.
 */
static void test_blocks_without(void **state)
{
	const struct compare_row *row;
	struct report_event *ev;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "cycles:p50>2%");
	add_limit(&s, "cycles:p99>2%");
	ev = add_spread(s.base_row, "cycles", 100, 0.5, 8);
	ev->block[0].stat[STAT_P50] = ev->block[7].stat[STAT_P50] = NAN;
	ev->stat[STAT_P99] = 120;
	ev = add_spread(s.new_row, "cycles", 200, 0.5, 8);
	ev->stat[STAT_P99] = 240;
	row = compare(&s);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(row->stat, STAT_P50);
	assert_int_equal(row->verdict, VERDICT_WORSE);
	assert_int_equal(row->base_blocks, 6);
	assert_int_equal(row[1].stat, STAT_P99);
	assert_int_equal(row[1].verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(row[1].base_blocks, 0);
	close_scene(&s);
}

/* ---- correction for the number of comparisons ---- */

/* Compares cnt programs, of which only lb has changed. With six blocks, p is 2/924 at best. */
static void check_family(int cnt, enum verdict want, double adjusted)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "cycles:p50>2%");
	add_spread(s.base_row, "cycles", 100, 0.5, 6);
	add_spread(s.new_row, "cycles", 120, 0.5, 6);
	for (int i = 1; i < cnt; i++) {
		char name[16];

		snprintf(name, sizeof(name), "p%d", i);
		add_spread(&add_prog(s.base, i, name, name, 9)->all, "cycles", 100, 0, 6);
		add_spread(&add_prog(s.new, i, name, name, 9)->all, "cycles", 100, 0, 6);
	}
	row = compare(&s);
	assert_int_equal(s.c->tests, cnt);
	assert_string_equal((row->new ?: row->base)->name, "lb");
	assert_near(row->p, 2. / 924);
	assert_near(row->adjusted_p, adjusted);
	assert_int_equal(row->verdict, want);
	assert_int_equal(s.c->cnt[VERDICT_SAME], cnt - 1);
	close_scene(&s);
}

static void test_holm(void **state)
{
	check_family(1, VERDICT_WORSE, 2. / 924);
	check_family(23, VERDICT_WORSE, 46. / 924);
	/*
	 * the correction for 24 comparisons raises p above 0.05: the change is not significant, but
	 * this is not a pass, either
	 */
	check_family(24, VERDICT_INCONCLUSIVE, 48. / 924);
}

/*
 * Only rows that are tested count in the correction of p. Exact rows, rows with too few blocks, and
 * rows that only one report has are not tested.
 */
static void test_family_of_tests(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "*:p50>2%");
	add_spread(s.base_row, "cycles", 100, 0.5, 6);
	add_spread(s.new_row, "cycles", 120, 0.5, 6);
	add_spread(s.base_row, "time", 100, 0.5, 3);
	add_spread(s.new_row, "time", 120, 0.5, 3);
	add_exact(s.base_row, "instructions", 99);
	add_exact(s.new_row, "instructions", 99);
	add_spread(&add_prog(s.new, 3, "added", "added", 9)->all, "cycles", 1, 1, 6);
	compare(&s);
	assert_int_equal(s.c->row_cnt, 4);
	assert_int_equal(s.c->tests, 1);
	close_scene(&s);
}

/* ---- realistic noise (from a fixed seed, so that it is always the same) ---- */

static double next_uniform(__u64 *seed)
{
	/* the multiplier and the increment of Knuth's MMIX */
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((*seed >> 11) + 0.5) / 0x1p53;
}

/*
 * Returns the median of a block. Medians have a log-normal distribution with a deviation of 2 %.
 * One block in 16, chosen at random, is 50 % more expensive.
 */
static double next_block(__u64 *seed)
{
	double r = sqrt(-2 * log(next_uniform(seed)));
	double v = 1000 * exp(0.02 * r * cos(2 * M_PI * next_uniform(seed)));

	return next_uniform(seed) < 1. / 16 ? v * 1.5 : v;
}

static int count_verdicts(double factor, int blocks, unsigned int verdicts)
{
	__u64 seed = 42;
	int cnt = 0;

	for (int i = 0; i < 1000; i++) {
		double base[64], new[64];
		struct scene s;

		for (int k = 0; k < blocks; k++) {
			base[k] = next_block(&seed);
			new[k] = factor *next_block(&seed);
		}
		open_scene(&s, "lb", "lb");
		add_limit(&s, "cycles:p50>2%");
		add_blocks(s.base_row, "cycles", base, blocks);
		add_blocks(s.new_row, "cycles", new, blocks);
		cnt += !!(verdicts & (1U << compare(&s)->verdict));
		close_scene(&s);
	}
	return cnt;
}

static void test_error_rates(void **state)
{
	const unsigned int changed = 1U << VERDICT_WORSE | 1U << VERDICT_BETTER;

	/* without a change, at most 5 % of the verdicts are wrong (alpha) */
	assert_in_range(count_verdicts(1, 10, changed), 0, 50);
	assert_in_range(count_verdicts(1, 6, changed), 0, 50);
	assert_in_range(count_verdicts(1.1, 10, 1U << VERDICT_WORSE), 950, 1000);
	/* a regression of twice the limit hardly ever passes */
	assert_in_range(count_verdicts(1.04, 10, 1U << VERDICT_SAME | 1U << VERDICT_BETTER), 0, 25);
}

/* ---- exact events ---- */

static const struct {
	double base, new;
	const char *limit; /* NULL: the default limit */
	enum verdict verdict;
} exact[] = {
	{500, 501, NULL, VERDICT_WORSE},
	{500, 499, NULL, VERDICT_BETTER},
	{500, 500, NULL, VERDICT_SAME},
	{0, 1, NULL, VERDICT_WORSE},
	{0, 0, NULL, VERDICT_SAME},
	{-1, 0, NULL, VERDICT_WORSE},
	{500, 501, "instructions:min>0", VERDICT_WORSE},
	{500, 501, "instructions:min>1%", VERDICT_SAME},
	{500, 510, "instructions:min>1%", VERDICT_WORSE},
	{500, 501, "instructions:min>1", VERDICT_SAME},
	{500, 502, "instructions:min>1", VERDICT_WORSE},
	{0, 1, "instructions:min>1000%", VERDICT_WORSE},
};

static void test_exact(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(exact); i++) {
		const struct compare_row *row;
		struct scene s;

		open_scene(&s, "lb", "lb");
		if (exact[i].limit)
			add_limit(&s, exact[i].limit);
		add_exact(s.base_row, "instructions", exact[i].base);
		add_exact(s.new_row, "instructions", exact[i].new);
		row = compare(&s);
		assert_true(row->exact);
		assert_true(row->change.estimate == exact[i].new - exact[i].base);
		if (row->verdict != exact[i].verdict)
			fail_msg("%zu: %s", i, verdict_specs[row->verdict].name);
		close_scene(&s);
	}
}

/*
 * An event is compared as exact only if it is exact in both reports. It does not suffice that all
 * blocks agree.
 */
static void test_half_exact(void **state)
{
	const struct compare_row *row;
	struct scene s;

	for (int i = 0; i < 2; i++) {
		open_scene(&s, "lb", "lb");
		add_exact(s.base_row, "instructions", 500)->exact = i;
		add_exact(s.new_row, "instructions", 600)->exact = !i;
		row = compare(&s);
		assert_int_equal(s.c->row_cnt, 1);
		assert_false(row->exact);
		assert_int_equal(row->stat, STAT_P50);
		assert_int_equal(row->verdict, VERDICT_INCONCLUSIVE);
		close_scene(&s);
	}
}

/*
 * If one report has no distributions, only means are compared: the program is not new in the other
 * report.
 */
static void test_mean_only(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct report_event *ev;
		struct scene s;

		open_scene(&s, "lb", "lb");
		ev = add_exact(i ? s.new_row : s.base_row, "instructions", 500);
		ev->stat[STAT_MIN] = ev->stat[STAT_P50] = NAN;
		add_exact(i ? s.base_row : s.new_row, "instructions", 500);
		compare(&s);
		assert_int_equal(s.c->row_cnt, 1);
		assert_int_equal(s.c->row[0].stat, STAT_MEAN);
		assert_int_equal(s.c->row[0].verdict, VERDICT_INCONCLUSIVE);
		close_scene(&s);
	}
}

/*
 * Adds an event that is exact except in the blocks that a timer interrupt hit (the bits of blocks).
 * There, the instructions of the interrupt are counted, too: they raise the mean and the maximum,
 * and move the median from the exact value to the middle of its bucket.
 */
static void add_interrupted(struct report_row *row, double cost, int cnt, unsigned int blocks)
{
	struct report_event *ev = add_exact(row, "instructions", cost);

	for (int i = 0; i < cnt; i++) {
		bool hit = blocks & (1U << i);

		add_block(ev, 1000, cost + hit * 6.5, hit ? floor(cost / 8) * 8 + 3.5 : cost);
		ev->block[i].stat[STAT_MIN] = cost;
		ev->block[i].stat[STAT_MAX] = cost + hit * 6500;
	}
	ev->stat[STAT_MEAN] = cost + (blocks ? 1.5 : 0);
	ev->stat[STAT_MAX] = cost + (blocks ? 6500 : 0);
}

static const struct {
	double base, new;
	int blocks;
	unsigned int base_hits, new_hits;
	enum verdict min, p50; /* VERDICT_CNT: the comparison has no row for the median */
} interrupted[] = {
	{500, 500, 20, 0x11, 0xf2, VERDICT_SAME, VERDICT_SAME},
	{500, 500, 20, 0, 0xfffff, VERDICT_SAME, VERDICT_SAME},
	{500, 501, 20, 0x11, 0xf2, VERDICT_WORSE, VERDICT_SAME},
	{500, 501, 20, 0, 0, VERDICT_WORSE, VERDICT_SAME},
	{500, 499, 20, 0xff, 0, VERDICT_BETTER, VERDICT_SAME},
	/* 503 and 504 are in different buckets, the second of which begins at 504 */
	{503, 504, 20, 0xfffff, 0xfffff, VERDICT_WORSE, VERDICT_SAME},
	{100, 110, 6, 0, 0, VERDICT_WORSE, VERDICT_WORSE},
	/* too few blocks for a test, so only the minimum is compared */
	{500, 500, 5, 0x1, 0x6, VERDICT_SAME, VERDICT_CNT},
	{500, 501, 5, 0, 0, VERDICT_WORSE, VERDICT_CNT},
	{500, 501, 1, 1, 0, VERDICT_WORSE, VERDICT_CNT},
	{500, 500, 0, 0, 0, VERDICT_SAME, VERDICT_CNT},
};

static const struct compare_row *find_stat(const struct comparison *c, enum stat_id stat)
{
	for (int i = 0; i < c->row_cnt; i++)
		if (c->row[i].stat == stat)
			return &c->row[i];
	return NULL;
}

static void test_exact_blocks(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(interrupted); i++) {
		const struct compare_row *min, *p50;
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_interrupted(s.base_row, interrupted[i].base, interrupted[i].blocks,
				interrupted[i].base_hits);
		add_interrupted(s.new_row, interrupted[i].new, interrupted[i].blocks,
				interrupted[i].new_hits);
		compare(&s);
		min = find_stat(s.c, STAT_MIN);
		p50 = find_stat(s.c, STAT_P50);
		assert_true(min->exact && isnan(min->p));
		assert_true(min->change.estimate == interrupted[i].new - interrupted[i].base);
		if (min->verdict != interrupted[i].min ||
		    (p50 ? p50->verdict : VERDICT_CNT) != interrupted[i].p50)
			fail_msg("%zu: %s, %s", i, verdict_specs[min->verdict].name,
				 p50 ? verdict_specs[p50->verdict].name : "none");
		assert_true(!p50 || (!p50->exact && !isnan(p50->p)));
		assert_int_equal(s.c->untested, !p50);
		close_scene(&s);
	}
}

/* If one report has no minimum, the median is compared although there are few blocks, because nothing else can be. */
static void test_exact_without_min(void **state)
{
	for (int side = 0; side < 2; side++) {
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_interrupted(s.base_row, 500, 5, 0);
		add_interrupted(s.new_row, 500, 5, 0);
		(side ? s.new_row : s.base_row)->event[0].stat[STAT_MIN] = NAN;
		compare(&s);
		assert_non_null(find_stat(s.c, STAT_P50));
		assert_int_equal(find_stat(s.c, STAT_P50)->verdict, VERDICT_INCONCLUSIVE);
		assert_int_equal(s.c->untested, 0);
		close_scene(&s);
	}
}

/* If a limit names the mean, the means of the blocks are compared, as for a noisy event. */
static void test_exact_mean(void **state)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "instructions:mean>0");
	add_interrupted(s.base_row, 500, 20, 0x11);
	add_interrupted(s.new_row, 500, 20, 0xf2);
	row = compare(&s);
	assert_false(row->exact);
	assert_int_equal(row->verdict, VERDICT_SAME);
	close_scene(&s);
	open_scene(&s, "lb", "lb");
	add_limit(&s, "instructions:mean>0");
	add_interrupted(s.base_row, 500, 5, 0);
	add_interrupted(s.new_row, 501, 5, 0);
	assert_int_equal(compare(&s)->verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(s.c->untested, 0);
	close_scene(&s);
}

/* The program has an expensive path and a cheap one. The minimum shows only the cheap one. */
static void test_exact_paths(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_interrupted(s.base_row, 1000, 20, 0);
	add_interrupted(s.new_row, 1100, 20, 0);
	s.base_row->event[0].stat[STAT_MIN] = s.new_row->event[0].stat[STAT_MIN] = 50;
	compare(&s);
	assert_int_equal(find_stat(s.c, STAT_MIN)->verdict, VERDICT_SAME);
	assert_int_equal(find_stat(s.c, STAT_P50)->verdict, VERDICT_WORSE);
	assert_int_equal(s.c->verdict, VERDICT_WORSE);
	close_scene(&s);
}

/* ---- code that is shorter than in another load ---- */

/*
 * If the counts of one version depend on its maps' addresses, blocks that agree with one another do
 * not show a change.
 */
static void test_short_code(void **state)
{
	for (int side = 0; side < 2; side++) {
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_spread(s.base_row, "cycles", 100, 0.5, 8);
		add_spread(s.new_row, "cycles", 120, 0.5, 8);
		add_spread(s.base_row, "instructions", 22, 0, 8);
		add_spread(s.new_row, "instructions", 23, 0, 8);
		(side ? s.new : s.base)->prog[0].short_code = true;
		compare(&s);
		assert_true(s.c->row_cnt >= 2);
		assert_int_equal(s.c->cnt[VERDICT_INCONCLUSIVE], s.c->row_cnt);
		assert_int_equal(s.c->tests, 0);
		assert_non_null(strstr(s.c->row[0].why, "takes fewer instructions than usual"));
		assert_int_equal(comparison__outcome(s.c, 0), OUTCOME_INCONCLUSIVE);
		assert_int_equal(comparison__outcome(s.c, EXCUSE_INCONCLUSIVE), OUTCOME_PASS);
		close_scene(&s);
	}
}

/* Constants that are blinded at random are no change of the program. */
static void test_blinded(void **state)
{
	for (int side = 0; side < 2; side++) {
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_spread(s.base_row, "instructions", 22, 0, 8);
		add_spread(s.new_row, "instructions", 20, 0, 8);
		(side ? s.new : s.base)->prog[0].random_code = true;
		compare(&s);
		assert_int_equal(s.c->cnt[VERDICT_INCONCLUSIVE], s.c->row_cnt);
		assert_non_null(strstr(s.c->row[0].why, "blinds constants with random numbers"));
		close_scene(&s);
	}
}

/* If some runs of one version were slowed down, its mean is not that of the program. */
static void test_slowed(void **state)
{
	for (int side = 0; side < 2; side++) {
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_spread(s.base_row, "cycles", 100, 0.5, 8);
		add_spread(s.new_row, "cycles", 120, 0.5, 8);
		(side ? s.new : s.base)->prog[0].slowed_runs = 1;
		compare(&s);
		assert_int_equal(s.c->cnt[VERDICT_INCONCLUSIVE], s.c->row_cnt);
		assert_non_null(strstr(s.c->row[0].why, "run statistics were turned on"));
		close_scene(&s);
	}
}

/*
 * If the calibration of one version failed, its numbers contain the probe's cost, so there is no
 * verdict.
 */
static void test_uncalibrated(void **state)
{
	for (int side = 0; side < 2; side++) {
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_spread(s.base_row, "cycles", 100, 0.5, 8);
		add_spread(s.new_row, "cycles", 120, 0.5, 8);
		(side ? s.new : s.base)->prog[0].uncalibrated = true;
		compare(&s);
		assert_int_equal(s.c->cnt[VERDICT_INCONCLUSIVE], s.c->row_cnt);
		assert_non_null(strstr(s.c->row[0].why, "the calibration of a measurement failed"));
		close_scene(&s);
	}
}

/* Raw numbers are compared only with raw ones. Numbers without a probe are compared with both. */
static void test_half_net(void **state)
{
	for (int i = 0; i < 16; i++) {
		bool nets[2] = {i & 1, i & 2}, probed[2] = {i & 4, i & 8};
		bool refused = nets[0] != nets[1] && probed[0] && probed[1];
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_spread(s.base_row, "cycles", 100, 0.5, 8);
		add_spread(s.new_row, "cycles", 120, 0.5, 8);
		for (int side = 0; side < 2; side++) {
			struct report *r = side ? s.new : s.base;

			r->calibrated = nets[side];
			r->prog[0].probed = probed[side];
			if (nets[side])
				set_bias(&r->prog[0].all.event[0], 50, 1);
		}
		compare(&s);
		assert_true(s.c->row_cnt > 0);
		assert_int_equal(s.c->cnt[refused ? VERDICT_INCONCLUSIVE : VERDICT_WORSE],
				 s.c->row_cnt);
		assert_int_equal(!!strstr(s.c->row[0].why, "measure both with --no-calibrate"),
				 refused);
		close_scene(&s);
	}
}

/* ---- return values ---- */

/*
 * VARIOUS: the program returned several values. PACKETS_212: it returned 2, 1 and 2 to the three
 * packets of the case. PACKETS_211: it returned 2, 1 and 1.
 */
enum { UNKNOWN = -1, VARIOUS = -2, PACKETS_212 = -3, PACKETS_211 = -4 };

static void set_retval(struct report_prog *p, double retval)
{
	p->retval = retval < 0 ? NAN : retval;
	p->retval_varies = retval == VARIOUS;
	if (retval > PACKETS_212)
		return;
	p->retvals_cnt = 3;
	p->retvals = calloc(3, sizeof(*p->retvals));
	assert_non_null(p->retvals);
	memcpy(p->retvals, (__u32[]){2, 1, retval == PACKETS_212 ? 2 : 1}, 3 * sizeof(__u32));
}

static void open_retvals(struct scene *s, double base, double new)
{
	open_scene(s, "lb", "lb");
	add_spread(s->base_row, "cycles", 100, 0.5, 8);
	add_spread(s->new_row, "cycles", 50, 0.5, 8);
	add_exact(s->base_row, "instructions", 500);
	add_exact(s->new_row, "instructions", 20);
	set_retval(&s->base->prog[0], base);
	set_retval(&s->new->prog[0], new);
}

static const struct {
	double base, new;
	const char *why; /* how the reason of the refusal begins; NULL: not refused */
} retvals[] = {
	{2, 2, NULL},
	{0, 0, NULL},
	{VARIOUS, VARIOUS, NULL},
	{UNKNOWN, 2, NULL}, /* reports of live traffic have no return values */
	{2, UNKNOWN, NULL},
	{UNKNOWN, VARIOUS, NULL},
	{PACKETS_212, PACKETS_212, NULL},
	{PACKETS_212, PACKETS_211, "returned XDP_DROP to packet 3, in the base XDP_PASS: "},
	{PACKETS_212, 2, "returned XDP_PASS, in the base values that depend on the packet: "},
	{PACKETS_212, VARIOUS,
	 "returned various values, in the base values that depend on the packet: "},
	{PACKETS_212, UNKNOWN, NULL},
	{2, 1, "returned XDP_DROP, in the base XDP_PASS: "},
	{0, 4294967295, "returned -1, in the base XDP_ABORTED: "},
	{2, VARIOUS, "returned various values, in the base XDP_PASS: "},
	{VARIOUS, 2, "returned XDP_PASS, in the base various values: "},
};

/* A faster program that drops everything is not an improvement. */
static void test_retvals(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(retvals); i++) {
		const char *why = retvals[i].why;
		struct scene s;

		open_retvals(&s, retvals[i].base, retvals[i].new);
		compare(&s);
		for (int k = 0; k < s.c->row_cnt; k++) {
			const struct compare_row *row = &s.c->row[k];

			assert_int_equal(row->verdict, why ? VERDICT_INCONCLUSIVE : VERDICT_BETTER);
			assert_int_equal(row->refused, !!why);
			assert_int_equal(strncmp(row->why, why ?: "", strlen(why ?: "")), 0);
			/*
			 * a refused row is not tested, and does not count in the correction of the
			 * other rows' p
			 */
			assert_true(!why || isnan(row->p));
		}
		assert_int_equal(comparison__outcome(s.c, ~0U),
				 why ? OUTCOME_INCONCLUSIVE : OUTCOME_PASS);
		/* the rows are compared if the user explicitly allows a change of return values */
		s.allow_retval_change = true;
		compare(&s);
		assert_int_equal(s.c->cnt[VERDICT_BETTER], s.c->row_cnt);
		assert_int_equal(s.c->returned, !!why);
		assert_int_equal(!!s.c->row[0].returned.base, !!why);
		assert_int_equal(comparison__outcome(s.c, 0), OUTCOME_PASS);
		close_scene(&s);
	}
}

/*
 * Each input case is compared on its own. If a program is refused, its functions are refused, too.
 * Another case that is worse still makes the outcome "worse".
 */
static void test_retval_cases(void **state)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	for (int i = 0; i < 2; i++) {
		struct report *r = i ? s.new : s.base;
		struct report_prog *p = add_prog(r, i + 1, "lb", "parse", 9);

		p->subprog = true;
		add_spread(&p->all, "cycles", i ? 50 : 100, 0.5, 8);
		p = add_prog(r, i + 1, "lb", "lb", 9);
		p->input = strdup("other");
		add_spread(&p->all, "cycles", i ? 120 : 100, 0.5, 8);
		set_retval(p, 2);
		add_spread(&r->prog[0].all, "cycles", 100, 0.5, 8);
		set_retval(&r->prog[0], i ? 1 : 2);
	}
	row = compare(&s);
	assert_int_equal(s.c->row_cnt, 3);
	assert_int_equal(row[0].verdict, VERDICT_WORSE);
	assert_string_equal(compare_row__input(&row[0]), "other");
	assert_true(row[1].refused && row[2].refused);
	assert_int_equal(s.c->tests, 1);
	assert_int_equal(comparison__outcome(s.c, ~0U), OUTCOME_WORSE);
	close_scene(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise),		cmocka_unit_test(test_one_session),
		cmocka_unit_test(test_rows_add_up),	cmocka_unit_test(test_other_way),
		cmocka_unit_test(test_numbers),		cmocka_unit_test(test_few_blocks),
		cmocka_unit_test(test_blocks_without),	cmocka_unit_test(test_holm),
		cmocka_unit_test(test_family_of_tests), cmocka_unit_test(test_error_rates),
		cmocka_unit_test(test_exact),		cmocka_unit_test(test_mean_only),
		cmocka_unit_test(test_half_exact),	cmocka_unit_test(test_exact_blocks),
		cmocka_unit_test(test_exact_mean),	cmocka_unit_test(test_exact_paths),
		cmocka_unit_test(test_short_code),	cmocka_unit_test(test_blinded),
		cmocka_unit_test(test_slowed),		cmocka_unit_test(test_uncalibrated),
		cmocka_unit_test(test_half_net),	cmocka_unit_test(test_retvals),
		cmocka_unit_test(test_retval_cases),	cmocka_unit_test(test_exact_without_min),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
