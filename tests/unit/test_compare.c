// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Verdicts: what is worse, what passes, and what is never a pass.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "compare.h"
#include "compare_models.h"
#include "util.h"

/* Two reports of one program each, and what comes of them. */
struct scene {
	struct report *base, *new;
	struct report_row *base_row, *new_row;
	struct compare_limits limits;
	struct compare_matches matches;
	struct comparison *c;
	struct compare_error err;
};

static void open_scene(struct scene *s, const char *base_name, const char *new_name)
{
	*s = (struct scene){.base = make_base(), .new = make_base()};
	s->base_row = &add_prog(s->base, 1, base_name, base_name, 8000)->all;
	s->new_row = &add_prog(s->new, 2, new_name, new_name, 8000)->all;
}

static void add_limit(struct scene *s, const char *spec)
{
	assert_int_equal(compare_limits__add(&s->limits, spec, NULL), 0);
}

static int try_compare(struct scene *s)
{
	const struct compare_opts o = {&s->limits, &s->matches};
	int err;

	comparison__free(s->c);
	memset(&s->err, 0, sizeof(s->err));
	err = compare__reports(s->base, s->new, &o, &s->c, &s->err);
	assert_int_equal(!s->c, !!err);
	assert_int_equal(!*s->err.text, !err);
	return err;
}

static const struct compare_row *compare(struct scene *s)
{
	if (try_compare(s))
		fail_msg("%s", s->err.text);
	assert_true(s->c->row_cnt > 0);
	return &s->c->row[0];
}

static void close_scene(struct scene *s)
{
	comparison__free(s->c);
	compare_limits__free(&s->limits);
	compare_matches__free(&s->matches);
	report__free(s->base);
	report__free(s->new);
}

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.15g, expected %.15g", got, want);
}

/* ---- noise ---- */

/* Eight blocks around base, 0.5 apart from one to the next, against eight around new. */
static const struct {
	double base, new;
	double step; /* 0: all the same */
	const char *limit;
	enum verdict verdict;
} noise[] = {
	{100, 110, 0.5, "cycles:p50>2%", VERDICT_WORSE},
	{100, 90, 0.5, "cycles:p50>2%", VERDICT_BETTER},
	{100, 100, 0.5, "cycles:p50>5%", VERDICT_SAME},
	/* significant, but no larger than the limit */
	{100, 110, 0.5, "cycles:p50>12%", VERDICT_SAME},
	{100, 90, 0.5, "cycles:p50>12%", VERDICT_SAME},
	/* amounts */
	{100, 110, 0.5, "cycles:mean>9", VERDICT_WORSE},
	{100, 110, 0.5, "cycles:mean>11", VERDICT_SAME},
	{100, 90, 0.5, "cycles:mean>9", VERDICT_BETTER},
	/* no change is seen, but one of 2 % could be there: that is no pass */
	{100, 100, 2, "cycles:p50>2%", VERDICT_INCONCLUSIVE},
	{100, 103, 2, "cycles:p50>2%", VERDICT_INCONCLUSIVE},
	{100, 95.1, 2, "cycles:p50>2%", VERDICT_SAME},
	{100, 100, 2, "cycles:p50>10%", VERDICT_SAME},
	/* nothing larger than "any" can be left out, unless all is the same */
	{100, 100, 0.5, "cycles:p50>0", VERDICT_INCONCLUSIVE},
	{100, 100, 0, "cycles:p50>0", VERDICT_SAME},
	{100, 100.1, 0, "cycles:p50>0", VERDICT_WORSE},
	{100, 100.1, 0, "cycles:p50>1%", VERDICT_SAME},
	/* of 0 and less there is no ratio; any change is more than any share of 0 */
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
	/* as test_stats.c has them from R */
	assert_near(row->change.estimate, 12.3);
	assert_near(row->change.low, 9.9);
	assert_near(row->change.high, 14.8);
	assert_near(row->share.estimate, 0.0811294923780059);
	assert_near(row->share.low, 0.0656063618290257);
	assert_near(row->share.high, 0.0980781974817762);
	assert_near(row->p, 0.0003108003108003108);
	assert_near(row->adjusted_p, row->p);
	assert_int_equal(row->verdict, VERDICT_WORSE);
	assert_ptr_equal(row->limit, &s.limits.v[0]);
	assert_int_equal(comparison__exit_status(s.c, ~0U), EXIT_REGRESSION);
	close_scene(&s);
}

/* One block less is not enough, whatever it says. */
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

/* A statistic that some blocks have not is known of the others only; one of no block, of none. */
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

/* ---- many comparisons ---- */

/* The same difference in cnt programs; six blocks have p = 2/924 at best. */
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
	/* six blocks say nothing any more: no pass, although no p is below 0.05 */
	check_family(24, VERDICT_INCONCLUSIVE, 48. / 924);
}

/* What is exact, or cannot be tested, is no comparison that p is corrected for. */
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

/* ---- noise as it is: a fixed sequence, so that it is the same each time ---- */

static double next_uniform(__u64 *seed)
{
	/* Knuth's MMIX */
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((*seed >> 11) + 0.5) / 0x1p53;
}

/* A block's median: log-normal by 2 %, and one in 16 is disturbed. */
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

	/* alpha is 5 % */
	assert_in_range(count_verdicts(1, 10, changed), 0, 50);
	assert_in_range(count_verdicts(1, 6, changed), 0, 50);
	assert_in_range(count_verdicts(1.1, 10, 1U << VERDICT_WORSE), 950, 1000);
	/* a regression of twice the limit hardly ever passes */
	assert_in_range(count_verdicts(1.04, 10, 1U << VERDICT_SAME | 1U << VERDICT_BETTER), 0, 25);
}

/* ---- exact events ---- */

static const struct {
	double base, new;
	const char *limit; /* NULL: the default */
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

/* One report's word is not enough, nor that all blocks agree. */
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

/* ---- the default ---- */

static void test_default(void **state)
{
	const struct compare_row *row;
	struct scene s;

	/* the median, or the mean where not both have it: run_stats has no other */
	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 103, 0.1, 8);
	add_spread(s.base_row, "time", 100, 0.1, 8);
	add_spread(s.new_row, "time", 101, 0.1, 8)->stat[STAT_P50] = NAN;
	row = compare(&s);
	assert_int_equal(s.c->row_cnt, 2);
	assert_string_equal(row[0].event, "cycles");
	assert_int_equal(row[0].stat, STAT_P50);
	assert_int_equal(row[0].verdict, VERDICT_WORSE);
	assert_string_equal(row[0].limit->bound, ">2%");
	assert_string_equal(row[1].event, "time");
	assert_int_equal(row[1].stat, STAT_MEAN);
	assert_int_equal(row[1].verdict, VERDICT_SAME);
	close_scene(&s);
}

/* Of several limits on one statistic each counts; it is one comparison. */
static void test_several_limits(void **state)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "*:p50>50%");
	add_limit(&s, "lb/cycles:p50>2%");
	add_limit(&s, "cycles:p50>1000");
	add_limit(&s, "cycles:mean>50%");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 110, 0.5, 8);
	row = compare(&s);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(s.c->tests, 2);
	assert_int_equal(row[0].verdict, VERDICT_WORSE);
	assert_ptr_equal(row[0].limit, &s.limits.v[1]);
	assert_int_equal(row[1].stat, STAT_MEAN);
	assert_int_equal(row[1].verdict, VERDICT_SAME);
	close_scene(&s);
}

/* ---- what is in one report only ---- */

static void test_one_sided(void **state)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "*:p50>2%");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	compare(&s);
	assert_int_equal(comparison__exit_status(s.c, 0), EXIT_DONE);
	/* an event, or its values */
	add_spread(s.new_row, "time", 100, 0.5, 8);
	add_spread(s.base_row, "branches", 100, 0.5, 8);
	set_status(add_event(s.new_row, "branches", 0), EVENT_NOT_SUPPORTED, "no PMU");
	/* a program */
	add_spread(&add_prog(s.new, 3, "added", "added", 9)->all, "cycles", 1, 1, 8);
	row = compare(&s);
	assert_int_equal(s.c->row_cnt, 4);
	assert_int_equal(row[0].verdict, VERDICT_GONE);
	assert_string_equal(row[0].event, "branches");
	assert_true(isnan(row[0].new_value) && !isnan(row[0].base_value));
	assert_true(isnan(row[0].change.estimate));
	assert_int_equal(row[1].verdict, VERDICT_NEW);
	assert_string_equal(row[1].event, "time");
	assert_int_equal(row[2].verdict, VERDICT_NEW);
	assert_null(row[2].base);
	assert_int_equal(row[3].verdict, VERDICT_SAME);
	assert_int_equal(s.c->verdict, VERDICT_GONE);
	/* never a pass, unless just that is said to be one */
	assert_int_equal(comparison__exit_status(s.c, 0), EXIT_INCONCLUSIVE);
	assert_int_equal(comparison__exit_status(s.c, EXCUSE_INCONCLUSIVE), EXIT_INCONCLUSIVE);
	assert_int_equal(comparison__exit_status(s.c, EXCUSE_ONE_SIDED), EXIT_DONE);
	close_scene(&s);
}

/* Neither has a value: left out, and counted, unless it was asked for by its name. */
static void test_unmeasured(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	set_status(add_event(s.base_row, "time", 0), EVENT_NOT_COUNTED, NULL);
	set_status(add_event(s.new_row, "time", 0), EVENT_NOT_COUNTED, NULL);
	compare(&s);
	assert_int_equal(s.c->row_cnt, 1);
	assert_int_equal(s.c->unmeasured, 1);
	assert_int_equal(comparison__exit_status(s.c, 0), EXIT_DONE);
	add_limit(&s, "*:p50>2%");
	add_limit(&s, "time:p50>2%");
	compare(&s);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(s.c->unmeasured, 0);
	assert_int_equal(s.c->row[0].verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(s.c->row[0].why, "neither report has a value of it");
	assert_int_equal(comparison__exit_status(s.c, EXCUSE_ONE_SIDED), EXIT_INCONCLUSIVE);
	assert_int_equal(comparison__exit_status(s.c, EXCUSE_INCONCLUSIVE), EXIT_DONE);
	close_scene(&s);
}

/* The same name, but not the same thing. */
static void test_units(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "energy", 100, 0.5, 8);
	free(add_spread(s.new_row, "energy", 100, 0.5, 8)->unit);
	s.new_row->event[0].unit = strdup("Joules");
	compare(&s);
	assert_int_equal(s.c->row[0].verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(s.c->row[0].why, "the reports have the event in different units");
	assert_int_equal(s.c->tests, 0);
	close_scene(&s);
}

/* ---- what cannot be compared ---- */

static void assert_refused(struct scene *s, int err, const char *text)
{
	assert_int_equal(try_compare(s), err);
	assert_string_equal(s->err.text, text);
}

static void test_refused(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "fw\033[2J");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	for (int i = 0; i < 4; i++)
		add_prog(s.new, 9, "fw2", "fw2", 1);
	assert_refused(&s, -ENODATA,
		       "no program is in both reports: the base has lb, the new one fw\\x1b[2J, "
		       "fw2, fw2 and 2 more; --match OLD=NEW pairs what was renamed");
	assert_int_equal(compare_matches__add(&s.matches, "lb=xy", NULL), 0);
	assert_refused(&s, -EINVAL,
		       "--match lb=xy: no such two programs of one type and input case, the first "
		       "in the base, the second in the new report");
	close_scene(&s);

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "time", 100, 0.5, 8);
	assert_refused(&s, -ENODATA, "nothing that both reports have measured is left to compare");
	add_limit(&s, "*:p50>2%");
	add_limit(&s, "lb/cycels:p50>2%");
	assert_refused(&s, -EINVAL,
		       "--fail-on lb/cycels:p50>2%: neither report has such an event of such a "
		       "program");
	close_scene(&s);

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	add_limit(&s, "cycles:p50>2us");
	assert_refused(&s, -EINVAL, "--fail-on cycles:p50>2us: cycles is not counted in ns");
	report__free(s.new);
	s.new = make_base();
	assert_refused(&s, -ENODATA, "the new report has no programs");
	close_scene(&s);
}

/* ---- the whole ---- */

static void test_order(void **state)
{
	static const struct {
		const char *event;
		double base, new;
	} events[] = {{"same", 100, 100},    {"worse_2", 100, 120}, {"better_1", 100, 10},
		      {"worse_3", 100, 110}, {"worse_1", 10, 40},   {"better_2", 100, 80}};
	static const char *const want[] = {"worse_1",  "worse_2",  "worse_3",
					   "better_1", "better_2", "same"};
	struct scene s;

	open_scene(&s, "lb", "lb");
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		add_spread(s.base_row, events[i].event, events[i].base, 0.01, 8);
		add_spread(s.new_row, events[i].event, events[i].new, 0.01, 8);
	}
	compare(&s);
	assert_int_equal(s.c->row_cnt, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_string_equal(s.c->row[i].event, want[i]);
	assert_int_equal(s.c->cnt[VERDICT_WORSE], 3);
	assert_int_equal(s.c->cnt[VERDICT_BETTER], 2);
	close_scene(&s);
}

/* Any verdict has a name and a status that is none of those of success, but for the good ones. */
static void test_statuses(void **state)
{
	static const int want[VERDICT_CNT][4] = {
		/* excuses: none, inconclusive, one-sided, both */
		[VERDICT_WORSE] = {3, 3, 3, 3},	 [VERDICT_INCONCLUSIVE] = {5, 0, 5, 0},
		[VERDICT_GONE] = {5, 5, 0, 0},	 [VERDICT_NEW] = {5, 5, 0, 0},
		[VERDICT_BETTER] = {0, 0, 0, 0}, [VERDICT_SAME] = {0, 0, 0, 0},
	};

	for (int v = 0; v < VERDICT_CNT; v++) {
		struct comparison c = {};

		assert_non_null(verdict_specs[v].name);
		c.cnt[v] = c.cnt[VERDICT_SAME] = 1;
		for (unsigned int excuses = 0; excuses < 4; excuses++)
			assert_int_equal(comparison__exit_status(&c, excuses), want[v][excuses]);
		/* worse stays what it is, whatever else there is */
		c.cnt[VERDICT_WORSE] = 1;
		assert_int_equal(comparison__exit_status(&c, ~0U), 3);
	}
}

static void assert_difference(const struct comparison *c, int i, const char *what, const char *base,
			      const char *new)
{
	assert_true(i < c->difference_cnt);
	assert_string_equal(c->difference[i].what, what);
	assert_string_equal(c->difference[i].base, base);
	assert_string_equal(c->difference[i].new, new);
}

static void test_differences(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	compare(&s);
	assert_int_equal(s.c->difference_cnt, 0);
	s.new->host.kernel[0] = '7';
	free(s.new->host.arch);
	s.new->host.arch = NULL;
	s.base->host.cpu_model[0] = 'X';
	s.new->host.jit = false;
	s.new->calibrated = false;
	s.new->prog[0].method = "run_stats";
	add_spread(s.new_row, "time", 100, 0.5, 8);
	compare(&s);
	assert_int_equal(s.c->difference_cnt, 7);
	assert_difference(s.c, 0, "kernel", "6.12.57", "7.12.57");
	assert_difference(s.c, 1, "architecture", "aarch64", "unknown");
	assert_difference(s.c, 2, "CPU", "Xortex-A72", "Cortex-A72");
	assert_difference(s.c, 3, "JIT", "on", "off");
	assert_difference(s.c, 4, "events", "cycles", "cycles,time");
	assert_difference(s.c, 5, "calibration", "yes (net)", "no (raw)");
	assert_difference(s.c, 6, "method of lb", "fentry", "run_stats");
	close_scene(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise),	       cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_few_blocks),     cmocka_unit_test(test_blocks_without),
		cmocka_unit_test(test_holm),	       cmocka_unit_test(test_family_of_tests),
		cmocka_unit_test(test_error_rates),    cmocka_unit_test(test_exact),
		cmocka_unit_test(test_half_exact),     cmocka_unit_test(test_default),
		cmocka_unit_test(test_several_limits), cmocka_unit_test(test_one_sided),
		cmocka_unit_test(test_unmeasured),     cmocka_unit_test(test_units),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_order),
		cmocka_unit_test(test_statuses),       cmocka_unit_test(test_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
