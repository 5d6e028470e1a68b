// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how snapshots become a report, with made-up backends and counts: differences, sums over
 * CPUs whose ids have gaps, when minimum and maximum are known, and that the sums contain every
 * run.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/build_info.h"
#include "tests/unit/made_session.h"

/* ---- differences and sums ---- */

static void test_difference_and_sum(void **state)
{
	struct fixture *f = *state;
	/* the runs and totals of each CPU in the first and in the second snapshot */
	static const __u64 runs[2][CPU_CNT] = {{10, 0, 5}, {30, 0, 105}};
	static const __u64 totals[2][CPU_CNT] = {{1000, 0, 700}, {3000, 0, 9700}};
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "instructions", EVENT_OK);
	for (int i = 0; i < CPU_CNT; i++) {
		set_measured(f, &f->from, 0, i, runs[0][i]);
		set_measured(f, &f->to, 0, i, runs[1][i]);
		for (int slot = 0; slot < 2; slot++) {
			sum_at(f, &f->from, 0, i, slot)->total = totals[0][i] * (slot + 1);
			sum_at(f, &f->to, 0, i, slot)->total = totals[1][i] * (slot + 1);
		}
	}
	p = make(f)->prog;
	assert_counts(&p->all, 120, 120);
	assert_int_equal(p->all.cpu, -1);
	assert_int_equal(p->all.event_cnt, 2);
	assert_string_equal(p->all.event[0].name, "cycles");
	assert_string_equal(p->all.event[1].name, "instructions");
	assert_event(&p->all.event[0], 120, 11000);
	assert_event(&p->all.event[1], 120, 22000);
	/* rows are ordered by CPU id, and a CPU without runs has a row, too */
	assert_int_equal(p->cpu_cnt, CPU_CNT);
	assert_int_equal(p->cpu[0].cpu, 1);
	assert_int_equal(p->cpu[1].cpu, 2);
	assert_int_equal(p->cpu[2].cpu, 7);
	assert_counts(&p->cpu[0], 20, 20);
	assert_event(&p->cpu[0].event[1], 20, 4000);
	assert_counts(&p->cpu[1], 0, 0);
	assert_event(&p->cpu[1].event[1], 0, 0);
	assert_counts(&p->cpu[2], 100, 100);
	assert_event(&p->cpu[2].event[0], 100, 9000);
}

static void test_no_rows_per_cpu_unless_asked(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	f->o.per_cpu = false;
	for (int i = 0; i < CPU_CNT; i++)
		set_measured(f, &f->to, 0, i, 1);
	assert_int_equal(make(f)->prog[0].cpu_cnt, 0);
	assert_counts(&f->r->prog[0].all, 3, 3);
}

/* A CPU that was offline at the start has a row once a run was counted there. */
static void test_rows_of_offline_cpus(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	f->s.env.online.cnt = 1;
	p = make(f)->prog;
	assert_int_equal(f->r->host.cpus, 1);
	assert_int_equal(p->cpu_cnt, 1);
	assert_int_equal(p->cpu[0].cpu, 1);
	snapshot__at(&f->to, 0, 1)->lost[LOST_RECURSION] = 1;
	set_measured(f, &f->from, 0, 2, 3);
	set_measured(f, &f->to, 0, 2, 5);
	p = make(f)->prog;
	assert_int_equal(p->cpu_cnt, 3);
	assert_int_equal(p->cpu[1].cpu, 2);
	assert_counts(&p->cpu[1], 1, 0);
	assert_int_equal(p->cpu[2].cpu, 7);
	assert_counts(&p->cpu[2], 2, 2);
	assert_counts(&p->all, 3, 2);
	/* all runs on CPU 7 are from before this interval */
	set_measured(f, &f->from, 0, 2, 5);
	assert_int_equal(make(f)->prog[0].cpu_cnt, 2);
	/* with --sample, none of its runs there may have been measured */
	snapshot__at(&f->to, 0, 2)->thinned_out = 7;
	p = make(f)->prog;
	assert_int_equal(p->cpu_cnt, 3);
	assert_int_equal(p->cpu[2].runs, 7);
}

/* Each target's row has only the counts of this target. */
static void test_targets(void **state)
{
	struct fixture *f = *state;
	struct report *r;

	f->s.targets.cnt = 2;
	add_event(f, "time", EVENT_OK);
	for (int i = 0; i < CPU_CNT; i++)
		set_measured(f, &f->to, 0, i, 1 << i);
	set_measured(f, &f->from, 1, REST, 1000);
	set_measured(f, &f->to, 1, REST, 1100);
	r = make(f);
	assert_counts(&r->prog[0].all, 7, 7);
	assert_counts(&r->prog[1].all, 100, 100);
	assert_int_equal(r->prog[0].id, 42);
	assert_string_equal(r->prog[0].name, "xdp_lb");
	assert_string_equal(r->prog[0].func, "xdp_lb_main");
	assert_string_equal(r->prog[0].type, "xdp");
	assert_string_equal(r->prog[0].tag, "d4f8542f2b4200c5");
	assert_string_equal(r->prog[0].method, "probing");
	assert_int_equal(r->prog[1].id, 57);
	assert_string_equal(r->prog[1].func, "");
	assert_string_equal(r->prog[1].type, "sched_cls");
	assert_string_equal(r->prog[1].method, "counting");
}

/* A function's calls are counted for each run of the root of its call tree. */
static void test_calls(void **state)
{
	struct fixture *f = *state;
	struct target *root = &f->s.targets.v[0], *sub = &f->s.targets.v[1];
	struct report *r;

	f->s.targets.cnt = 2;
	add_event(f, "time", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 20);
	set_measured(f, &f->to, 1, REST, 50);
	assert_true(isnan(make(f)->prog[1].calls_per_run));
	sub->func_index = 1;
	sub->subprog = true;
	assert_true(isnan(make(f)->prog[1].calls_per_run));
	sub->id = root->id;
	r = make(f);
	assert_near(r->prog[1].calls_per_run, 2.5);
	assert_true(isnan(r->prog[0].calls_per_run));
	assert_int_equal(r->prog[0].notes.cnt, 0);
	/* the function has another root, which is not measured, or is a root itself */
	sub->root_index = 2;
	assert_true(isnan(make(f)->prog[1].calls_per_run));
	sub->root_index = 1;
	assert_true(isnan(make(f)->prog[1].calls_per_run));
}

/*
 * If the kernel skipped the probe at the end of a run of the program, calls that others made later
 * may count as calls of the program. So its calls per run are not known, and a note says why.
 */
static void test_calls_after_end(void **state)
{
	struct fixture *f = *state;
	struct target *root = &f->s.targets.v[0], *called = &f->s.targets.v[1];
	struct report *r;

	f->s.targets.cnt = 2;
	f->s.env.nested = true;
	add_event(f, "time", EVENT_OK);
	*called = (struct target){root->id,
				  root->prog,
				  "bpf_user_rnd_u32",
				  .func_index = 1,
				  .depth = 1,
				  .called = {.btf_id = 1},
				  .backend = root->backend};
	set_measured(f, &f->to, 0, 0, 2000);
	set_measured(f, &f->to, 1, 0, 5000);
	r = make(f);
	assert_near(r->prog[1].calls_per_run, 2.5);
	assert_int_equal(r->prog[0].notes.cnt, 0);
	snapshot__at(&f->to, 0, REST)->lost[LOST_RECURSION] = 1;
	r = make(f);
	assert_true(isnan(r->prog[1].calls_per_run));
	assert_string_equal(
		r->prog[0].notes.text[0],
		"the kernel skipped the probe at the end of 1 run: calls that others made "
		"after such a run may be among its calls");
	/* lost calls of the kernel's function do not matter */
	snapshot__at(&f->to, 0, REST)->lost[LOST_RECURSION] = 0;
	snapshot__at(&f->to, 1, REST)->lost[LOST_RECURSION] = 1;
	r = make(f);
	assert_near(r->prog[1].calls_per_run, 2.5);
	assert_int_equal(r->prog[0].notes.cnt, 0);
}

/*
 * A function may also run outside of the root's runs. Its calls per run are known only if the own costs of all
 * functions add up to the root's cost, which shows that the function did not run elsewhere.
 */
static void test_calls_elsewhere(void **state)
{
	static const struct {
		bool elsewhere, known;
		__s64 root, own, sub;
	} cases[] = {
		{false, true, 1000, 400, 600}, {true, true, 1000, 400, 600},
		{true, false, 1000, 400, 601}, {true, false, 1000, 400, 599},
		{false, true, 1000, 400, 599}, {false, false, 1000, 400, 900},
		{true, false, 1000, 1000, 0},  {false, true, 1000, 1000, 0},
		{true, false, 0, 0, 0},
	};
	struct fixture *f = *state;
	struct target *root = &f->s.targets.v[0], *sub = &f->s.targets.v[1];

	f->s.targets.cnt = 2;
	f->s.env.nested = true;
	f->s.env.online.cnt = 1;
	add_event(f, "instructions", EVENT_OK);
	*sub = (struct target){root->id,
			       root->prog,
			       "sub",
			       .func_index = 1,
			       .subprog = true,
			       .depth = 1,
			       .backend = root->backend};
	set_measured(f, &f->to, 0, 0, 20);
	set_measured(f, &f->to, 1, 0, 50);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r;

		sub->runs_elsewhere = cases[i].elsewhere;
		sum_at(f, &f->to, 0, 0, 0)->total = cases[i].root;
		sum_at(f, &f->to, 0, 0, 0)->self = cases[i].own;
		sum_at(f, &f->to, 1, 0, 0)->total = sum_at(f, &f->to, 1, 0, 0)->self = cases[i].sub;
		r = make(f);
		assert_int_equal(!isnan(r->prog[1].calls_per_run), cases[i].known);
		assert_int_equal(r->prog[0].notes.cnt, !cases[i].known);
	}
	assert_string_equal(f->r->prog[0].notes.text[0],
			    "how often sub is called per run is not known, as it may also run "
			    "outside of the runs of xdp_lb_main");
}

static void test_extremes(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 4);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 100, 0, 40);
	set_measured(f, &f->to, 0, 2, 2);
	set_extremes(sum_at(f, &f->to, 0, 2, 0), 140, 60, 80);
	p = make(f)->prog;
	/* a CPU without runs has no minimum and maximum, and does not change those of the sum */
	assert_extremes(&p->all.event[0], 0, 80);
	assert_extremes(&p->cpu[0].event[0], 0, 40);
	assert_no_extremes(&p->cpu[1].event[0]);
	assert_extremes(&p->cpu[2].event[0], 60, 80);
}

/* The minimum since the start may be from before this interval, so the interval has none. */
static void test_extremes_of_later_intervals(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	for (int i = 0; i < CPU_CNT; i++) {
		set_measured(f, &f->from, 0, i, 5);
		set_extremes(sum_at(f, &f->from, 0, i, 0), 100, 10, 40);
		set_measured(f, &f->to, 0, i, 10);
		set_extremes(sum_at(f, &f->to, 0, i, 0), 200, 10, 40);
	}
	p = make(f)->prog;
	assert_event(&p->all.event[0], 15, 300);
	assert_no_extremes(&p->all.event[0]);
	assert_no_extremes(&p->cpu[0].event[0]);
}

/*
 * On CPU 7 the target ran before this interval, but not in it. The CPU therefore does not change
 * the minimum and maximum of the interval.
 */
static void test_extremes_beside_an_idle_cpu(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->from, 0, 2, 5);
	set_extremes(sum_at(f, &f->from, 0, 2, 0), 100, 10, 40);
	*snapshot__at(&f->to, 0, 2) = *snapshot__at(&f->from, 0, 2);
	set_measured(f, &f->to, 0, 0, 1);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 20, 20, 20);
	assert_extremes(&make(f)->prog[0].all.event[0], 20, 20);
}

/*
 * On CPU 1 the target ran before this interval and in it. The minimum and maximum since the start
 * may be from before the interval, so those of the interval are unknown.
 */
static void test_extremes_beside_unknown_ones(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->from, 0, 0, 5);
	set_extremes(sum_at(f, &f->from, 0, 0, 0), 100, 10, 40);
	set_measured(f, &f->to, 0, 0, 10);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 200, 10, 40);
	set_measured(f, &f->to, 0, 1, 1);
	set_extremes(sum_at(f, &f->to, 0, 1, 0), 20, 20, 20);
	p = make(f)->prog;
	assert_no_extremes(&p->all.event[0]);
	assert_no_extremes(&p->cpu[0].event[0]);
	assert_extremes(&p->cpu[1].event[0], 20, 20);
}

/*
 * Adds a distribution: a bucket in which all values are 672, and a bucket with different values.
 * "alike" and "other" are the numbers of runs in them.
 */
static void set_hist(struct event_counts *sum, __u64 alike, __u64 other)
{
	/* these values are in the buckets [672, 679] and [2976, 3007] */
	sum->hist.bucket = calloc(2, sizeof(*sum->hist.bucket));
	assert_non_null(sum->hist.bucket);
	sum->hist.bucket[0] = (struct hist_bucket){276, 276, alike, 672, 672, 672};
	sum->hist.bucket[1] = (struct hist_bucket){413, 413, other, 2990, 2976, 3007};
	sum->hist.cnt = other ? 2 : 1;
}

static void free_hists(struct fixture *f)
{
	for (int i = 0; i < CPU_CNT; i++) {
		hist__free(&sum_at(f, &f->from, 0, i, 0)->hist);
		hist__free(&sum_at(f, &f->to, 0, i, 0)->hist);
	}
}

/* If all values in a bucket are equal, the result is this value, not the middle of the bucket. */
static void test_percentiles(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;

	f->s.env.opts.hist = true;
	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 100);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 99 * 672 + 3000, 672, 3000);
	set_hist(sum_at(f, &f->to, 0, 0, 0), 98, 2);
	ev = &make(f)->prog[0].all.event[0];
	assert_near(ev->stat[STAT_P50], 672);
	assert_false(report_event__is_rough(ev, STAT_P50));
	assert_near(ev->stat[STAT_P999], 2990);
	assert_true(report_event__is_rough(ev, STAT_P999));
	assert_near(ev->low[STAT_P999], 2976);
	assert_near(ev->high[STAT_P999], 3007);
	assert_extremes(ev, 672, 3000);
	free_hists(f);
	/* the percentiles depend on the number of runs in each bucket */
	set_hist(sum_at(f, &f->to, 0, 0, 0), 94, 6);
	ev = &make(f)->prog[0].all.event[0];
	assert_near(ev->stat[STAT_P90], 672);
	assert_near(ev->stat[STAT_P95], 2990);
	free_hists(f);
}

/*
 * The minimum and maximum of an interval are those of its distribution, and are as accurate as the
 * distribution.
 */
static void test_extremes_of_intervals_with_distributions(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;

	f->s.env.opts.hist = true;
	add_event(f, "cycles", EVENT_OK)->scale = 2;
	for (int i = 0; i < CPU_CNT; i++) {
		set_measured(f, &f->from, 0, i, 5);
		set_extremes(sum_at(f, &f->from, 0, i, 0), 100, 10, 40000);
		set_hist(sum_at(f, &f->from, 0, i, 0), 4, 1);
		set_measured(f, &f->to, 0, i, 10);
		set_extremes(sum_at(f, &f->to, 0, i, 0), 200, 10, 40000);
		set_hist(sum_at(f, &f->to, 0, i, 0), 8, 1 + (i == 1));
	}
	ev = &make(f)->prog[0].all.event[0];
	assert_near(ev->stat[STAT_MIN], 2 * 672);
	assert_false(report_event__is_rough(ev, STAT_MIN));
	assert_near(ev->stat[STAT_MAX], 2 * 3007);
	assert_near(ev->low[STAT_MAX], 2 * 2976);
	assert_near(ev->high[STAT_MAX], 2 * 3007);
	/* on this CPU, all runs of the interval had the same value */
	assert_extremes(&f->r->prog[0].cpu[0].event[0], 2 * 672, 2 * 672);
	assert_false(report_event__is_rough(&f->r->prog[0].cpu[0].event[0], STAT_MAX));
	free_hists(f);
}

/*
 * Without distributions, only the first interval could have a minimum and a maximum. Therefore no
 * interval has them.
 */
static void test_no_extremes_of_intervals(void **state)
{
	struct fixture *f = *state;

	f->o.intervals = true;
	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 4);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 100, 0, 40);
	assert_no_extremes(&make(f)->prog[0].all.event[0]);
}

/* The squares are not known if a run cost more than 2^32, for example slept for 5 s. */
static void test_stddev(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;

	f->s.env.opts.hist = true;
	add_event(f, "cycles", EVENT_OK);
	for (int i = 0; i < 2; i++) {
		set_measured(f, &f->to, 0, i, 2);
		set_extremes(sum_at(f, &f->to, 0, i, 0), 20, 8, 12);
		sum_at(f, &f->to, 0, i, 0)->squares = i ? NAN : 8 * 8 + 12 * 12;
	}
	ev = &make(f)->prog[0].all.event[0];
	assert_near(ev->stat[STAT_MEAN], 10);
	assert_true(isnan(ev->stat[STAT_STDDEV]));
	assert_near(f->r->prog[0].cpu[0].event[0].stat[STAT_STDDEV], 2);
	/* all runs cost the same: rounding must not make a negative variance of it */
	sum_at(f, &f->to, 0, 1, 0)->squares = nextafter(200, 0);
	assert_true(make(f)->prog[0].cpu[1].event[0].stat[STAT_STDDEV] == 0);
	f->s.env.opts.hist = false;
}

static void test_scale(void **state)
{
	struct fixture *f = *state;
	struct event *ev = add_event(f, "energy", EVENT_OK);

	ev->scale = 0.25;
	ev->unit = "Joules";
	set_measured(f, &f->to, 0, 0, 4);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 200, 8, 100);
	make(f);
	assert_string_equal(f->r->prog[0].all.event[0].unit, "Joules");
	assert_event(&f->r->prog[0].all.event[0], 4, 50);
	assert_extremes(&f->r->prog[0].all.event[0], 2, 25);
}

/* ---- lost runs ---- */

static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;
	struct counts *c;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 100);
	set_measured(f, &f->to, 0, 2, 50);
	/* each cause has a different number of lost runs, and some were lost before the interval */
	for (int i = 0; i < LOST_CNT; i++) {
		snapshot__at(&f->from, 0, 0)->lost[i] = 7;
		snapshot__at(&f->to, 0, 0)->lost[i] = 7 + (1 << i);
	}
	c = snapshot__at(&f->to, 0, 2);
	c->lost[LOST_OVERFLOW] = 20;
	c = snapshot__at(&f->to, 0, REST);
	c->lost[LOST_RECURSION] = 300;
	p = make(f)->prog;
	assert_int_equal(p->all.lost[LOST_ENTRY], 1);
	assert_int_equal(p->all.lost[LOST_READ], 2);
	assert_int_equal(p->all.lost[LOST_OVERFLOW], 4 + 20);
	assert_int_equal(p->all.lost[LOST_RECURSION], 8 + 300);
	assert_counts(&p->all, 150 + 15 + 20 + 300, 150);
	assert_counts(&p->cpu[0], 115, 100);
	assert_counts(&p->cpu[1], 0, 0);
	/* lost runs whose CPU is unknown are in the sum, but in no CPU's row */
	assert_int_equal(p->cpu_cnt, CPU_CNT);
	assert_counts(&p->cpu[2], 70, 50);
}

static void set_errors(struct fixture *f, int row, __u64 first, __u64 second)
{
	sum_at(f, &f->to, 0, row, 0)->errors = first;
	sum_at(f, &f->to, 0, row, 1)->errors = second;
}

/*
 * A run counts as measured if at least one event was read. The other events have fewer measured
 * runs.
 */
static void test_unreadable_event(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "instructions", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 100);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 6000, 90, 110);
	set_extremes(sum_at(f, &f->to, 0, 0, 1), 5000, 50, 50);
	set_errors(f, 0, 40, 0);
	p = make(f)->prog;
	assert_counts(&p->all, 100, 100);
	assert_int_equal(p->all.lost[LOST_READ], 0);
	assert_event(&p->all.event[0], 60, 6000);
	assert_event(&p->all.event[1], 100, 5000);
	/* only errors of this interval count */
	sum_at(f, &f->from, 0, 0, 0)->errors = 30;
	sum_at(f, &f->from, 0, 0, 0)->total = 1500;
	set_measured(f, &f->from, 0, 0, 50);
	p = make(f)->prog;
	assert_event(&p->all.event[0], 40, 4500);
}

static void test_unreadable_runs(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "instructions", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 100);
	set_errors(f, 0, 30, 10);
	snapshot__at(&f->to, 0, 0)->lost[LOST_READ] = 1;
	p = make(f)->prog;
	assert_counts(&p->all, 101, 90);
	assert_int_equal(p->all.lost[LOST_READ], 11);
	assert_counts(&p->cpu[0], 101, 90);
	assert_int_equal(p->all.event[0].measured, 70);
	assert_int_equal(p->all.event[1].measured, 90);
	/* if all runs had errors, they are counted but not measured, and there is no mean */
	set_errors(f, 0, 100, 100);
	p = make(f)->prog;
	assert_counts(&p->all, 101, 0);
	assert_int_equal(p->all.lost[LOST_READ], 101);
	assert_false(report_event__has_value(&p->all.event[0]));
	assert_event(&p->all.event[0], 0, 0);
	assert_no_extremes(&p->all.event[0]);
}

/* Each event exists on some CPUs only, as with the two PMUs of big.LITTLE. No run is lost. */
static void test_unreadable_events_of_other_cpus(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "little", EVENT_OK);
	add_event(f, "big", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 100);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 5000, 50, 50);
	set_errors(f, 0, 0, 100);
	set_measured(f, &f->to, 0, 1, 40);
	set_extremes(sum_at(f, &f->to, 0, 1, 1), 800, 20, 20);
	set_errors(f, 1, 40, 0);
	p = make(f)->prog;
	assert_counts(&p->cpu[0], 100, 100);
	assert_counts(&p->cpu[1], 40, 40);
	assert_counts(&p->all, 140, 140);
	assert_int_equal(p->all.lost[LOST_READ], 0);
	assert_event(&p->all.event[0], 100, 5000);
	assert_event(&p->all.event[1], 40, 800);
}

/* ---- a CPU on which an event stopped working ---- */

/* Makes 100 runs on CPU 1, in 40 of which cycles could not be read, and 50 runs on CPU 2. */
static void make_dead_cpu(struct fixture *f, int *fds)
{
	add_event(f, "cycles", EVENT_OK);
	add_event(f, "time", EVENT_OK);
	f->probes.net = true;
	f->fds.fd = fds;
	f->fds.cpu_limit = 3;
	for (int cpu = 0; cpu < 3; cpu++)
		fds[cpu] = 100;
	set_measured(f, &f->to, 0, 0, 100);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 6000, 90, 110);
	set_extremes(sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT), -900, -50, 60);
	sum_at(f, &f->to, 0, 0, 0)->errors = 40;
	set_measured(f, &f->to, 0, 1, 50);
	set_extremes(sum_at(f, &f->to, 0, 1, 0), 5000, 100, 100);
	set_extremes(sum_at(f, &f->to, 0, 1, BPROF_CLOCK_SLOT), 1000, 20, 20);
}

/*
 * The report leaves out the event time on CPU 1: only some of its values there are net, and they
 * cannot be distinguished from the values that are not.
 */
static void test_dead_cpu(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;
	int fds[6];

	make_dead_cpu(f, fds);
	p = make(f)->prog;
	assert_counts(&p->all, 150, 110);
	assert_int_equal(p->all.lost[LOST_READ], 40);
	assert_event(&p->all.event[0], 110, 11000);
	assert_event(&p->all.event[1], 50, 1000);
	assert_extremes(&p->all.event[1], 20, 20);
	assert_event(&p->cpu[0].event[1], 0, 0);
	assert_no_extremes(&p->cpu[0].event[1]);
	assert_event(&p->cpu[1].event[1], 50, 1000);
	assert_int_equal(p->notes.cnt, 1);
	assert_non_null(strstr(p->notes.text[0], "time leaves out 100 runs on CPU 1: "));
	/*
	 * nothing is left out if the errors occurred before this interval, or if all values are raw
	 */
	sum_at(f, &f->from, 0, 0, 0)->errors = 40;
	assert_int_equal(make(f)->prog->notes.cnt, 0);
	sum_at(f, &f->from, 0, 0, 0)->errors = 0;
	f->probes.net = false;
	p = make(f)->prog;
	assert_event(&p->all.event[1], 150, 100);
	assert_int_equal(p->notes.cnt, 0);
}

/*
 * CPU 1 never had the event, so calibration did not read it there, either. The bias is therefore
 * right, and all times are net.
 */
static void test_event_of_other_cpus(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;
	int fds[6];

	make_dead_cpu(f, fds);
	fds[1] = -1;
	sum_at(f, &f->to, 0, 0, 0)->errors = 100;
	p = make(f)->prog;
	assert_event(&p->all.event[1], 150, 100);
	assert_int_equal(p->notes.cnt, 0);
	/*
	 * CPU 1 came online after the calibration, so its bias is unknown and its time is left out
	 */
	f->s.env.online = (struct cpus){f->cpu_id + 1, CPU_CNT - 1};
	p = make(f)->prog;
	assert_event(&p->all.event[1], 50, 1000);
	assert_int_equal(p->all.lost[LOST_READ], 100);
	assert_int_equal(p->notes.cnt, 1);
}

/*
 * CPU 1 came online after the calibration of several kinds of CPUs. Nothing is wrong with its events:
 * only the time is measured. But the bias that was subtracted may be that of another kind.
 */
static void test_cpu_of_unknown_kind(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "time", EVENT_OK);
	f->probes.net = true;
	for (int i = 0; i < 2; i++) {
		set_measured(f, &f->to, 0, i, 50);
		set_extremes(sum_at(f, &f->to, 0, i, BPROF_CLOCK_SLOT), 1000, 20, 20);
	}
	p = make(f)->prog;
	assert_event(&p->all.event[0], 100, 2000);
	assert_int_equal(p->notes.cnt, 0);
	f->probes.unknown_cpu = f->cpu_id[0];
	p = make(f)->prog;
	assert_counts(&p->all, 100, 50);
	assert_int_equal(p->all.lost[LOST_READ], 50);
	assert_event(&p->all.event[0], 50, 1000);
	assert_int_equal(p->notes.cnt, 1);
	assert_non_null(strstr(p->notes.text[0], "time leaves out 50 runs on CPU 1: "));
	/* it did not run there in this interval */
	set_measured(f, &f->from, 0, 0, 50);
	set_extremes(sum_at(f, &f->from, 0, 0, BPROF_CLOCK_SLOT), 1000, 20, 20);
	assert_int_equal(make(f)->prog->notes.cnt, 0);
}

/* ---- counters that stood still ---- */

/*
 * If a counter is far below 0 in a run, and the program may run in the PMU's interrupt, there is a
 * note that the counter stood still. A clock does not stop in this interrupt, and a program of
 * packets does not run in it.
 */
static void test_stopped_counter(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "time", EVENT_OK);
	f->probes.net = true;
	set_measured(f, &f->to, 0, 0, 10);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), -2000, -600, 100);
	set_extremes(sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT), -2000, -600, 100);
	sum_at(f, &f->to, 0, 0, 0)->bias = sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT)->bias = 10000;
	p = make(f)->prog;
	assert_int_equal(p->notes.cnt, 0);
	assert_near(p->all.event[0].bias_uncertainty, 0);
	f->prog[0].info.type = BPF_PROG_TYPE_PERF_EVENT;
	p = make(f)->prog;
	assert_int_equal(p->notes.cnt, 1);
	assert_int_equal(strncmp(p->notes.text[0], "cycles stood still ", 19), 0);
	assert_near(p->all.event[0].bias_uncertainty, 1000);
	assert_near(p->all.event[1].bias_uncertainty, 0);
	/*
	 * a run may take half of the bias less than the empty program, whose code may not have been
	 * in the caches
	 */
	set_extremes(sum_at(f, &f->to, 0, 0, 0), -2000, -500, 100);
	sum_at(f, &f->to, 0, 0, 0)->bias = 10000;
	assert_int_equal(make(f)->prog->notes.cnt, 0);
}

/* ---- probes that the kernel timed ---- */

/* The kernel also times a probe in runs that the probe does not measure. */
static void test_slowed(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->from, 0, 0, 10);
	set_measured(f, &f->to, 0, 0, 30);
	set_measured(f, &f->to, 0, 1, 10);
	snapshot__at(&f->from, 0, REST)->slowed = 5;
	snapshot__at(&f->to, 0, REST)->slowed = 5;
	assert_int_equal(make(f)->prog[0].slowed_runs, 0);
	snapshot__at(&f->to, 0, REST)->slowed = 34;
	assert_int_equal(make(f)->prog[0].slowed_runs, 29);
	snapshot__at(&f->to, 0, REST)->slowed = 1000;
	assert_int_equal(make(f)->prog[0].slowed_runs, 30);
}

/* ---- runs by bprof itself ---- */

static void test_own(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 30);
	snapshot__at(&f->from, 0, 0)->own = 2;
	snapshot__at(&f->to, 0, 0)->own = 5;
	snapshot__at(&f->to, 0, 1)->own = 7;
	p = make(f)->prog;
	assert_int_equal(p->own_runs, 10);
	assert_int_equal(p->all.runs, 30);
	assert_false(p->with_own_runs); /* the program is of a type that no system call sets off */
	f->s.targets.v[0].prog->info.type = BPF_PROG_TYPE_KPROBE;
	assert_false(make(f)->prog->with_own_runs); /* runs by bprof are wanted */
	f->s.env.opts.others_only = true;
	assert_true(make(f)->prog->with_own_runs); /* the probe cannot leave them out */
	f->s.targets.v[0].others_only = true;
	assert_false(make(f)->prog->with_own_runs);
	snapshot__at(&f->to, 0, REST)->unprobed = 1; /* a run that only the kernel counted */
	assert_true(make(f)->prog->with_own_runs);
}

/* ---- numbers that should have been net ---- */

static void test_uncalibrated(void **state)
{
	struct fixture *f = *state;

	f->s.targets.cnt = 2; /* the second one has no probe */
	for (int i = 0; i < 4; i++) {
		f->s.env.opts.calibrate = i & 1;
		f->probes.net = i & 2;
		make(f);
		assert_int_equal(f->r->prog[0].uncalibrated, i == 1);
		assert_false(f->r->prog[1].uncalibrated);
		assert_int_equal(report__uncalibrated(f->r), i == 1);
	}
}

/* ---- other parts of the report ---- */

static void test_skipped_and_head(void **state)
{
	struct fixture *f = *state;
	struct skipped skip[] = {
		{9, "gone", {.code = REASON_NO_SUCH_PROG}},
		{57, "", {REASON_SYSTEM, "opening it: Too many open files", EMFILE}},
	};
	char *want;

	f->s.targets.skip = skip;
	f->s.targets.skip_cnt = 2;
	make(f);
	assert_int_equal(f->r->skip_cnt, 2);
	assert_int_equal(f->r->skip[0].id, 9);
	assert_string_equal(f->r->skip[0].name, "gone");
	assert_string_equal(f->r->skip[0].reason, reason__spec(REASON_NO_SUCH_PROG)->name);
	want = strstr(f->r->skip[0].detail, reason__spec(REASON_NO_SUCH_PROG)->text);
	assert_non_null(want);
	assert_string_equal(f->r->skip[1].name, "");
	assert_non_null(strstr(f->r->skip[1].detail, "opening it: Too many open files"));

	assert_string_equal(f->r->version, build_info__version());
	assert_string_equal(f->r->command[0], "bprof");
	assert_string_equal(f->r->command[1], "-A");
	assert_null(f->r->command[2]);
	assert_int_equal(f->r->started.tv_sec, 1767225600);
	assert_int_equal(f->r->elapsed_ns, 1000000);
	assert_int_equal(f->r->host.cpus, CPU_CNT);
	assert_int_equal(f->r->repeats, 1);
	/* the JIT is reported if one of the programs is JITed */
	f->s.targets.cnt = 2;
	assert_true(make(f)->host.jit);
	f->prog[0].info.jited_prog_len = 0;
	assert_false(make(f)->host.jit);
}

/*
 * A target that was added during the interval has all its counts. A target that was removed has a
 * row in every interval in which it existed.
 */
static void test_followed(void **state)
{
	struct fixture *f = *state;
	const struct result_span span = {.from = &f->from, .to = &f->to};
	const struct report_version *v;

	add_event(f, "cycles", EVENT_OK);
	f->s.targets.cnt = 2;
	f->s.env.opts.follow = true;
	f->s.stopwatch.started_ns = 5000;
	f->target[1].backend = f->target[0].backend;
	f->from.target_cnt = 1;
	/* the first snapshot has no rows of the second target: this count must not be read */
	f->counts[0][CPU_CNT + 1].measured = 1000;
	set_measured(f, &f->from, 0, 0, 10);
	set_measured(f, &f->to, 0, 0, 30);
	set_measured(f, &f->to, 1, 0, 7);
	sum_at(f, &f->to, 1, 0, 0)->total = 700;
	sum_at(f, &f->to, 1, 0, 0)->min = 90;
	sum_at(f, &f->to, 1, 0, 0)->max = 110;
	f->prog[1].info.load_time = 77;
	f->target[1].life.loaded_ns = 9000;
	f->target[1].life.attached_ns = 9400;
	f->target[1].life.unseen = 12;
	f->target[1].life.unseen_known = true;
	make(f);
	assert_true(f->r->followed);
	assert_counts(&f->r->prog[0].all, 20, 20);
	v = &f->r->prog[0].version;
	assert_true(v->followed && isnan(v->loaded_ns) && isnan(v->missed) && isnan(v->ended_ns));
	assert_counts(&f->r->prog[1].all, 7, 7);
	assert_event(&f->r->prog[1].all.event[0], 7, 700);
	assert_extremes(&f->r->prog[1].all.event[0], 90, 110);
	v = &f->r->prog[1].version;
	assert_int_equal(v->load_time_ns, 77);
	assert_true(v->loaded_ns == 4000 && v->attached_ns == 400 && v->missed == 12);
	/* a target that ended before the interval has a row only if it has runs in the interval */
	f->target[0].life.ended_ns = 1;
	f->target[1].life.ended_ns = 1;
	f->from.ns = 1;
	set_measured(f, &f->to, 0, 0, 10);
	report__free(f->r);
	assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
	assert_int_equal(f->r->prog_cnt, 1);
	assert_int_equal(f->r->prog[0].id, 57);
	assert_true(f->r->prog[0].version.ended_ns == 1);
	/* the second snapshot has no rows of the second target, which was added later */
	f->to.target_cnt = 1;
	report__free(f->r);
	assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
	assert_int_equal(f->r->prog_cnt, 0);
}

/*
 * Runs that the probe did not count are missed runs if the probe was detached for some time, but
 * not if they were before the session.
 */
static void test_followed_from_the_start(void **state)
{
	struct fixture *f = *state;

	f->s.env.opts.follow = true;
	f->target[0].life.unseen = 505;
	f->target[0].life.unseen_known = true;
	f->target[0].life.unseen_before = 500;
	assert_true(isnan(make(f)->prog[0].version.missed));
	f->target[0].life.detach_cnt = 1;
	assert_true(make(f)->prog[0].version.missed == 5);
}

/* If nothing could be measured, there is one snapshot and no target. */
static void test_empty(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	f->s.targets.cnt = 0;
	f->to = f->from;
	make(f);
	assert_int_equal(f->r->prog_cnt, 0);
	assert_int_equal(f->r->elapsed_ns, 0);
}

#define RESULT_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULT_TEST(test_followed),
		RESULT_TEST(test_followed_from_the_start),
		RESULT_TEST(test_difference_and_sum),
		RESULT_TEST(test_no_rows_per_cpu_unless_asked),
		RESULT_TEST(test_rows_of_offline_cpus),
		RESULT_TEST(test_targets),
		RESULT_TEST(test_calls),
		RESULT_TEST(test_calls_after_end),
		RESULT_TEST(test_calls_elsewhere),
		RESULT_TEST(test_extremes),
		RESULT_TEST(test_extremes_of_later_intervals),
		RESULT_TEST(test_extremes_beside_an_idle_cpu),
		RESULT_TEST(test_extremes_beside_unknown_ones),
		RESULT_TEST(test_percentiles),
		RESULT_TEST(test_extremes_of_intervals_with_distributions),
		RESULT_TEST(test_no_extremes_of_intervals),
		RESULT_TEST(test_stddev),
		RESULT_TEST(test_scale),
		RESULT_TEST(test_lost),
		RESULT_TEST(test_unreadable_event),
		RESULT_TEST(test_unreadable_runs),
		RESULT_TEST(test_unreadable_events_of_other_cpus),
		RESULT_TEST(test_dead_cpu),
		RESULT_TEST(test_event_of_other_cpus),
		RESULT_TEST(test_cpu_of_unknown_kind),
		RESULT_TEST(test_stopped_counter),
		RESULT_TEST(test_own),
		RESULT_TEST(test_slowed),
		RESULT_TEST(test_uncalibrated),
		RESULT_TEST(test_skipped_and_head),
		RESULT_TEST(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
