// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From snapshots to the report, with made-up backends and counts: differences, sums over CPUs whose
 * ids have holes, what is known of extremes, and that no run is left out of the sums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_session.h"

static void assert_near(double got, double want)
{
	if (isnan(got) || fabs(got - want) > fabs(want) * 1e-9)
		fail_msg("%.12g is not %.12g", got, want);
}

/* Every run is in the sums, and counted once. */
static void assert_counts(const struct report_row *row, __u64 runs, __u64 measured)
{
	assert_int_equal(row->runs, runs);
	assert_int_equal(row->measured, measured);
	assert_int_equal(row->measured + report_row__lost(row), runs);
}

static void assert_event(const struct report_event *ev, __u64 measured, double total)
{
	assert_int_equal(ev->status, EVENT_OK);
	assert_int_equal(ev->measured, measured);
	assert_near(ev->total, total);
	if (measured)
		assert_near(ev->stat[STAT_MEAN], total / measured);
	else
		assert_true(isnan(ev->stat[STAT_MEAN]));
}

static void assert_extremes(const struct report_event *ev, double min, double max)
{
	assert_near(ev->stat[STAT_MIN], min);
	assert_near(ev->stat[STAT_MAX], max);
}

static void assert_no_extremes(const struct report_event *ev)
{
	assert_true(isnan(ev->stat[STAT_MIN]));
	assert_true(isnan(ev->stat[STAT_MAX]));
}

/* ---- differences and sums ---- */

static void test_difference_and_sum(void **state)
{
	struct fixture *f = *state;
	/* by CPU: what was counted until each of the two */
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
	/* rows by CPU id, whether or not it ran there */
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

/* A CPU that was offline at the start has a row once anything was seen there. */
static void test_rows_of_offline_cpus(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	f->s.online.cnt = 1;
	p = make(f)->prog;
	assert_int_equal(f->r->host.cpus, 1);
	assert_int_equal(p->cpu_cnt, 1);
	assert_int_equal(p->cpu[0].cpu, 1);
	snapshot__at(&f->s, &f->to, 0, 1)->lost[LOST_RECURSION] = 1;
	set_measured(f, &f->from, 0, 2, 3);
	set_measured(f, &f->to, 0, 2, 5);
	p = make(f)->prog;
	assert_int_equal(p->cpu_cnt, 3);
	assert_int_equal(p->cpu[1].cpu, 2);
	assert_counts(&p->cpu[1], 1, 0);
	assert_int_equal(p->cpu[2].cpu, 7);
	assert_counts(&p->cpu[2], 2, 2);
	assert_counts(&p->all, 3, 2);
	/* before this interval only */
	set_measured(f, &f->from, 0, 2, 5);
	assert_int_equal(make(f)->prog[0].cpu_cnt, 2);
}

/* Two targets' counts are not mixed up. */
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

static void set_extremes(struct event_counts *sum, __s64 total, __s64 min, __s64 max)
{
	*sum = (struct event_counts){.total = total, .min = min, .max = max};
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
	/* a CPU without runs has none, and does not count */
	assert_extremes(&p->all.event[0], 0, 80);
	assert_extremes(&p->cpu[0].event[0], 0, 40);
	assert_no_extremes(&p->cpu[1].event[0]);
	assert_extremes(&p->cpu[2].event[0], 60, 80);
}

/* What was the least since the start may have been before this interval. */
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

/* On CPU 7 the target ran before, but not in this interval. */
static void test_extremes_beside_an_idle_cpu(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->from, 0, 2, 5);
	set_extremes(sum_at(f, &f->from, 0, 2, 0), 100, 10, 40);
	*snapshot__at(&f->s, &f->to, 0, 2) = *snapshot__at(&f->s, &f->from, 0, 2);
	set_measured(f, &f->to, 0, 0, 1);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 20, 20, 20);
	assert_extremes(&make(f)->prog[0].all.event[0], 20, 20);
}

/* On CPU 1 it ran before and runs again: what its extremes are now, nobody knows. */
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

/* ---- what was lost ---- */

static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;
	struct counts *c;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 100);
	set_measured(f, &f->to, 0, 2, 50);
	/* every cause another number, some of it before */
	for (int i = 0; i < LOST_CNT; i++) {
		snapshot__at(&f->s, &f->from, 0, 0)->lost[i] = 7;
		snapshot__at(&f->s, &f->to, 0, 0)->lost[i] = 7 + (1 << i);
	}
	c = snapshot__at(&f->s, &f->to, 0, 2);
	c->lost[LOST_OVERFLOW] = 20;
	c = snapshot__at(&f->s, &f->to, 0, REST);
	c->lost[LOST_RECURSION] = 300;
	p = make(f)->prog;
	assert_int_equal(p->all.lost[LOST_ENTRY], 1);
	assert_int_equal(p->all.lost[LOST_READ], 2);
	assert_int_equal(p->all.lost[LOST_OVERFLOW], 4 + 20);
	assert_int_equal(p->all.lost[LOST_RECURSION], 8 + 300);
	assert_counts(&p->all, 150 + 15 + 20 + 300, 150);
	assert_counts(&p->cpu[0], 115, 100);
	assert_counts(&p->cpu[1], 0, 0);
	/* what belongs to no one CPU is in none's row */
	assert_int_equal(p->cpu_cnt, CPU_CNT);
	assert_counts(&p->cpu[2], 70, 50);
}

static void set_errors(struct fixture *f, int row, __u64 first, __u64 second)
{
	sum_at(f, &f->to, 0, row, 0)->errors = first;
	sum_at(f, &f->to, 0, row, 1)->errors = second;
}

/* A run with one event at least is measured; of the others, so many less. */
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
	/* of this interval only */
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
	snapshot__at(&f->s, &f->to, 0, 0)->lost[LOST_READ] = 1;
	p = make(f)->prog;
	assert_counts(&p->all, 101, 90);
	assert_int_equal(p->all.lost[LOST_READ], 11);
	assert_counts(&p->cpu[0], 101, 90);
	assert_int_equal(p->all.event[0].measured, 70);
	assert_int_equal(p->all.event[1].measured, 90);
	/* all of them: seen, not measured, and no mean of nothing */
	set_errors(f, 0, 100, 100);
	p = make(f)->prog;
	assert_counts(&p->all, 101, 0);
	assert_int_equal(p->all.lost[LOST_READ], 101);
	assert_false(report_event__has_value(&p->all.event[0]));
	assert_event(&p->all.event[0], 0, 0);
	assert_no_extremes(&p->all.event[0]);
}

/* As with the two PMUs of big.LITTLE: each event is one of some CPUs only, and no run is lost. */
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

/* ---- events that are not there ---- */

static void test_not_supported(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;

	add_event(f, "cache-misses", EVENT_NOT_SUPPORTED);
	add_event(f, "cycles", EVENT_OK);
	add_event(f, "branches", EVENT_NOT_COUNTED);
	strcpy(f->fds.state[0].detail, "this machine's PMU does not have it");
	strcpy(f->fds.state[2].detail, "no hardware counter is free for it");
	set_measured(f, &f->to, 0, 0, 10);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 500, 50, 50);
	ev = make(f)->prog[0].all.event;
	assert_int_equal(f->r->prog[0].all.event_cnt, 3);
	assert_int_equal(ev[0].status, EVENT_NOT_SUPPORTED);
	assert_string_equal(ev[0].detail, "this machine's PMU does not have it");
	assert_int_equal(ev[2].status, EVENT_NOT_COUNTED);
	assert_string_equal(ev[2].detail, "no hardware counter is free for it");
	/* they have no slot: nothing is theirs */
	for (int i = 0; i <= 2; i += 2) {
		assert_int_equal(ev[i].measured, 0);
		assert_true(isnan(ev[i].total));
		assert_true(isnan(ev[i].stat[STAT_MEAN]));
		assert_no_extremes(&ev[i]);
	}
	assert_event(&ev[1], 10, 500);
	assert_null(ev[1].detail);
	assert_counts(&f->r->prog[0].all, 10, 10);
}

/* The second target only, whose backend knows runs and their time. */
static void use_run_stats(struct fixture *f)
{
	f->target[0] = f->target[1];
	set_measured(f, &f->from, 0, REST, 10);
	set_measured(f, &f->to, 0, REST, 110);
	sum_at(f, &f->from, 0, REST, BPROF_CLOCK_SLOT)->total = 2000;
	sum_at(f, &f->to, 0, REST, BPROF_CLOCK_SLOT)->total = 27000;
	snapshot__at(&f->s, &f->from, 0, REST)->recursion_misses = 1;
	snapshot__at(&f->s, &f->to, 0, REST)->recursion_misses = 4;
}

static void check_run_stats_time(const struct report_event *ev)
{
	assert_string_equal(ev->name, "time");
	assert_string_equal(ev->base, "time");
	assert_string_equal(ev->unit, "ns");
	assert_event(ev, 100, 25000);
	assert_no_extremes(ev);
}

static void test_run_stats(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "cache-misses", EVENT_NOT_SUPPORTED);
	strcpy(f->fds.state[1].detail, "no PMU here takes it");
	use_run_stats(f);
	p = make(f)->prog;
	/* what the kernel left out did not run */
	assert_counts(&p->all, 100, 100);
	assert_true(p->recursion_misses == 3);
	assert_int_equal(p->all.event_cnt, 3);
	assert_int_equal(p->all.event[0].status, EVENT_NOT_COUNTED);
	assert_string_equal(p->all.event[0].detail, "run_stats counts runs and time only");
	/* the truer reason */
	assert_int_equal(p->all.event[1].status, EVENT_NOT_SUPPORTED);
	assert_string_equal(p->all.event[1].detail, "no PMU here takes it");
	check_run_stats_time(&p->all.event[2]);
	/* asked for rows per CPU: it has none */
	assert_int_equal(p->cpu_cnt, 0);
}

static void test_run_stats_time_asked_for(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "time", EVENT_OK);
	add_event(f, "cycles", EVENT_OK);
	use_run_stats(f);
	p = make(f)->prog;
	assert_int_equal(p->all.event_cnt, 2);
	check_run_stats_time(&p->all.event[0]);
	assert_int_equal(p->all.event[1].status, EVENT_NOT_COUNTED);
	assert_counts(&p->all, 100, 100);
}

/* Where the snapshots do not have them, they are not known: which is not none. */
static void test_recursion_misses(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 1, 10);
	snapshot__at(&f->s, &f->from, 0, REST)->recursion_misses = 5;
	snapshot__at(&f->s, &f->to, 0, REST)->recursion_misses = 7;
	assert_true(isnan(make(f)->prog[0].recursion_misses));
	f->to.edge = true;
	assert_true(make(f)->prog[0].recursion_misses == 2);
	assert_counts(&f->r->prog[0].all, 10, 10);
	/* they are the program's, which a function of it is not */
	f->target[0].subprog = true;
	assert_true(isnan(make(f)->prog[0].recursion_misses));
}

/* ---- shares ---- */

static void test_share_by_time(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "time", EVENT_OK);
	f->from.ns = 500000;
	f->to.ns = 1500000;
	sum_at(f, &f->from, 0, 0, BPROF_CLOCK_SLOT)->total = 50000;
	sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT)->total = 800000;
	sum_at(f, &f->to, 0, 2, BPROF_CLOCK_SLOT)->total = 500000;
	/* known, and not needed */
	f->s.cycles_event = 0;
	f->from.cycles = f->cycles[0];
	f->to.cycles = f->cycles[1];
	f->cycles[1][0] = 1;
	p = make(f)->prog;
	assert_int_equal(f->r->elapsed_ns, 1000000);
	assert_near(p->cpu[0].cpu_share, 0.75);
	assert_near(p->cpu[1].cpu_share, 0);
	assert_near(p->cpu[2].cpu_share, 0.5);
	assert_near(p->all.cpu_share, 1.25); /* more than one CPU */
}

static void test_share_by_cycles(void **state)
{
	struct fixture *f = *state;
	struct report_prog *p;

	add_event(f, "instructions", EVENT_OK);
	add_event(f, "cycles", EVENT_OK);
	f->s.cycles_event = 1;
	f->from.cycles = f->cycles[0];
	f->to.cycles = f->cycles[1];
	for (int i = 0; i < CPU_CNT; i++) {
		sum_at(f, &f->from, 0, i, 1)->total = 1000;
		sum_at(f, &f->to, 0, i, 1)->total = 2000;
		f->cycles[0][i] = 10000;
	}
	f->cycles[1][0] = 14000;
	f->cycles[1][1] = 12000;
	f->cycles[1][2] = 10000; /* none: no share of nothing */
	p = make(f)->prog;
	assert_near(p->cpu[0].cpu_share, 0.25);
	assert_near(p->cpu[1].cpu_share, 0.5);
	assert_near(p->cpu[2].cpu_share, 0);
	assert_near(p->all.cpu_share, 0.75);
}

static void test_share_of_run_stats(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	use_run_stats(f);
	f->s.cycles_event = 0;
	f->from.cycles = f->cycles[0];
	f->to.cycles = f->cycles[1];
	assert_near(make(f)->prog[0].all.cpu_share, 0.025);
}

static void test_share_not_known(void **state)
{
	struct fixture *f = *state;

	add_event(f, "instructions", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 1);
	make(f);
	assert_true(isnan(f->r->prog[0].all.cpu_share));
	assert_true(isnan(f->r->prog[0].cpu[0].cpu_share));
	/* the gate was never open */
	add_event(f, "time", EVENT_OK);
	sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT)->total = 1;
	f->to.ns = f->from.ns;
	make(f);
	assert_true(isnan(f->r->prog[0].all.cpu_share));
	assert_true(isnan(f->r->prog[0].cpu[0].cpu_share));
}

/* ---- the rest of the report ---- */

static void test_skipped_and_head(void **state)
{
	struct fixture *f = *state;
	struct skipped skip[] = {
		{9, "gone", {.code = REASON_NO_SUCH_PROG}},
		{57, "", {REASON_SYSTEM, "opening it: Too many open files"}},
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

	assert_string_equal(f->r->version, BPROF_VERSION);
	assert_string_equal(f->r->command[0], "bprof");
	assert_string_equal(f->r->command[1], "-A");
	assert_null(f->r->command[2]);
	assert_int_equal(f->r->started.tv_sec, 1767225600);
	assert_int_equal(f->r->elapsed_ns, 1000000);
	assert_int_equal(f->r->host.cpus, CPU_CNT);
	assert_int_equal(f->r->repeats, 1);
	/* where one of them is compiled */
	f->s.targets.cnt = 2;
	assert_true(make(f)->host.jit);
	f->prog[0].info.jited_prog_len = 0;
	assert_false(make(f)->host.jit);
}

/* Nothing could be measured: one snapshot, and no target. */
static void test_empty(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	f->s.targets.cnt = 0;
	assert_int_equal(result__report(&f->s, &f->from, &f->from, &f->o, &f->r), 0);
	assert_int_equal(f->r->prog_cnt, 0);
	assert_int_equal(f->r->elapsed_ns, 0);
}

/* ---- repeats ---- */

enum { REPEATS = 3 };

/* A report of two programs with two events each, of these means. */
static struct report *report_of_means(const double means[4])
{
	struct report *r = report__new();

	assert_non_null(r);
	for (int p = 0; p < 2; p++) {
		struct report_prog *prog = report__add_prog(r);

		for (int e = 0; e < 2; e++)
			report_row__add_event(&prog->all)->stat[STAT_MEAN] = means[2 * p + e];
	}
	return r;
}

static void test_repeats(void **state)
{
	static const double means[REPEATS][4] = {
		{10, 5, 100, 7}, {12, 5, 400, NAN}, {17, 5, 700, 9}};
	struct report *whole = report_of_means(means[0]), *each[REPEATS];

	for (int i = 0; i < REPEATS; i++)
		each[i] = report_of_means(means[i]);
	/* one repeat has no spread */
	result__set_repeats(whole, each, 1);
	assert_int_equal(whole->repeats, 1);
	assert_true(isnan(whole->prog[0].all.event[0].repeat_stddev));
	/* perf's stddev_stats(): sqrt(sum of squares / (n - 1) / n) */
	result__set_repeats(whole, each, REPEATS);
	assert_int_equal(whole->repeats, 3);
	assert_near(whole->prog[0].all.event[0].repeat_stddev, sqrt(26. / 2 / 3));
	assert_true(whole->prog[0].all.event[1].repeat_stddev == 0);
	assert_near(whole->prog[1].all.event[0].repeat_stddev, sqrt(180000. / 2 / 3));
	/* not measured in one of them */
	assert_true(isnan(whole->prog[1].all.event[1].repeat_stddev));
	result__set_repeats(whole, each, 2);
	assert_near(whole->prog[0].all.event[0].repeat_stddev, 1);
	report__free(whole);
	for (int i = 0; i < REPEATS; i++)
		report__free(each[i]);
}

#define RESULT_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULT_TEST(test_difference_and_sum),
		RESULT_TEST(test_no_rows_per_cpu_unless_asked),
		RESULT_TEST(test_rows_of_offline_cpus),
		RESULT_TEST(test_targets),
		RESULT_TEST(test_extremes),
		RESULT_TEST(test_extremes_of_later_intervals),
		RESULT_TEST(test_extremes_beside_an_idle_cpu),
		RESULT_TEST(test_extremes_beside_unknown_ones),
		RESULT_TEST(test_scale),
		RESULT_TEST(test_lost),
		RESULT_TEST(test_unreadable_event),
		RESULT_TEST(test_unreadable_runs),
		RESULT_TEST(test_unreadable_events_of_other_cpus),
		RESULT_TEST(test_not_supported),
		RESULT_TEST(test_run_stats),
		RESULT_TEST(test_run_stats_time_asked_for),
		RESULT_TEST(test_recursion_misses),
		RESULT_TEST(test_share_by_time),
		RESULT_TEST(test_share_by_cycles),
		RESULT_TEST(test_share_of_run_stats),
		RESULT_TEST(test_share_not_known),
		RESULT_TEST(test_skipped_and_head),
		RESULT_TEST(test_empty),
		cmocka_unit_test(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
