// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests repeats: the mean and its deviation, as in perf stat -r.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "base/memory.h"
#include "base/util.h"
#include "report/report.h"

enum { REPEATS = 3 };

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.15g, expected %.15g", got, want);
}

static void free_reports(struct report *whole, struct report **each)
{
	report__free(whole);
	for (int i = 0; i < REPEATS; i++)
		report__free(each[i]);
}

/* ---- repeats of programs ---- */

/* Returns a report of two programs with two events each. The events have these means. */
static struct report *report_of_means(const double means[4])
{
	struct report *r = report__new();

	assert_non_null(r);
	for (int p = 0; p < 2; p++) {
		struct report_prog *prog = report__add_prog(r);

		assert_non_null(prog);
		prog->all.measured = 10;
		for (int e = 0; e < 2; e++) {
			struct report_event *ev = report_row__add_event(&prog->all);

			assert_non_null(ev);
			ev->stat[STAT_MEAN] = means[2 * p + e];
			ev->total = 1234;
			ev->measured = 10;
		}
	}
	return r;
}

static void test_programs(void **state)
{
	static const double means[REPEATS][4] = {
		{10, 5, 100, 7}, {12, 5, 400, NAN}, {17, 5, 700, 9}};
	struct report *whole = report_of_means(means[0]), *each[REPEATS];

	for (int i = 0; i < REPEATS; i++)
		each[i] = report_of_means(means[i]);
	/* a single repeat has no deviation */
	report__set_repeats(whole, each, 1);
	assert_int_equal(whole->repeats, 1);
	assert_true(isnan(whole->prog[0].all.event[0].repeat_stddev));
	/* as perf's stddev_stats(): sqrt(sum of squares / (n - 1) / n) */
	report__set_repeats(whole, each, REPEATS);
	assert_int_equal(whole->repeats, 3);
	assert_near(whole->prog[0].all.event[0].repeat_stddev, sqrt(26. / 2 / 3));
	assert_true(whole->prog[0].all.event[1].repeat_stddev == 0);
	assert_near(whole->prog[1].all.event[0].repeat_stddev, sqrt(180000. / 2 / 3));
	/* this event was not measured in one of the repeats */
	assert_true(isnan(whole->prog[1].all.event[1].repeat_stddev));
	/*
	 * adding the repeats' deviation changes no other value: total and mean are those of all
	 * repeats together
	 */
	assert_true(whole->prog[0].all.event[0].total == 1234);
	assert_true(whole->prog[0].all.event[0].stat[STAT_MEAN] == 10);
	report__set_repeats(whole, each, 2);
	assert_near(whole->prog[0].all.event[0].repeat_stddev, 1);
	free_reports(whole, each);
}

/*
 * The values of each repeat are kept for comparisons, except for repeats in which nothing was
 * measured.
 */
static void test_blocks(void **state)
{
	static const double means[REPEATS][4] = {{10, 5, 1, 7}, {12, 5, 4, 8}, {17, 5, 7, 9}};
	struct report *whole = report_of_means(means[0]), *each[REPEATS];
	const struct report_event *ev = whole->prog[0].all.event;

	for (int i = 0; i < REPEATS; i++)
		each[i] = report_of_means(means[i]);
	each[2]->prog[0].all.event[0].stat[STAT_P99] = 42;
	each[1]->prog[0].all.event[1].measured = 0;
	each[2]->prog[0].all.event[1].status = EVENT_NOT_COUNTED;
	report__set_repeats(whole, each, 1);
	assert_int_equal(ev[0].block_cnt, 0);
	report__set_repeats(whole, each, REPEATS);
	assert_int_equal(ev[0].block_cnt, REPEATS);
	for (int i = 0; i < REPEATS; i++) {
		assert_int_equal(ev[0].block[i].measured, 10);
		assert_true(ev[0].block[i].stat[STAT_MEAN] == means[i][0]);
	}
	assert_true(isnan(ev[0].block[0].stat[STAT_P99]) && ev[0].block[2].stat[STAT_P99] == 42);
	assert_int_equal(ev[1].block_cnt, 1);
	assert_int_equal(whole->prog[1].all.event[1].block_cnt, REPEATS);
	free_reports(whole, each);
}

/* Adds a row of a function of a program, which costs "mean". */
static void add_row(struct report *r, __u32 id, const char *func, double mean)
{
	struct report_prog *p = report__add_prog(r);
	struct report_event *ev;

	p->id = id;
	p->name = xstrdup("prog");
	p->func = xstrdup(func);
	p->all.measured = 10;
	ev = report_row__add_event(&p->all);
	report_event__set_names(ev, "time", "time", "ns");
	ev->stat[STAT_MEAN] = mean;
	ev->measured = 10;
}

/*
 * A kernel function that was not called in a repeat (--calls) has no row there, so that the rows
 * after it are in other places. bench loads the programs again in each repeat.
 */
static void test_missing_rows(void **state)
{
	static const char *const funcs[] = {"main", "main:find", "main:other"};

	for (int driven = 0; driven < 2; driven++) {
		struct report *whole = report__new(), *each[REPEATS];

		whole->driven = driven;
		for (int row = 0; row < 6; row++)
			add_row(whole, 1 + row / 3, funcs[row % 3], 100 * row);
		for (int k = 0; k < REPEATS; k++) {
			each[k] = report__new();
			each[k]->driven = driven;
			for (int row = 0; row < 6; row++)
				if (k != 1 || (row != 1 && row != 5))
					add_row(each[k], 1 + row / 3 + (driven ? 10 * k : 0),
						funcs[row % 3], 100 * row + k);
		}
		report__set_repeats(whole, each, REPEATS);
		for (int row = 0; row < 6; row++) {
			const struct report_event *ev = &whole->prog[row].all.event[0];
			bool missing = row == 1 || row == 5;

			assert_int_equal(ev->block_cnt, missing ? 2 : 3);
			for (int b = 0; b < ev->block_cnt; b++)
				assert_true(ev->block[b].stat[STAT_MEAN] ==
					    100 * row + (missing ? 2 * b : b));
			/* as for a row without runs in a repeat */
			assert_int_equal(isnan(ev->repeat_stddev), missing);
		}
		free_reports(whole, each);
	}
}

/* ---- repeats of scopes ---- */

static void add_total(struct report_row *row, double total)
{
	struct report_event *ev = report_row__add_event(row);

	assert_non_null(ev);
	ev->total = total;
	ev->enabled_ns = 1000;
	ev->running_ns = isnan(total) ? 0 : 500;
}

/*
 * Returns a report of a scope with two events, which have these totals. Each CPU in cpus (-1: no
 * CPU) has half of the first event's total.
 */
static struct report *report_of_totals(double first, double second, const int cpus[2])
{
	struct report *r = report__new();
	struct report_scope *s = r ? report__add_scope(r) : NULL;

	assert_non_null(s);
	add_total(&s->all, first);
	add_total(&s->all, second);
	for (int i = 0; i < 2; i++)
		if (cpus[i] >= 0)
			add_total(report_scope__add_cpu(s, cpus[i]), first / 2);
	return r;
}

static void test_scopes(void **state)
{
	static const int cpus[REPEATS][2] = {{0, 2}, {2, -1}, {0, 2}};
	static const double totals[REPEATS][2] = {{100, 7}, {400, NAN}, {700, 9}};
	struct report *whole = report_of_totals(1200, NAN, cpus[0]), *each[REPEATS];
	struct report_event *ev = whole->scope[0].all.event;
	struct report_row *cpu = whole->scope[0].cpu;

	for (int i = 0; i < REPEATS; i++)
		each[i] = report_of_totals(totals[i][0], totals[i][1], cpus[i]);
	/* a single repeat does not change the total */
	report__set_repeats(whole, each, 1);
	assert_true(ev[0].total == 1200);
	assert_true(isnan(ev[0].repeat_stddev));
	report__set_repeats(whole, each, REPEATS);
	assert_int_equal(whole->repeats, 3);
	assert_near(ev[0].total, 400);
	assert_near(ev[0].repeat_stddev, sqrt(180000. / 2 / 3));
	assert_near(ev[0].enabled_ns, 1000);
	assert_near(ev[0].running_ns, 500);
	/* this event was not on a counter in one of the repeats */
	assert_near(ev[1].total, 8);
	assert_near(ev[1].repeat_stddev, 1);
	assert_near(ev[1].running_ns, 1000. / 3);
	/* CPU 0 is missing in one repeat, so CPU 2 is the first CPU of that repeat */
	assert_near(cpu[0].event[0].total, 200);
	assert_near(cpu[0].event[0].repeat_stddev, 150);
	assert_near(cpu[1].event[0].total, 200);
	assert_near(cpu[1].event[0].repeat_stddev, sqrt(45000. / 2 / 3));
	free_reports(whole, each);
}

/* A single value has no deviation. Without values there is no mean. */
static void test_scopes_without_values(void **state)
{
	static const int cpus[2] = {-1, -1};
	struct report *whole = report_of_totals(30, 10, cpus), *each[REPEATS];

	for (int i = 0; i < REPEATS; i++)
		each[i] = report_of_totals(NAN, i ? NAN : 10, cpus);
	report__set_repeats(whole, each, REPEATS);
	assert_true(isnan(whole->scope[0].all.event[0].total));
	assert_true(whole->scope[0].all.event[0].running_ns == 0);
	assert_true(isnan(whole->scope[0].all.event[0].repeat_stddev));
	assert_true(whole->scope[0].all.event[1].total == 10);
	assert_true(isnan(whole->scope[0].all.event[1].repeat_stddev));
	free_reports(whole, each);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_missing_rows),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_scopes_without_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
