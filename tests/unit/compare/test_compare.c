// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which values are compared: with the default limits, with several limits, in rows that only
 * one report has, and in rows that cannot be compared. Also tests the overall verdict.
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

/* ---- the default limits ---- */

static void test_default(void **state)
{
	const struct compare_row *row;
	struct scene s;

	/*
	 * medians are compared; if one report has no median, as with run_stats, means are compared
	 */
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

/*
 * If several limits apply to a statistic, all are checked, but the statistic is compared only once.
 */
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
	/* of two limits that are both exceeded, the first one is shown */
	add_limit(&s, "cycles:p50>3%");
	assert_ptr_equal(compare(&s)->limit, &s.limits.v[1]);
	close_scene(&s);
}

/* ---- programs and events that only one report has ---- */

static void test_one_sided(void **state)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "*:p50>2%");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	compare(&s);
	assert_int_equal(comparison__outcome(s.c, 0), OUTCOME_PASS);
	/* only the new report has the event time, and only the base has values of branches */
	add_spread(s.new_row, "time", 100, 0.5, 8);
	add_spread(s.base_row, "branches", 100, 0.5, 8);
	set_status(add_event(s.new_row, "branches", 0), EVENT_NOT_SUPPORTED, "no PMU");
	/* only one report has the program */
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
	/*
	 * a row that only one report has prevents a pass, unless the user explicitly accepts such
	 * rows
	 */
	assert_int_equal(comparison__outcome(s.c, 0), OUTCOME_INCONCLUSIVE);
	assert_int_equal(comparison__outcome(s.c, EXCUSE_INCONCLUSIVE), OUTCOME_INCONCLUSIVE);
	assert_int_equal(comparison__outcome(s.c, EXCUSE_ONE_SIDED), OUTCOME_PASS);
	close_scene(&s);
}

/*
 * If neither report has a value of an event, the event is left out and counted in unmeasured. If a
 * limit names the event, the event is inconclusive.
 */
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
	assert_int_equal(comparison__outcome(s.c, 0), OUTCOME_PASS);
	add_limit(&s, "*:p50>2%");
	add_limit(&s, "time:p50>2%");
	compare(&s);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(s.c->unmeasured, 0);
	assert_int_equal(s.c->row[0].verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(s.c->row[0].why, "neither report has a value");
	assert_int_equal(comparison__outcome(s.c, EXCUSE_ONE_SIDED), OUTCOME_INCONCLUSIVE);
	assert_int_equal(comparison__outcome(s.c, EXCUSE_INCONCLUSIVE), OUTCOME_PASS);
	close_scene(&s);
}

/*
 * Two events of the same name are distinguished by their order. An event that only one report has
 * is reported.
 */
static void test_same_name(void **state)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.base_row, "cycles", 200, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 220, 0.5, 8);
	add_spread(s.new_row, "cycles", 300, 0.5, 8);
	row = compare(&s);
	assert_int_equal(s.c->row_cnt, 3);
	assert_int_equal(row[0].verdict, VERDICT_WORSE);
	assert_true(row[0].base_value == 200 && row[0].new_value == 220);
	assert_int_equal(row[1].verdict, VERDICT_NEW);
	assert_int_equal(row[2].verdict, VERDICT_SAME);
	close_scene(&s);
}

/* The two events have the same name and different units. */
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

/*
 * A value that one report knows only to within a bucket makes the comparison as rough as two such
 * values do.
 */
static void test_rough(void **state)
{
	for (int sides = 0; sides < 4; sides++) {
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_spread(s.base_row, "cycles", 100, 0.5, 8);
		add_spread(s.new_row, "cycles", 100, 0.5, 8);
		if (sides & 1)
			set_bounds(&s.base_row->event[0], STAT_P50, 99, 101);
		if (sides & 2)
			set_bounds(&s.new_row->event[0], STAT_P50, 99, 101);
		assert_int_equal(compare(&s)->rough, sides > 0);
		close_scene(&s);
	}
}

/* Coarse buckets can hide larger changes; rough_share says how large. */
static void test_coarse(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	set_bounds(&s.base_row->event[0], STAT_P50, 96, 108);
	set_bounds(&s.new_row->event[0], STAT_P50, 99, 100);
	assert_true(compare(&s)->rough_share == 0.125);
	set_bounds(&s.base_row->event[0], STAT_P50, 99, 100);
	assert_true(compare(&s)->rough_share == 0);
	close_scene(&s);
}

/* ---- reports that cannot be compared ---- */

static void assert_refused(struct scene *s, int err, const char *text)
{
	assert_int_equal(try_compare(s), err);
	assert_string_equal(s->err.detail, text);
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
		       "fw2, fw2 and 2 more; pair renamed programs with --match OLD=NEW");
	assert_int_equal(compare_matches__add(&s.matches, "lb=xy", NULL), 0);
	assert_refused(
		&s, -EINVAL,
		"--match lb=xy: no two such programs with the same type and input case, the first "
		"in the base, the second in the new report");
	close_scene(&s);

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "time", 100, 0.5, 8);
	assert_refused(&s, -ENODATA, "no statistic has a value in both reports");
	s.new->prog[0].method = "run_stats";
	assert_refused(
		&s, -ENODATA,
		"no statistic has a value in both reports: the method run_stats gives a mean "
		"only");
	add_limit(&s, "*:p50>2%");
	add_limit(&s, "lb/cycels:p50>2%");
	assert_refused(&s, -EINVAL,
		       "--fail-on lb/cycels:p50>2%: there is no event 'cycels'; did you mean "
		       "'cycles'?");
	close_scene(&s);

	open_scene(&s, "xdp_lb", "xdp_lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	add_limit(&s, "xpd_lb/cycles:p50>2%");
	assert_refused(&s, -EINVAL,
		       "--fail-on xpd_lb/cycles:p50>2%: there is no program 'xpd_lb'; did you mean "
		       "'xdp_lb'?");
	close_scene(&s);

	open_scene(&s, "xdp_lb", "xdp_lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	add_spread(&add_prog(s.base, 9, "fw", "fw", 1)->all, "time", 100, 0.5, 8);
	add_limit(&s, "xdp_*/time:p50>2%");
	assert_refused(&s, -EINVAL,
		       "--fail-on xdp_*/time:p50>2%: no program 'xdp_*' has an event 'time'");
	close_scene(&s);

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "branches", 100, 0.5, 8);
	add_limit(&s, "brunches:p50>2%");
	assert_refused(&s, -EINVAL,
		       "--fail-on brunches:p50>2%: there is no event 'brunches'; did you mean "
		       "'branches'?");
	close_scene(&s);

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 100, 0.5, 8);
	add_limit(&s, "cycles:p50>2us");
	assert_refused(&s, -EINVAL, "--fail-on cycles:p50>2us: cycles is not counted in ns");
	/* the limit is also refused if only the base counts the event in another unit */
	free(s.new_row->event[0].unit);
	s.new_row->event[0].unit = strdup("ns");
	assert_refused(&s, -EINVAL, "--fail-on cycles:p50>2us: cycles is not counted in ns");
	report__free(s.new);
	s.new = make_base();
	assert_refused(&s, -ENODATA, "the new report has no programs");
	close_scene(&s);
}

/* ---- the overall verdict ---- */

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

/*
 * Every verdict has a name. The outcome is a pass if the verdict is good or if the user accepts it.
 */
static void test_outcomes(void **state)
{
	enum { pass = OUTCOME_PASS, worse = OUTCOME_WORSE, unsure = OUTCOME_INCONCLUSIVE };
	static const int want[VERDICT_CNT][4] = {
		/*
		 * columns: the user accepts nothing, EXCUSE_INCONCLUSIVE, EXCUSE_ONE_SIDED, or both
		 */
		[VERDICT_WORSE] = {worse, worse, worse, worse},
		[VERDICT_INCONCLUSIVE] = {unsure, pass, unsure, pass},
		[VERDICT_GONE] = {unsure, unsure, pass, pass},
		[VERDICT_NEW] = {unsure, unsure, pass, pass},
		[VERDICT_BETTER] = {pass, pass, pass, pass},
		[VERDICT_SAME] = {pass, pass, pass, pass},
	};

	for (int v = 0; v < VERDICT_CNT; v++) {
		struct compare_row row[] = {{.verdict = v}, {.verdict = VERDICT_SAME}};
		struct comparison c = {.row = row, .row_cnt = 2};

		assert_non_null(verdict_specs[v].name);
		for (unsigned int excuses = 0; excuses < 4; excuses++)
			assert_int_equal(comparison__outcome(&c, excuses), want[v][excuses]);
		/* if one verdict is "worse", so is the outcome, whatever the other verdicts are */
		row[0].verdict = VERDICT_WORSE;
		row[1].verdict = v;
		assert_int_equal(comparison__outcome(&c, ~0U), OUTCOME_WORSE);
	}
}

/*
 * A program that returns another value is never a pass, even if the user accepts inconclusive rows.
 */
static void test_refused_status(void **state)
{
	struct compare_row row = {.verdict = VERDICT_INCONCLUSIVE, .refused = true};
	const struct comparison c = {.row = &row, .row_cnt = 1};

	assert_int_equal(comparison__outcome(&c, ~0U), OUTCOME_INCONCLUSIVE);
	assert_false(compare_row__is_excused(&row, ~0U));
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
	s.new->prog[0].uncalibrated = true;
	compare(&s);
	assert_difference(s.c, 5, "calibration", "yes (net)", "failed (raw)");
	/* the difference names each event once */
	add_spread(s.new_row, "time", 100, 0.5, 8);
	add_spread(&add_prog(s.new, 3, "fw", "fw", 8000)->all, "cycles", 100, 0.5, 8);
	compare(&s);
	assert_difference(s.c, 4, "events", "cycles", "cycles,time");
	/* the order of the programs, and thus of their events, is no difference */
	add_spread(&add_prog(s.base, 3, "a", "a", 8000)->all, "time", 100, 0.5, 8);
	s.base->prog[0].all.event[0].name[0] = 't';
	add_spread(s.base_row = &s.base->prog[0].all, "cycles", 100, 0.5, 8);
	strcpy(s.base->prog[0].all.event[0].name, "time");
	compare(&s);
	for (int i = 0; i < s.c->difference_cnt; i++)
		assert_string_not_equal(s.c->difference[i].what, "events");
	close_scene(&s);
}

/*
 * A history compares only commits with equal environments, and asks for their properties one by
 * one.
 */
static void test_properties(void **state)
{
	static const char *const want[][2] = {
		{"kernel", "6.12.57"}, {"architecture", "aarch64"}, {"CPU", "Cortex-A72"},
		{"JIT", "on"},	       {"events", "cycles,time"},   {"calibration", "yes (net)"},
	};
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 1, "lb", "lb", 8000);
	const char *what;
	char *value;

	add_event(&p->all, "cycles", 100);
	add_event(&p->all, "time", 100);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_true(compare__property(r, i, &what, &value));
		assert_string_equal(what, want[i][0]);
		assert_string_equal(value, want[i][1]);
		free(value);
	}
	assert_false(compare__property(r, ARRAY_SIZE(want), &what, &value));
	report__free(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default),	    cmocka_unit_test(test_several_limits),
		cmocka_unit_test(test_one_sided),   cmocka_unit_test(test_unmeasured),
		cmocka_unit_test(test_same_name),   cmocka_unit_test(test_units),
		cmocka_unit_test(test_refused),	    cmocka_unit_test(test_order),
		cmocka_unit_test(test_outcomes),    cmocka_unit_test(test_refused_status),
		cmocka_unit_test(test_differences), cmocka_unit_test(test_rough),
		cmocka_unit_test(test_coarse),	    cmocka_unit_test(test_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
