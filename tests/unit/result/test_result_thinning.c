// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how a report shows thinning (--sample), from made-up counts: the periods of the CPUs with
 * runs, and the overhead of the probes on the CPU that has the most overhead.
 */
#include <math.h>

#include "tests/unit/made_session.h"

/*
 * Sets the overhead of the probe for two kinds of CPU: 100 or 200 ns for a measured run, and 10 or
 * 20 ns for a run that is only counted.
 */
static void calibrate_made(struct fixture *f)
{
	f->probes.net = f->probes.cost_known = true;
	f->probes.cost[1] = f->probes.cost[2] = (struct probe_cost){100, 10};
	f->probes.cost[7] = (struct probe_cost){200, 20};
}

static void set_counts(struct fixture *f, struct snapshot *snap, int target, int row,
		       __u64 measured, __u64 thinned_out, __u64 period)
{
	struct counts *c = snapshot__at(snap, target, row);

	c->measured = measured;
	c->thinned_out = thinned_out;
	c->period = period;
}

static void assert_periods(const struct report_row *row, __u64 min, __u64 max)
{
	assert_int_equal(row->period_min, min);
	assert_int_equal(row->period_max, max);
}

static void test_number(void **state)
{
	struct fixture *f = *state;

	f->s.env.opts.thin_period = 16;
	add_event(f, "cycles", EVENT_OK);
	set_counts(f, &f->to, 0, 0, 10, 150, 16);
	make(f);
	assert_int_equal(f->r->thin_period, 16);
	assert_true(!f->r->budget);
	assert_periods(&f->r->prog[0].all, 0, 0);
}

/* The periods in a report are those of the CPUs on which the target ran between the snapshots. */
static void test_periods(void **state)
{
	struct fixture *f = *state;
	const struct report_prog *p;

	calibrate_made(f);
	f->s.env.opts.thin_period = 1;
	f->s.env.opts.thin_share = 20000;
	add_event(f, "cycles", EVENT_OK);
	set_counts(f, &f->from, 0, 0, 10, 5, 1);
	set_counts(f, &f->to, 0, 0, 10, 5, 1);
	set_counts(f, &f->from, 0, 1, 10, 5, 9);
	set_counts(f, &f->to, 0, 1, 11, 5, 3);
	set_counts(f, &f->to, 0, 2, 0, 40, 77);
	p = make(f)->prog;
	assert_periods(&p->all, 3, 77);
	assert_int_equal(p->cpu_cnt, 3);
	assert_periods(&p->cpu[0], 0, 0);
	assert_periods(&p->cpu[1], 3, 3);
	assert_periods(&p->cpu[2], 77, 77);
	/* the target did not run between the snapshots */
	f->from = f->to;
	assert_periods(&make(f)->prog->all, 0, 0);
}

static void test_added(void **state)
{
	struct fixture *f = *state;

	calibrate_made(f);
	f->s.env.opts.thin_share = 20000;
	f->s.targets.cnt = 2;
	add_event(f, "cycles", EVENT_OK);
	set_counts(f, &f->from, 0, 0, 100, 0, 1);
	set_counts(f, &f->to, 0, 0, 200, 50, 3); /* overhead: 10500 ns */
	set_counts(f, &f->to, 0, 2, 50, 40, 3);	 /* overhead: 10800 ns, and 400 ns for lost runs */
	snapshot__at(&f->to, 0, 2)->lost[LOST_OVERFLOW] = 2;
	/* these runs have no probe, and thus no overhead */
	set_counts(f, &f->to, 1, REST, 1000000, 0, 0);
	make(f); /* within 1 ms */
	assert_int_equal(f->r->thin_period, 0);
	assert_true(fabs(f->r->budget->share - 0.02) <= 1e-12);
	assert_true(fabs(f->r->budget->added - 0.0112) <= 1e-12);
	assert_true(fabs(f->r->budget->counting - 0.0008) <= 1e-12);
	/* there was no time between the two snapshots */
	f->to.ns = f->from.ns;
	make(f);
	assert_true(f->r->budget->added == 0);
}

/* The share of a CPU is that of all runs, although only one run in 16 was measured. */
static void test_share(void **state)
{
	struct fixture *f = *state;
	const struct report_prog *p;

	f->s.env.opts.thin_period = 16;
	add_event(f, "time", EVENT_OK);
	set_counts(f, &f->to, 0, 0, 10, 150, 16);
	sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT)->total = 30000;
	set_counts(f, &f->to, 0, 1, 10, 0, 16);
	sum_at(f, &f->to, 0, 1, BPROF_CLOCK_SLOT)->total = 10000;
	p = make(f)->prog; /* within 1 ms */
	assert_near(p->cpu[0].cpu_share, 0.48);
	assert_true(p->cpu[0].share_estimated);
	assert_near(p->cpu[1].cpu_share, 0.01);
	assert_false(p->cpu[1].share_estimated);
	assert_near(p->all.cpu_share, 0.49);
	assert_true(p->all.share_estimated);
	/*
	 * in the sum, the runs on a CPU without measured runs are assumed to take as long as those on
	 * other CPUs
	 */
	set_counts(f, &f->to, 0, 2, 0, 5, 16);
	p = make(f)->prog;
	assert_true(isnan(p->cpu[2].cpu_share));
	assert_false(p->cpu[2].share_estimated);
	assert_near(p->all.cpu_share, 0.50);
	/* the share includes lost runs */
	snapshot__at(&f->to, 0, 1)->lost[LOST_OVERFLOW] = 10;
	assert_near(make(f)->prog->cpu[1].cpu_share, 0.02);
}

/* If one run in 16 is measured, the share has an error. If the error is more than a quarter, there is no share. */
static void test_share_error(void **state)
{
	struct fixture *f = *state;
	const struct report_row *row;
	struct event_counts *time;

	f->s.env.opts.thin_period = 16;
	add_event(f, "time", EVENT_OK);
	set_counts(f, &f->to, 0, 0, 10, 150, 16);
	time = sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT);
	time->total = 30000; /* 3,000 ns each, with a standard deviation of 100 ns */
	time->squares = 10 * (3000. * 3000 + 100 * 100);
	row = &make(f)->prog->all;
	assert_near(row->cpu_share, 0.48);
	/* 2.262: Student's t with 9 degrees of freedom; 10 of 160 runs are known */
	assert_true(fabs(row->share_error / 0.48 - 2.262 * 100 * sqrt(0.09375) / 3000) < 1e-5);
	assert_true(fabs(report__share_error(f->r) - row->share_error / 0.48) < 1e-12);
	time->squares = 10 * (3000. * 3000 + 2000 * 2000);
	row = &make(f)->prog->all;
	assert_true(isnan(row->cpu_share));
	assert_false(row->share_estimated);
	/* without distributions, the error is not known */
	time->squares = NAN;
	row = &make(f)->prog->all;
	assert_near(row->cpu_share, 0.48);
	assert_true(isnan(row->share_error));
}

/* If a probe is attached in turns, an interval shows its own runs, but events from a longer time (slices_from). */
static void test_slices_from(void **state)
{
	struct fixture *f = *state;
	struct snapshot *now = &f->to, *past = snapshot__new(now->target_cnt, now->cpu_cnt, 0);
	const struct result_span span = {.from = &f->from, .to = now, .slices_from = past};

	assert_non_null(past);
	add_event(f, "cycles", EVENT_OK);
	set_counts(f, &f->from, 0, 0, 100, 0, 1);
	set_counts(f, now, 0, 0, 110, 0, 1);
	for (int i = 0; i < 2; i++) {
		report__free(f->r);
		assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
		assert_int_equal(f->r->prog[0].all.runs, i ? 1000 : 10);
		assert_int_equal(f->r->prog[0].all.measured, 10);
		assert_int_equal(f->r->prog[0].all.event[0].measured, i ? 110 : 10);
		snapshot__at(now, 0, now->cpu_cnt)->unprobed = 990;
	}
	snapshot__free(past);
}

/* With --max-overhead, the kernel times the runs while the probe is not attached. */
static void test_share_by_kernel(void **state)
{
	struct fixture *f = *state;
	struct counts *no_cpu = snapshot__at(&f->to, 0, f->to.cpu_cnt);
	const struct result_span span = {.from = &f->from, .to = &f->to};
	const struct report_row *row;

	add_event(f, "time", EVENT_OK);
	f->s.env.stats_cost.bias_ns = 40;
	set_counts(f, &f->to, 0, 0, 10, 0, 1);
	sum_at(f, &f->to, 0, 0, BPROF_CLOCK_SLOT)->total = 5000;
	no_cpu->unprobed = 990;
	no_cpu->rested = (struct kernel_runs){900, 900 * 140};
	row = &make(f)->prog->all;
	assert_int_equal(row->runs, 1000);
	assert_int_equal(row->unprobed, 990);
	assert_near(row->cpu_share, 0.1);
	assert_false(row->share_estimated);
	/* the kernel does not say on which CPU the runs were */
	row = &f->r->prog->cpu[0];
	assert_int_equal(row->runs, 10);
	assert_true(row->at_least);
	assert_true(isnan(row->cpu_share));
	/* the kernel has not counted the runs without the probe */
	no_cpu->unprobed = 0;
	no_cpu->rested = (struct kernel_runs){};
	no_cpu->blind_ns = 1;
	row = &make(f)->prog->all;
	assert_true(row->at_least);
	assert_true(isnan(row->cpu_share));
	assert_true(isnan(report_row__runs_per_s(f->r, row)));
	row = &f->r->prog->cpu[0];
	assert_int_equal(row->runs, 10);
	assert_true(row->at_least);
	assert_true(isnan(row->cpu_share));
	f->s.env.opts.by = BY_CPU;
	report__free(f->r);
	assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
	row = &f->r->prog->all;
	assert_int_equal(row->runs, 10);
	assert_true(row->at_least);
	/* the probe was attached all the time in this interval, but not before */
	snapshot__at(&f->from, 0, REST)->blind_ns = 1;
	report__free(f->r);
	assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
	row = &f->r->prog->all;
	assert_int_equal(row->runs, 10);
	assert_false(row->at_least);
	assert_false(isnan(row->cpu_share));
}

/*
 * The share is computed from cycles. As events are multiplexed, cycles were counted in only some of
 * the measured runs.
 */
static void test_share_by_cycles(void **state)
{
	struct fixture *f = *state;
	const struct report_row *row;

	add_event(f, "cycles", EVENT_OK);
	f->s.cycles_event = 0;
	f->from.cycles = f->cycles[0];
	f->to.cycles = f->cycles[1];
	f->cycles[1][0] = 100000;
	set_counts(f, &f->to, 0, 0, 10, 30, 4);
	sum_at(f, &f->to, 0, 0, 0)->total = 1000;
	sum_at(f, &f->to, 0, 0, 0)->uncovered = 5;
	row = &make(f)->prog->all;
	assert_near(row->cpu_share, 0.08);
	assert_true(row->share_estimated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_number, setup, teardown),
		cmocka_unit_test_setup_teardown(test_periods, setup, teardown),
		cmocka_unit_test_setup_teardown(test_added, setup, teardown),
		cmocka_unit_test_setup_teardown(test_share_by_kernel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_share_error, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slices_from, setup, teardown),
		cmocka_unit_test_setup_teardown(test_share, setup, teardown),
		cmocka_unit_test_setup_teardown(test_share_by_cycles, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
