// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how a report shows values that not every session has: events that do not exist, rows of a
 * backend without events, runs that the kernel skipped, and the share of a CPU.
 */
#include <math.h>
#include <string.h>

#include "sampling/sampling.h"
#include "tests/unit/made_session.h"

/* ---- events that do not exist ---- */

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
	/* these events have no slot, hence no counts */
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

/* Measures only the second target. Its backend counts only runs and their time. */
static void use_run_stats(struct fixture *f)
{
	f->target[0] = f->target[1];
	set_measured(f, &f->from, 0, REST, 10);
	set_measured(f, &f->to, 0, REST, 110);
	sum_at(f, &f->from, 0, REST, BPROF_CLOCK_SLOT)->total = 2000;
	sum_at(f, &f->to, 0, REST, BPROF_CLOCK_SLOT)->total = 27000;
	snapshot__at(&f->from, 0, REST)->recursion_misses = 1;
	snapshot__at(&f->to, 0, REST)->recursion_misses = 4;
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
	/* runs that the kernel skipped are not counted as runs */
	assert_counts(&p->all, 100, 100);
	assert_true(p->recursion_misses == 3);
	assert_int_equal(p->all.event_cnt, 3);
	assert_int_equal(p->all.event[0].status, EVENT_NOT_COUNTED);
	assert_string_equal(p->all.event[0].detail, "it counts runs and time only");
	/* of two reasons why the event has no value, the more specific one is reported */
	assert_int_equal(p->all.event[1].status, EVENT_NOT_SUPPORTED);
	assert_string_equal(p->all.event[1].detail, "no PMU here takes it");
	check_run_stats_time(&p->all.event[2]);
	/* rows per CPU were requested, but this backend has none */
	assert_int_equal(p->cpu_cnt, 0);
}

static const char *refuse_third(const void *state, const struct target *t, int event,
				const struct event_counts *c)
{
	const struct record_samples all = {.taken = c->taken, .lost = c->lost_samples};

	return event == 2					  ? "it takes no samples"
	       : sampling__lost_too_many("xdp", c->samples, &all) ? "too many were lost"
								  : NULL;
}

/*
 * Measures only the first target, which has 600 runs and whose events are estimated from samples.
 */
static void use_samples(struct fixture *f)
{
	static const struct counter_ops ops = {
		.method = "samples", .caps = BACKEND_ESTIMATES_EVENTS, .not_counted = refuse_third};

	f->s.backend[0].ops = &ops;
	set_measured(f, &f->from, 0, REST, 10);
	set_measured(f, &f->to, 0, REST, 610);
}

static void set_samples(struct event_counts *sum, __u64 samples, __u64 period)
{
	sum->samples = samples;
	sum->total = samples * period;
}

static void test_samples(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;
	struct report_prog *p;

	add_event(f, "cycles", EVENT_OK)->scale = 0.5;
	add_event(f, "branches", EVENT_OK);
	add_event(f, "cycles:u", EVENT_OK);
	use_samples(f);
	set_samples(sum_at(f, &f->from, 0, REST, 0), 25, 1000);
	set_samples(sum_at(f, &f->to, 0, REST, 0), 125, 1000);
	/* this event had no sample between the two snapshots */
	set_samples(sum_at(f, &f->from, 0, REST, 1), 3, 1000);
	set_samples(sum_at(f, &f->to, 0, REST, 1), 3, 1000);
	p = make(f)->prog;
	assert_string_equal(p->method, "samples");
	assert_counts(&p->all, 600, 600);
	/*
	 * the time of run_stats is not reported, because it includes all functions that the target
	 * calls
	 */
	assert_int_equal(p->all.event_cnt, 3);
	assert_true(isnan(p->all.cpu_share));
	assert_int_equal(p->cpu_cnt, 0);
	ev = p->all.event;
	assert_event(&ev[0], 600, 50000);
	assert_no_extremes(&ev[0]);
	assert_int_equal(ev[0].estimate->samples, 100);
	assert_near(ev[0].estimate->total_stddev, 5000);
	assert_near(ev[0].mean_stddev, 5000.0 / 600);
	assert_int_equal(ev[1].estimate->samples, 0);
	assert_int_equal(ev[1].measured, 600);
	assert_true(ev[1].total == 0 && ev[1].stat[STAT_MEAN] == 0);
	assert_true(isnan(ev[1].estimate->total_stddev) && isnan(ev[1].mean_stddev));
	assert_int_equal(ev[2].status, EVENT_NOT_COUNTED);
	assert_string_equal(ev[2].detail, "it takes no samples");
}

/* Whether too many samples were lost depends only on the samples of the interval. */
static void test_losses(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "branches", EVENT_OK);
	use_samples(f);
	set_samples(sum_at(f, &f->from, 0, REST, 0), 25, 1000);
	set_samples(sum_at(f, &f->to, 0, REST, 0), 125, 1000);
	set_samples(sum_at(f, &f->to, 0, REST, 1), 125, 1000);
	/* many were lost before the interval */
	sum_at(f, &f->from, 0, REST, 0)->taken = 1000;
	sum_at(f, &f->to, 0, REST, 0)->taken = 2000;
	sum_at(f, &f->from, 0, REST, 0)->lost_samples = 500;
	sum_at(f, &f->to, 0, REST, 0)->lost_samples = 504;
	/* and many of the few samples in the interval */
	sum_at(f, &f->from, 0, REST, 1)->taken = 1000000;
	sum_at(f, &f->to, 0, REST, 1)->taken = 1000100;
	sum_at(f, &f->to, 0, REST, 1)->lost_samples = 100;
	ev = make(f)->prog->all.event;
	assert_event(&ev[0], 600, 100000);
	assert_int_equal(ev[1].status, EVENT_NOT_COUNTED);
	assert_string_equal(ev[1].detail, "too many were lost");
}

/*
 * If a program has samples but the number of its runs is unknown, its total and its share of a CPU
 * are known.
 */
static void test_samples_without_runs(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;

	add_event(f, "time", EVENT_OK);
	use_samples(f);
	set_measured(f, &f->from, 0, REST, 610);
	set_samples(sum_at(f, &f->to, 0, REST, BPROF_CLOCK_SLOT), 16, 10000);
	ev = make(f)->prog[0].all.event;
	assert_event(ev, 0, 160000);
	assert_near(ev->estimate->total_stddev, 40000);
	assert_true(isnan(ev->mean_stddev));
	assert_near(f->r->prog[0].all.cpu_share, 0.16);
	/* with a part of its samples, a program has no share of a CPU either */
	sum_at(f, &f->to, 0, REST, BPROF_CLOCK_SLOT)->taken = 16;
	sum_at(f, &f->to, 0, REST, BPROF_CLOCK_SLOT)->lost_samples = 1000;
	ev = make(f)->prog[0].all.event;
	assert_int_equal(ev->status, EVENT_NOT_COUNTED);
	assert_true(isnan(f->r->prog[0].all.cpu_share));
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

/*
 * Only snapshots of a start or a stop (edge) have recursion misses. Between other snapshots, the
 * number is unknown, not 0.
 */
static void test_recursion_misses(void **state)
{
	struct fixture *f = *state;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 1, 10);
	snapshot__at(&f->from, 0, REST)->recursion_misses = 5;
	snapshot__at(&f->to, 0, REST)->recursion_misses = 7;
	assert_true(isnan(make(f)->prog[0].recursion_misses));
	f->to.edge = true;
	assert_true(make(f)->prog[0].recursion_misses == 2);
	assert_counts(&f->r->prog[0].all, 10, 10);
	/* recursion misses are counted per program, so a subprogram's row has none */
	f->target[0].subprog = true;
	assert_true(isnan(make(f)->prog[0].recursion_misses));
}

/* ---- two runs taken for one ---- */

/* Such a run costs no more than the most expensive run, so these runs change the total by a known limit. */
static void test_merged(void **state)
{
	static const struct {
		int merged;
		bool has_mean, has_max;
	} cases[] = {{0, true, true}, {2, true, false}, {3, false, false}};
	struct fixture *f = *state;
	const struct report_event *ev;

	add_event(f, "cycles", EVENT_OK);
	set_measured(f, &f->to, 0, 0, 1000);
	set_extremes(sum_at(f, &f->to, 0, 0, 0), 100000, 50, 500);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snapshot__at(&f->to, 0, REST)->merged = cases[i].merged;
		ev = make(f)->prog[0].all.event;
		assert_int_equal(isnan(ev->stat[STAT_MEAN]), !cases[i].has_mean);
		assert_int_equal(isnan(ev->total), !cases[i].has_mean);
		assert_int_equal(isnan(ev->stat[STAT_MAX]), !cases[i].has_max);
		assert_true(ev->stat[STAT_MIN] == 50);
		assert_int_equal(f->r->prog[0].notes.cnt, !!cases[i].merged);
	}
}

/* ---- shares of a CPU ---- */

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
	/* the share could be computed from cycles, too, but is computed from the time */
	f->s.cycles_event = 0;
	f->from.cycles = f->cycles[0];
	f->to.cycles = f->cycles[1];
	f->cycles[1][0] = 1;
	p = make(f)->prog;
	assert_int_equal(f->r->elapsed_ns, 1000000);
	assert_near(p->cpu[0].cpu_share, 0.75);
	assert_near(p->cpu[1].cpu_share, 0);
	assert_near(p->cpu[2].cpu_share, 0.5);
	assert_near(p->all.cpu_share, 1.25); /* the share may be more than one CPU */
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
	f->cycles[1][2] = 10000; /* the CPU counted no cycles: the share is 0 */
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
	/* time is measured, but there was no time between the two snapshots */
	add_event(f, "time", EVENT_OK);
	sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT)->total = 1;
	f->to.ns = f->from.ns;
	make(f);
	assert_true(isnan(f->r->prog[0].all.cpu_share));
	assert_true(isnan(f->r->prog[0].cpu[0].cpu_share));
}

#define RESULT_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULT_TEST(test_not_supported),
		RESULT_TEST(test_run_stats),
		RESULT_TEST(test_samples),
		RESULT_TEST(test_losses),
		RESULT_TEST(test_samples_without_runs),
		RESULT_TEST(test_run_stats_time_asked_for),
		RESULT_TEST(test_recursion_misses),
		RESULT_TEST(test_merged),
		RESULT_TEST(test_share_by_time),
		RESULT_TEST(test_share_by_cycles),
		RESULT_TEST(test_share_of_run_stats),
		RESULT_TEST(test_share_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
