// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the rows of --by retval, from made-up counts: which values have a row, and that the rows add
 * up to all runs, whatever was lost or thinned out.
 */
#include <math.h>

#include "backend/backend_env.h"
#include "base/memory.h"
#include "btf/func_table.h"
#include "result/result_counts.h"
#include "tests/unit/made_session.h"

/* Snapshots of one target that returns an int, with rows for its parts. */
struct divided {
	struct fixture *f;
	struct snapshot *from, *to;
	struct bpf_fn fn;
	struct func_table funcs;
	struct report *r;
};

static int setup_divided(void **state)
{
	struct divided *d = calloc(1, sizeof(*d));

	if (!d || setup((void **)&d->f))
		return -1;
	d->from = snapshot__new(1, CPU_CNT, BPROF_PARTS);
	d->to = snapshot__new(1, CPU_CNT, BPROF_PARTS);
	if (!d->from || !d->to)
		return -1;
	d->to->ns = 1000000;
	d->fn.ret_sz = 4;
	d->funcs = (struct func_table){.fn = &d->fn, .cnt = 1};
	d->f->prog[0].funcs = &d->funcs;
	d->f->s.env.opts.by = BY_RETVAL;
	add_event(d->f, "time", EVENT_OK);
	*state = d;
	return 0;
}

static int teardown_divided(void **state)
{
	struct divided *d = *state;

	report__free(d->r);
	snapshot__free(d->from);
	snapshot__free(d->to);
	teardown((void **)&d->f);
	free(d);
	return 0;
}

/* Adds runs with a cost each to a part on the first CPU, and to the counts of all runs. */
static void add_runs(struct snapshot *snap, int part, __s64 value, __u64 runs, __s64 cost)
{
	struct counts *all = snapshot__at(snap, 0, 0), *c;

	for (int cpu = 0; part && cpu < CPU_CNT; cpu++)
		snapshot__at(snap, 0, snapshot__part_row(snap, part, cpu))->retval =
			(__u32)value | BPROF_RETVAL_USED;
	c = snapshot__at(snap, 0, snapshot__part_row(snap, part, 0));
	c->measured += runs;
	all->measured += runs;
	c->event[BPROF_CLOCK_SLOT].total += runs * cost;
	all->event[BPROF_CLOCK_SLOT].total += runs * cost;
	c->event[BPROF_CLOCK_SLOT].min = c->event[BPROF_CLOCK_SLOT].max = cost;
	counts__widen(all, c);
}

static struct report *make_divided(struct divided *d)
{
	const struct result_span span = {.from = d->from, .to = d->to};

	report__free(d->r);
	assert_int_equal(result__report(&d->f->s, &span, 1, &d->f->o, &d->r), 0);
	return d->r;
}

static void assert_part(const struct report_prog *p, const char *returns, __u64 runs,
			__u64 measured, double total)
{
	char buf[RETURNS_SZ];

	assert_true(p->by_retval);
	assert_string_equal(report_prog__returns(p, buf), returns);
	assert_int_equal(p->all.runs, runs);
	assert_int_equal(p->all.measured, measured);
	assert_near(p->all.event[0].total, total);
}

/* Rows are in the order of the values; the value 2 (XDP_PASS) had no runs. */
static void test_rows(void **state)
{
	struct divided *d = *state;
	struct report *r;

	add_runs(d->to, 1, 3, 10, 500);
	add_runs(d->to, 2, 2, 0, 0);
	add_runs(d->to, 3, -5, 2, 7);
	add_runs(d->to, 4, 1, 30, 10);
	r = make_divided(d);
	assert_true(r->by_retval);
	assert_int_equal(r->prog_cnt, 3);
	assert_part(&r->prog[0], "-5", 2, 2, 14);
	assert_part(&r->prog[1], "XDP_DROP", 30, 30, 300);
	assert_part(&r->prog[2], "XDP_TX", 10, 10, 5000);
	assert_extremes(&r->prog[2].all.event[0], 500, 500);
	/* 5,314 ns in 1 ms, divided among the rows */
	assert_near(r->prog[0].all.cpu_share + r->prog[1].all.cpu_share + r->prog[2].all.cpu_share,
		    5314 / 1e6);
	assert_near(r->prog[2].all.cpu_share, 5000 / 1e6);
	assert_int_equal(r->prog[1].cpu_cnt, CPU_CNT);
	assert_int_equal(r->prog[1].cpu[0].runs, 30);
	assert_int_equal(r->prog[1].cpu[1].runs, 0);
}

/* Runs with other values have a row, and after it those whose value is not known. */
static void test_other(void **state)
{
	struct divided *d = *state;
	struct report *r;

	add_runs(d->to, 1, 1, 30, 10);
	assert_int_equal(make_divided(d)->prog_cnt, 1);
	snapshot__at(d->to, 0, 0)->thinned_out = 60;
	snapshot__at(d->to, 0, 1)->lost[LOST_ENTRY] = 4;
	snapshot__at(d->to, 0, REST)->lost[LOST_RECURSION] = 5;
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 2);
	assert_part(&r->prog[0], "XDP_DROP", 30, 30, 300);
	assert_part(&r->prog[1], "not measured", 69, 0, 0);
	assert_true(isnan(r->prog[1].all.cpu_share));
	assert_false(r->prog[1].all.share_estimated);
	assert_int_equal(r->prog[1].all.lost[LOST_ENTRY], 4);
	assert_int_equal(r->prog[1].all.lost[LOST_RECURSION], 5);
	/* 99 runs of 10 ns each are estimated */
	assert_near(r->prog[0].all.cpu_share, 990 / 1e6);
	assert_true(r->prog[0].all.share_estimated);
	add_runs(d->to, 0, 0, 10, 50);
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 3);
	assert_part(&r->prog[1], "other", 10, 10, 500);
	/* 109 runs of 20 ns each are estimated */
	assert_near(r->prog[0].all.cpu_share + r->prog[1].all.cpu_share, 2180 / 1e6);
	assert_part(&r->prog[2], "not measured", 69, 0, 0);
}

/* If there are more keys than rows, the keys that cost most have a row each, and the others share one. */
static void test_keys(void **state)
{
	struct divided *d = *state;
	struct event_counts *sum;
	struct report *r;
	char buf[RETURNS_SZ];

	snapshot__free(d->from);
	snapshot__free(d->to);
	d->from = snapshot__new(1, CPU_CNT, BPROF_KEY_PARTS);
	d->to = snapshot__new(1, CPU_CNT, BPROF_KEY_PARTS);
	d->to->ns = 1000000;
	d->f->s.env.opts.by = BY_QUEUE;
	for (int i = 0; i < 12; i++) {
		add_runs(d->to, 1 + i, 0, 10, 100 + i);
		for (int cpu = 0; cpu < CPU_CNT; cpu++)
			snapshot__at(d->to, 0, snapshot__part_row(d->to, 1 + i, cpu))->retval =
				1 + i;
	}
	r = make_divided(d);
	assert_int_equal(r->by, BY_QUEUE);
	assert_int_equal(r->prog_cnt, MAX_KEY_ROWS + 1);
	for (int i = 0; i < MAX_KEY_ROWS; i++) {
		assert_true(r->prog[i].key_value == 11 - i);
		assert_near(r->prog[i].all.event[0].total, 10 * (111 - i));
	}
	assert_string_equal(report_prog__returns(&r->prog[8], buf), "other");
	assert_int_equal(r->prog[8].all.runs, 40);
	assert_near(r->prog[8].all.event[0].total, 10 * (100 + 101 + 102 + 103));
	assert_extremes(&r->prog[8].all.event[0], 100, 103);
	assert_int_equal(r->prog[0].notes.cnt, 0);
	/*
	 * If the probe did not keep some keys apart, a note says that the remaining runs may be of
	 * one key.
	 */
	add_runs(d->to, 0, 0, 10, 105);
	r = make_divided(d);
	assert_int_equal(r->prog[8].all.runs, 50);
	assert_int_equal(r->prog[0].notes.cnt, 1);
	/* Intervals have all keys. */
	d->f->o.all_keys = true;
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 13);
	assert_int_equal(r->prog[12].all.runs, 10);
	/* Then the remaining runs are compared with the cheapest of all keys. */
	for (int more = 0; more <= 1; more++) {
		sum = &snapshot__at(d->to, 0, snapshot__part_row(d->to, 0, 0))
			       ->event[BPROF_CLOCK_SLOT];
		sum->total = 10 * 100 + more;
		assert_int_equal(make_divided(d)->prog[0].notes.cnt, more);
	}
}

/* Without a count of the runs that were not measured, the parts of the time are not known. */
static void test_blind(void **state)
{
	struct divided *d = *state;
	struct report *r;

	add_runs(d->to, 1, 1, 30, 10);
	add_runs(d->to, 2, 2, 10, 10);
	snapshot__at(d->to, 0, CPU_CNT)->blind_ns = 1;
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 3);
	assert_true(r->prog[2].unmeasured && r->prog[2].all.at_least);
	assert_true(isnan(r->prog[0].all.cpu_share));
}

/* Adds a slice to the sums of a row. n_all, x_all: what the slice has of all runs. */
static void add_sums(struct slice_sums *sums, double n, double x, double n_all, double x_all)
{
	struct slice_event *v = &sums->event[BPROF_CLOCK_SLOT];

	v->n += n;
	v->nn += n * n;
	v->x += x;
	v->xx += x * x;
	v->nx += n * x;
	v->n_all += n * n_all;
	v->x_all += x * x_all;
}

/* Adds a slice on the first CPU with runs of parts 1 and 2. cost: of each run. */
static void add_slice(struct divided *d, double runs1, double cost1, double runs2, double cost2)
{
	double n = runs1 + runs2, all = runs1 * cost1 + runs2 * cost2;
	struct slice_sums *sums, *parts;

	if (!d->to->slices) {
		d->to->slices = xcalloc(1, sizeof(*d->to->slices));
		*d->to->slices = xcalloc(slice_sums__rows(CPU_CNT, BPROF_PARTS), sizeof(*sums));
	}
	sums = *d->to->slices;
	parts = &sums[1 + CPU_CNT];
	sums->seen += n;
	add_sums(&sums[0], n, all, n, all);
	add_sums(&sums[1], n, all, n, all);
	add_sums(&parts[1], runs1, runs1 * cost1, n, all);
	add_sums(&parts[2], runs2, runs2 * cost2, n, all);
	add_runs(d->to, 1, 1, runs1, cost1);
	add_runs(d->to, 2, 2, runs2, cost2);
	snapshot__at(d->to, 0, CPU_CNT)->unprobed += 9 * n;
	/* the kernel's time of a run is 100 ns */
	snapshot__at(d->to, 0, CPU_CNT)->rested.runs += 9 * n;
	snapshot__at(d->to, 0, CPU_CNT)->rested.ns += 900 * n;
}

/*
 * If probes measure in slices, the error of a row's mean comes from how much the mean differs between slices.
 * With too few slices, there is no mean.
 */
static void test_slices(void **state)
{
	struct divided *d = *state;
	const struct report_event *ev;

	for (int i = 0; i < 3; i++)
		add_slice(d, 3, 100, 1, 100);
	ev = &make_divided(d)->prog[0].all.event[0];
	assert_true(isnan(ev->stat[STAT_MEAN]) && isnan(ev->stat[STAT_MIN]));
	assert_true(isnan(d->r->prog[1].all.event[0].stat[STAT_MEAN]));
	for (int i = 3; i < 10; i++)
		add_slice(d, 3, i % 2 ? 90 : 110, 1, 100);
	add_slice(d, 3, 90, 1, 100);
	ev = &make_divided(d)->prog[0].all.event[0];
	/* three slices are at the mean, eight are off by 10 */
	assert_near(ev->stat[STAT_MEAN], 1080. / 11);
	assert_non_null(ev->sampled);
	assert_near(ev->mean_stddev,
		    sqrt((3 * 100 + 3 * 12100 + 5 * 8100 - 11 * (1080. * 1080 / 121)) * 11 / 10) /
			    11);
	assert_near(d->r->prog[1].all.event[0].stat[STAT_MEAN], 100);
	assert_near(d->r->prog[1].all.event[0].mean_stddev, 0);
}

/* A row's part of the time is known if each slice has a similar part of it. */
static void test_parts_of_slices(void **state)
{
	struct divided *d = *state;

	for (int i = 0; i < 10; i++)
		add_slice(d, 30, 100, 10, 100);
	make_divided(d);
	assert_near(d->r->prog[0].all.cpu_share, 0.3);
	assert_near(d->r->prog[0].all.share_error, 0);
	assert_near(d->r->prog[1].all.cpu_share, 0.1);
	assert_near(d->r->prog[1].all.share_error, 0);
	assert_near(d->r->prog[0].all.likely_runs, 3000);
	for (int i = 0; i < 10; i++)
		add_slice(d, 30, 100, i % 2 ? 11 : 9, 100);
	make_divided(d);
	assert_true(d->r->prog[0].all.share_error > 0.001 && d->r->prog[0].all.share_error < 0.01);
}

/* If the runs of one task are in some slices and those of another task in others, their parts are hardly known. */
static void test_tasks_in_turns(void **state)
{
	struct divided *d = *state;

	for (int i = 0; i < 10; i++)
		add_slice(d, i < 6 ? 1000 : 0, 100, i < 6 ? 0 : 1000, 100);
	make_divided(d);
	assert_near(d->r->prog[0].all.event[0].stat[STAT_MEAN], 100);
	assert_true(isnan(d->r->prog[0].all.cpu_share) && isnan(d->r->prog[0].all.likely_runs));
	assert_true(isnan(d->r->prog[1].all.cpu_share));
	for (int i = 0; i < 990; i++)
		add_slice(d, i % 2 ? 1000 : 0, 100, i % 2 ? 0 : 1000, 100);
	make_divided(d);
	/* for 1,000 independent slices: 1.96 * sqrt(0.25 / 1000) of the 1,000 CPUs of the target */
	assert_near(d->r->prog[0].all.cpu_share, 501);
	assert_true(fabs(d->r->prog[0].all.share_error - 31) < 1);
}

/* The runs that were measured before the first slice stand only for themselves, the others for all other runs. */
static void test_before_slices(void **state)
{
	struct divided *d = *state;

	add_runs(d->to, 2, 2, 400, 100);
	for (int i = 0; i < 10; i++)
		add_slice(d, 4, 100, 0, 0);
	make_divided(d);
	/* 400 of 800 runs; all take 80,000 ns in 1 ms */
	assert_near(d->r->prog[0].all.cpu_share, 0.04);
	/* whether the other value was returned between slices is not known */
	assert_true(isnan(d->r->prog[1].all.cpu_share));
}

/* A row that adds up several values: how they differ together is not known, so the largest error is assumed. */
static void test_other_in_slices(void **state)
{
	struct divided *d = *state;
	bool freed[BPROF_PARTS] = {[2] = true};
	const struct report_prog *p;
	char buf[RETURNS_SZ];

	for (int i = 0; i < 10; i++)
		add_slice(d, 10, i % 2 ? 90 : 110, 10, i % 2 ? 110 : 90);
	slice_sums__free_parts(*d->to->slices, CPU_CNT, BPROF_PARTS, freed);
	for (int cpu = 0; cpu < CPU_CNT; cpu++)
		counts__move(snapshot__at(d->to, 0, snapshot__part_row(d->to, 0, cpu)),
			     snapshot__at(d->to, 0, snapshot__part_row(d->to, 2, cpu)));
	p = &make_divided(d)->prog[1];
	/* the slices of the freed part are forgotten */
	assert_string_equal(report_prog__returns(p, buf), "other");
	assert_true(isnan(p->all.event[0].stat[STAT_MEAN]) && isnan(p->all.cpu_share));
	assert_near(d->r->prog[0].all.event[0].stat[STAT_MEAN], 100);
}

/* In a later interval, a value has a row even if no run returned it any more. */
static void test_intervals(void **state)
{
	struct divided *d = *state;
	struct report *r;

	add_runs(d->from, 1, 1, 30, 10);
	add_runs(d->to, 1, 1, 30, 10);
	add_runs(d->to, 2, 0, 4, 3);
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 2);
	assert_part(&r->prog[0], "XDP_ABORTED", 4, 4, 12);
	assert_part(&r->prog[1], "XDP_DROP", 0, 0, 0);
}

/* Before the rows of the values, there is one with all runs, if that is wanted. */
static void test_whole(void **state)
{
	struct divided *d = *state;
	struct report *r;

	d->f->o.with_whole = true;
	add_runs(d->to, 1, 1, 30, 10);
	add_runs(d->to, 2, 3, 10, 500);
	snapshot__at(d->to, 0, 0)->thinned_out = 60;
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 4);
	assert_false(r->prog[0].by_retval);
	assert_int_equal(r->prog[0].all.runs, 100);
	assert_int_equal(r->prog[0].all.measured, 40);
	assert_near(r->prog[0].all.event[0].total, 5300);
	assert_true(isnan(r->prog[0].calls_per_run));
	assert_part(&r->prog[1], "XDP_DROP", 30, 30, 300);
	assert_part(&r->prog[2], "XDP_TX", 10, 10, 5000);
	assert_near(r->prog[2].calls_per_run, 0.25);
	assert_near(r->prog[1].all.cpu_share + r->prog[2].all.cpu_share, r->prog[0].all.cpu_share);
	assert_part(&r->prog[3], "not measured", 60, 0, 0);
	assert_true(isnan(r->prog[3].calls_per_run));
	/* a target that is not divided has one row */
	d->fn.ret_sz = 0;
	assert_int_equal(make_divided(d)->prog_cnt, 1);
}

/*
 * About how many runs belong to a row, if not all were measured: on each CPU the measured runs stand for the others
 * there. If they are too few, the number is not known.
 */
static void test_likely_runs(void **state)
{
	struct divided *d = *state;
	struct counts *second = snapshot__at(d->to, 0, 1);

	add_runs(d->to, 1, 1, 300, 10);
	add_runs(d->to, 2, 2, 100, 10);
	assert_near(make_divided(d)->prog[0].all.likely_runs, 300);
	snapshot__at(d->to, 0, 0)->thinned_out = 3600;
	assert_near(make_divided(d)->prog[0].all.likely_runs, 3000);
	assert_near(d->r->prog[1].all.likely_runs, 1000);
	/* on the second CPU, all runs are measured */
	second->measured = 500;
	snapshot__at(d->to, 0, snapshot__part_row(d->to, 2, 1))->measured = 500;
	assert_near(make_divided(d)->prog[0].all.likely_runs, 3000);
	assert_near(d->r->prog[1].all.likely_runs, 1500);
	add_runs(d->to, 3, 3, 5, 10);
	make_divided(d);
	assert_true(isnan(d->r->prog[2].all.likely_runs));
}

/* Runs without a reading count as lost in the row of their value. */
static void test_unread(void **state)
{
	struct divided *d = *state;
	struct counts *all = snapshot__at(d->to, 0, 0), *part;
	struct report *r;

	add_runs(d->to, 1, 1, 30, 10);
	add_runs(d->to, 2, 2, 20, 10);
	part = snapshot__at(d->to, 0, snapshot__part_row(d->to, 2, 0));
	part->event[BPROF_CLOCK_SLOT].errors = all->event[BPROF_CLOCK_SLOT].errors = 5;
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 2);
	assert_int_equal(r->prog[0].all.lost[LOST_READ], 0);
	assert_int_equal(r->prog[1].all.runs, 20);
	assert_int_equal(r->prog[1].all.lost[LOST_READ], 5);
	assert_int_equal(r->prog[1].all.measured, 15);
}

/*
 * The time of a CPU is left out if another event could not be read in some runs there. Runs in which
 * only that event would have a value are lost, in the row of all runs as in the rows of the values.
 */
static void test_unread_clock(void **state)
{
	struct divided *d = *state;
	struct counts *all = snapshot__at(d->to, 0, 0), *part;
	struct report *r;

	add_event(d->f, "cycles", EVENT_OK);
	d->f->probes.net = true;
	d->f->s.env.online.cnt = 0; /* it came online later */
	d->f->o.with_whole = true;
	add_runs(d->to, 1, 1, 30, 10);
	part = snapshot__at(d->to, 0, snapshot__part_row(d->to, 1, 0));
	part->event[0].errors = all->event[0].errors = 5;
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 2);
	for (int i = 0; i < r->prog_cnt; i++) {
		assert_int_equal(r->prog[i].all.lost[LOST_READ], 5);
		assert_int_equal(r->prog[i].all.measured, 25);
	}
}

/* A target without known return values has one row and a note. */
static void test_undivided(void **state)
{
	struct divided *d = *state;
	struct report *r;

	d->fn.ret_sz = 0;
	add_runs(d->to, 1, 0, 30, 10);
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 1);
	assert_false(r->prog[0].by_retval);
	assert_true(isnan(r->prog[0].retval));
	assert_int_equal(r->prog[0].all.runs, 30);
	assert_int_equal(r->prog[0].notes.cnt, 1);
	assert_string_equal(r->prog[0].notes.text[0],
			    "its runs are not divided by return value: it returns no integer");
	/* a target that did not run */
	d->fn.ret_sz = 4;
	snapshot__free(d->to);
	d->to = snapshot__new(1, CPU_CNT, BPROF_PARTS);
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 1);
	assert_false(r->prog[0].by_retval);
	assert_int_equal(r->prog[0].notes.cnt, 0);
}

/* A key got the part of another key while the end was read: its runs are those of other keys for now. */
static void test_late_key(void **state)
{
	struct divided *d = *state;
	struct counts *c;
	struct report *r;
	char buf[RETURNS_SZ];

	snapshot__free(d->from);
	snapshot__free(d->to);
	d->from = snapshot__new(1, CPU_CNT, BPROF_KEY_PARTS);
	d->to = snapshot__new(1, CPU_CNT, BPROF_KEY_PARTS);
	d->to->ns = 1000000;
	d->f->s.env.opts.by = BY_QUEUE;
	add_runs(d->to, 0, 0, 1, 100);
	for (int i = 0; i < 2; i++) {
		add_runs(d->to, 1 + i, 0, 10, 100);
		c = snapshot__at(d->to, 0, snapshot__part_row(d->to, 1 + i, 0));
		c->retval = i ? 0 : 5;
		c->reused = i;
	}
	r = make_divided(d);
	assert_int_equal(r->prog_cnt, 2);
	assert_true(r->prog[0].key_value == 4);
	assert_string_equal(report_prog__returns(&r->prog[1], buf), "other");
	assert_int_equal(r->prog[1].all.runs, 11);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup_divided, teardown_divided)
	static const struct CMUnitTest tests[] = {
		TEST(test_rows),	  TEST(test_other),	      TEST(test_intervals),
		TEST(test_slices),	  TEST(test_parts_of_slices), TEST(test_tasks_in_turns),
		TEST(test_before_slices), TEST(test_other_in_slices), TEST(test_unread),
		TEST(test_unread_clock),  TEST(test_undivided),	      TEST(test_whole),
		TEST(test_blind),	  TEST(test_likely_runs),     TEST(test_keys),
		TEST(test_late_key),
	};

	return cmocka_run_group_tests_name("result_retval", tests, NULL, NULL);
}
