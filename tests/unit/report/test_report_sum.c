// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the sums of programs (--sum): which rows are summed up, that sums are exact, and how sums are made of
 * programs that were measured in different ways, or of which not all runs were measured.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "render/render.h"
#include "report/report.h"
#include "report/report_sum.h"
#include "tests/unit/report_models.h"

static void assert_near(double v, double want)
{
	if (!(fabs(v - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g is not %.17g", v, want);
}

static struct report_event *first_event(struct report *r, int prog)
{
	return &r->prog[prog].all.event[0];
}

/* Adds a bucket for runs that all cost the same. */
static void add_runs(struct report_event *ev, double low, double high, double cost, __u64 count)
{
	*report_event__add_bucket(ev) = (struct report_bucket){.low = low,
							       .high = high,
							       .count = count,
							       .known = true,
							       .least = cost,
							       .greatest = cost,
							       .value = cost};
}

static void set_range(struct report_event *ev, double min, double max, double stddev)
{
	ev->stat[STAT_MIN] = min;
	ev->stat[STAT_MAX] = max;
	ev->stat[STAT_STDDEV] = stddev;
}

/* ---- exact sums ---- */

#define COPIES 300

/*
 * Copy i runs 2 * (i + 1) times: one half costs 100 + i, the other half 1000 + i. Between the copies are
 * other programs.
 */
static struct report *make_copies(void)
{
	struct report *r = make_base();

	for (int i = 0; i < COPIES; i++) {
		struct report_prog *p = add_prog(r, 1000 + i, "agent", "agent_main", 2 * (i + 1));
		struct report_event *ev;

		p->all.cpu_share = 0.25;
		p->all.lost[LOST_READ] = 0;
		p->recursion_misses = 1;
		ev = add_event(&p->all, "instructions", 550 + i);
		set_range(ev, 100 + i, 1000 + i, 450);
		ev->bias = 20;
		ev->bias_stddev = 0.5;
		ev->raw_per_run = 570 + i;
		add_runs(ev, 100 + i, 100 + i, 100 + i, i + 1);
		add_runs(ev, 1000 + i, 1000 + i, 1000 + i, i + 1);
		report_notes__add(&p->notes, "makes tail calls");
		if (i < 3)
			report_notes__add(&p->notes, "is rare");
		if (i == 1)
			add_event(&add_prog(r, 7, "other", "other", 5)->all, "instructions", 9);
	}
	return r;
}

static int compare_values(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Compares the statistics with those of a list of all runs. */
static void assert_copies(const struct report_event *ev)
{
	int runs = COPIES * (COPIES + 1), cnt = 0, *v = calloc(runs, sizeof(*v));
	double total = 0, squares = 0;

	for (int i = 0; i < COPIES; i++)
		for (int k = 0; k < i + 1; k++) {
			v[cnt++] = 100 + i;
			v[cnt++] = 1000 + i;
		}
	assert_int_equal(cnt, runs);
	qsort(v, cnt, sizeof(*v), compare_values);
	for (int i = 0; i < cnt; i++)
		total += v[i];
	for (int i = 0; i < cnt; i++)
		squares += (v[i] - total / cnt) * (v[i] - total / cnt);
	assert_int_equal(ev->measured, runs);
	assert_true(ev->total == total);
	assert_true(ev->stat[STAT_MEAN] == total / cnt);
	assert_near(ev->stat[STAT_STDDEV], sqrt(squares / cnt));
	assert_true(ev->stat[STAT_MIN] == 100 && ev->stat[STAT_MAX] == 1000 + COPIES - 1);
	for (int i = 0; i < STAT_CNT; i++)
		if (stat__is_percentile(i)) {
			assert_true(ev->stat[i] == v[(int)ceil(stat_specs[i].quantile * cnt) - 1]);
			assert_false(report_event__is_rough(ev, i));
		}
	free(v);
}

static void test_copies(void **state)
{
	struct report *r = make_copies();
	const struct report_prog *p;

	report__sum(r, SUM_NAME);
	assert_int_equal(r->prog_cnt, 2);
	assert_string_equal(r->sum, "name");
	p = &r->prog[0];
	assert_string_equal(p->name, "agent");
	assert_string_equal(p->func, "");
	assert_string_equal(p->tag, "d4f8542f2b42fac5");
	assert_int_equal(p->programs, COPIES);
	assert_int_equal(p->all.runs, COPIES * (COPIES + 1));
	assert_int_equal(p->all.measured, p->all.runs);
	assert_near(p->all.cpu_share, 0.25 * COPIES);
	assert_true(p->recursion_misses == COPIES);
	assert_copies(first_event(r, 0));
	assert_near(first_event(r, 0)->bias, 20);
	assert_near(first_event(r, 0)->bias_stddev, 0.5);
	assert_near(first_event(r, 0)->raw_per_run, first_event(r, 0)->stat[STAT_MEAN] + 20);
	assert_int_equal(p->notes.cnt, 2);
	assert_string_equal(p->notes.text[0], "3 of 300 programs: is rare");
	assert_string_equal(p->notes.text[1], "makes tail calls");
	assert_int_equal(first_event(r, 0)->bucket_cnt, 2 * COPIES);
	report__drop_buckets(r);
	assert_int_equal(first_event(r, 0)->bucket_cnt, 0);
	/* the only one of its name */
	assert_string_equal(r->prog[1].name, "other");
	assert_int_equal(r->prog[1].programs, 1);
	assert_true(first_event(r, 1)->stat[STAT_MEAN] == 9);
	report__free(r);
}

/* If all costs are equal, the mean is exact and the spread is 0. */
static void test_equal(void **state)
{
	struct report *r = make_base();

	for (int i = 0; i < 3; i++) {
		struct report_event *ev =
			add_event(&add_prog(r, i + 1, "a", "a", 1000 + i)->all, "time", 1234567);

		set_range(ev, 1234567, 1234567, 0);
		add_runs(ev, 1234000, 1235000, 1234567, 1000 + i);
	}
	report__sum(r, SUM_TYPE);
	assert_int_equal(r->prog_cnt, 1);
	assert_string_equal(r->prog[0].name, "xdp");
	assert_true(first_event(r, 0)->stat[STAT_MEAN] == 1234567);
	assert_true(first_event(r, 0)->stat[STAT_STDDEV] == 0);
	assert_int_equal(first_event(r, 0)->bucket_cnt, 1);
	assert_true(first_event(r, 0)->stat[STAT_P99] == 1234567);
	report__free(r);
}

/* ---- which rows are summed up ---- */

static void set_value(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
}

static void test_keys(void **state)
{
	static const struct {
		enum sum_key key;
		const char *names[4];
		int programs[4];
	} wanted[] = {
		{SUM_NAME, {"a", "b"}, {2, 2}},
		{SUM_TAG, {"d4f8542f2b42fac5", "beef"}, {3, 1}},
		{SUM_TYPE, {"xdp", "kprobe"}, {3, 1}},
		{SUM_DEVICE, {"eth0", "eth0, eth1", ""}, {1, 1, 2}},
		{SUM_OWNER, {"agent.service", ""}, {3, 1}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct report *r = make_base();
		int cnt = 0;

		add_event(&add_prog(r, 1, "a", "a", 1)->all, "cycles", 1);
		add_event(&add_prog(r, 2, "b", "b", 1)->all, "cycles", 1);
		add_event(&add_prog(r, 3, "a", "a2", 1)->all, "cycles", 1);
		add_event(&add_prog(r, 4, "b", "b", 1)->all, "cycles", 1);
		strcpy(r->prog[3].tag, "beef");
		set_value(&r->prog[2].type, "kprobe");
		r->prog[0].device = strdup("eth0");
		r->prog[1].device = strdup("eth0, eth1");
		for (int k = 1; k < 4; k++)
			r->prog[k].owner = strdup("agent.service");
		assert_null(report__refuse_sum(r, wanted[i].key));
		report__sum(r, wanted[i].key);
		for (; cnt < r->prog_cnt; cnt++) {
			int at = 0;

			while (at < 3 && strcmp(wanted[i].names[at] ?: "?", r->prog[cnt].name))
				at++;
			assert_int_equal(r->prog[cnt].programs, wanted[i].programs[at]);
			assert_true(r->prog[cnt].id >= 1 << 30);
			for (int k = 0; k < cnt; k++)
				assert_int_not_equal(r->prog[k].id, r->prog[cnt].id);
		}
		assert_int_equal(cnt, wanted[i].names[2] ? 3 : 2);
		report__free(r);
	}
}

/* Numbers of different methods are not added up, nor raw numbers and net ones. */
static void test_methods(void **state)
{
	struct report *r = make_base();

	for (int i = 0; i < 6; i++) {
		struct report_prog *p = add_prog(r, i + 1, "a", "a", 10);

		add_event(&p->all, "time", 100);
		if (i % 3 == 1)
			set_method(p, "run_stats");
		p->uncalibrated = i % 3 == 2;
	}
	report__sum(r, SUM_NAME);
	assert_int_equal(r->prog_cnt, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(r->prog[i].programs, 2);
		assert_int_equal(r->prog[i].all.runs, 20);
		assert_int_equal(r->prog[i].probed, strcmp(r->prog[i].method, "run_stats") != 0);
	}
	assert_int_equal(
		r->prog[0].uncalibrated + r->prog[1].uncalibrated + r->prog[2].uncalibrated, 1);
	report__free(r);
}

static void test_refused(void **state)
{
	struct report *r = make_base();

	add_event(&add_prog(r, 1, "a", "a", 1)->all, "cycles", 1);
	assert_non_null(strstr(report__refuse_sum(r, SUM_OWNER), "--sum owner"));
	assert_non_null(strstr(report__refuse_sum(r, SUM_DEVICE), "--sum device"));
	report__sum(r, SUM_TAG);
	assert_null(report__refuse_sum(r, SUM_TAG));
	assert_non_null(report__refuse_sum(r, SUM_NAME));
	report__sum(r, SUM_TAG);
	assert_int_equal(r->prog[0].programs, 1);
	report__free(r);
	r = make_base();
	add_prog(r, 1, "a", "bpf_x", 1)->called = true;
	assert_non_null(strstr(report__refuse_sum(r, SUM_NAME), "--calls"));
	report__free(r);
}

/* ---- return values ---- */

static void assert_value(struct report *r, int i, double retval, bool unmeasured, __u64 runs)
{
	const struct report_prog *p = &r->prog[i];

	assert_true(p->by_retval);
	assert_true(p->retval == retval || (isnan(p->retval) && isnan(retval)));
	assert_int_equal(p->unmeasured, unmeasured);
	assert_int_equal(p->all.runs, runs);
}

/* Program 2 has no row for the value 3, only for all other values. So the number of runs that returned 3 is unknown. */
static void test_values(void **state)
{
	struct report *r = make_base();

	r->by_retval = true;
	add_part(r, 1, "a", 4294967295, 7, 100);
	add_part(r, 1, "a", 1, 10, 100);
	add_part(r, 1, "a", 3, 20, 200);
	add_part(r, 1, "a", 5, 2, 20);
	add_part(r, 2, "a", 1, 30, 300);
	add_part(r, 2, "a", 4294967295, 1, 300);
	add_part(r, 2, "a", NAN, 40, 400);
	add_part(r, 3, "a", 2, 50, 500);
	report__sum(r, SUM_NAME);
	assert_int_equal(r->prog_cnt, 3);
	assert_value(r, 0, 4294967295, false, 8);
	assert_value(r, 1, 1, false, 40);
	assert_true(first_event(r, 1)->total == 10 * 100 + 30 * 300);
	assert_value(r, 2, NAN, false, 20 + 2 + 40 + 50);
	assert_int_equal(r->prog[2].programs, 3);
	assert_near(r->prog[1].calls_per_run, 40 / 160.0);
	assert_false(report__is_first_row(r, 1));
	report__free(r);
}

static void add_keyed(struct report *r, __u32 id, const char *type, const char *name, __u64 runs)
{
	struct report_prog *p = add_part(r, id, "a", NAN, runs, 10 * runs);

	p->by_key = true;
	p->key_name = name ? strdup(name) : NULL;
	p->key_value = name ? strlen(name) : NAN;
	free(p->type);
	p->type = strdup(type);
}

/* Another key than the return value means the same in programs of all types. */
static void test_other_keys(void **state)
{
	struct report *r = make_base();

	r->by_retval = true;
	r->by = BY_IFINDEX;
	add_keyed(r, 1, "xdp", "eth0", 7);
	add_keyed(r, 1, "xdp", "lo", 10);
	add_keyed(r, 2, "sched_cls", "eth0", 5);
	add_keyed(r, 2, "sched_cls", NULL, 2);
	report__sum(r, SUM_NAME);
	assert_int_equal(r->prog_cnt, 2);
	assert_string_equal(r->prog[0].key_name, "eth0");
	assert_true(r->prog[0].key_value == 4);
	assert_value(r, 0, NAN, false, 12);
	assert_int_equal(r->prog[0].programs, 2);
	/* it is unknown how many of the other runs of program 2 were on lo */
	assert_null(r->prog[1].key_name);
	assert_value(r, 1, NAN, false, 12);
	report__free(r);
}

/* ---- runs that were not measured ---- */

static struct report_prog *add_sampled(struct report *r, __u32 id, __u64 runs, __u64 measured,
				       double mean)
{
	struct report_prog *p = add_prog(r, id, "a", "a", measured);
	struct report_event *ev;

	p->all.runs = runs;
	p->all.thinned_out = runs - measured;
	ev = add_event(&p->all, "cycles", mean);
	set_range(ev, mean, mean, 0);
	add_runs(ev, mean, mean, mean, measured);
	return p;
}

/* A program counts with all its runs, not with those that were measured. */
static void test_thinned(void **state)
{
	struct report *r = make_base();
	const struct report_event *ev;

	add_sampled(r, 1, 9000, 10, 100);
	add_sampled(r, 2, 1000, 1000, 10);
	report__sum(r, SUM_NAME);
	ev = first_event(r, 0);
	assert_int_equal(r->prog[0].all.thinned_out, 8990);
	assert_true(ev->total == 10 * 100 + 1000 * 10);
	assert_near(ev->stat[STAT_MEAN], (9000 * 100 + 1000 * 10) / 10000.0);
	assert_near(ev->stat[STAT_STDDEV], sqrt(0.9 * 9 * 9 + 0.1 * 81 * 81));
	assert_true(ev->stat[STAT_P50] == 100);
	report__free(r);
}

static void test_unknown(void **state)
{
	for (int few = 0; few < 2; few++) {
		struct report *r = make_base();
		const struct report_event *ev;

		add_sampled(r, 1, 1000, 1000, 100);
		add_sampled(r, 2, few ? 10 : 11, 0, 0);
		report__sum(r, SUM_NAME);
		ev = first_event(r, 0);
		assert_int_equal(report_event__has_value(ev), few);
		assert_int_equal(r->prog[0].all.runs, few ? 1010 : 1011);
		assert_true(ev->total == 100000);
		assert_int_equal(ev->measured, 1000);
		report__free(r);
	}
}

/* With --max-overhead --strict, it is not known how many runs the mean of a program stands for. */
static void test_at_least(void **state)
{
	struct report *r = make_base();

	add_sampled(r, 1, 1000, 1000, 100);
	add_sampled(r, 2, 10, 10, 5000)->all.at_least = true;
	report__sum(r, SUM_NAME);
	assert_true(r->prog[0].all.at_least);
	assert_int_equal(first_event(r, 0)->measured, 1010);
	assert_false(report_event__has_value(first_event(r, 0)));
	assert_true(isnan(first_event(r, 0)->stat[STAT_P50]));
	report__free(r);
}

/* ---- errors ---- */

static void test_estimates(void **state)
{
	struct report *r = make_base();
	const struct report_event *sum;

	for (int i = 0; i < 3; i++) {
		struct report_prog *p = add_prog(r, i + 1, "a", "a", 1000);
		struct report_event *ev = add_event(&p->all, "cycles", i < 2 ? 30 + 10 * i : 0);

		set_method(p, "samples");
		report_event__add_estimate(ev)->samples = i < 2 ? 100 : 0;
		if (i < 2) {
			ev->estimate->total_stddev = 3000 + 1000 * i;
			ev->mean_stddev = 3 + i;
		}
	}
	report__sum(r, SUM_NAME);
	sum = first_event(r, 0);
	assert_int_equal(sum->estimate->samples, 200);
	assert_near(sum->estimate->total_stddev, 5000);
	assert_near(sum->mean_stddev, 5000 / 3000.0);
	assert_near(sum->stat[STAT_MEAN], 70000 / 3000.0);
	report__free(r);
}

/*
 * With slices of time (--max-overhead), a sum may have a mean although the error of each program is
 * too large for one.
 */
static void test_slices(void **state)
{
	for (int exact = 0; exact < 2; exact++) {
		struct report *r = make_base();
		const struct report_event *ev;

		for (int i = 0; i < 100; i++) {
			struct report_prog *p = add_sampled(r, i + 1, 1000, 100, 50);

			p->all.unprobed = p->all.thinned_out;
			p->all.thinned_out = 0;
			p->all.cpu_share = 0.1;
			p->all.share_error = 0.02;
			p->all.share_estimated = true;
			*report_event__add_sampled(first_event(r, i)) = (struct report_sampled){
				.mean = 50, .stddev = exact ? 20 : 200, .t = 2, .runs = 5};
			first_event(r, i)->stat[STAT_MEAN] = NAN;
		}
		report__sum(r, SUM_NAME);
		ev = first_event(r, 0);
		assert_near(r->prog[0].all.share_error, 0.2);
		assert_int_equal(report_event__has_value(ev), exact);
		assert_near(ev->mean_stddev, exact ? 2 : 20);
		assert_true(!exact || ev->stat[STAT_P50] == 50);
		report__free(r);
	}
}

/* Of slices of time, JSON has the error of the mean only: a percentile may be anything. */
static void test_saved_slices(void **state)
{
	const struct render_opts o = {};
	struct report_source src = {};
	struct report *r = make_base();
	struct report_error err;
	char *text;
	size_t sz;

	for (int i = 0; i < 2; i++) {
		struct report_prog *p = add_sampled(r, i + 1, 1000, 100, 50);

		p->all.unprobed = p->all.thinned_out;
		p->all.thinned_out = 0;
		first_event(r, i)->mean_stddev = 2;
	}
	text = render_report(r, report__render_json, &o, &sz);
	report__free(r);
	src.in = fmemopen(text, sz, "r");
	if (report__read(&src, &r, &err))
		fail_msg("%s", err.text);
	fclose(src.in);
	free(text);
	report__sum(r, SUM_NAME);
	assert_near(first_event(r, 0)->stat[STAT_MEAN], 50);
	assert_near(first_event(r, 0)->mean_stddev, sqrt(2));
	assert_true(isnan(first_event(r, 0)->stat[STAT_P50]));
	report__free(r);
}

static void test_status(void **state)
{
	struct report *r = make_base();

	for (int i = 0; i < 4; i++)
		add_event(&add_prog(r, i + 1, i < 2 ? "a" : "b", "", 10)->all, "cycles", 1);
	set_status(first_event(r, 0), EVENT_NOT_COUNTED, "no counter");
	for (int i = 2; i < 4; i++)
		set_status(first_event(r, i), EVENT_NOT_SUPPORTED, "no such event");
	report__sum(r, SUM_NAME);
	/* only half of the runs have a mean, so the sum has none */
	assert_int_equal(first_event(r, 0)->status, EVENT_OK);
	assert_int_equal(first_event(r, 0)->measured, 10);
	assert_false(report_event__has_value(first_event(r, 0)));
	assert_int_equal(first_event(r, 1)->status, EVENT_NOT_SUPPORTED);
	assert_string_equal(first_event(r, 1)->detail, "no such event");
	report__free(r);
}

/* ---- CPUs, blocks, JSON ---- */

static void test_cpus(void **state)
{
	struct report *r = make_base();

	for (int i = 0; i < 2; i++) {
		struct report_prog *p = add_prog(r, i + 1, "a", "a", 30);

		for (int cpu = 2 - i; cpu < 4 - i; cpu++) {
			struct report_row *row = report_prog__add_cpu(p, cpu);

			row->runs = row->measured = 10 + cpu;
			row->cpu_share = 0.5;
			add_event(row, "cycles", 100 * cpu);
		}
		add_event(&p->all, "cycles", 200);
	}
	report__sum(r, SUM_NAME);
	assert_int_equal(r->prog[0].cpu_cnt, 3);
	for (int i = 0; i < 3; i++) {
		const struct report_row *row = &r->prog[0].cpu[i];

		assert_int_equal(row->cpu, i + 1);
		assert_int_equal(row->runs, i == 1 ? 24 : 11 + i);
		assert_true(row->event[0].stat[STAT_MEAN] == 100 * (i + 1));
	}
	report__free(r);
}

/* On each CPU, the measured runs stand for the runs on that CPU: each CPU has a period of its own. */
static void test_thinned_cpus(void **state)
{
	static const struct {
		__u64 runs, measured;
		double cost;
	} rows[2][2] = {{{1000, 1000, 100}, {1024000, 4000, 100}}, {{1000, 1000, 500}}};
	struct report *r = make_base();

	for (int i = 0; i < 2; i++) {
		struct report_prog *p = add_prog(r, i + 1, "a", "a", 0);

		for (int cpu = 0; cpu < 2 - i; cpu++) {
			struct report_row *row = report_prog__add_cpu(p, cpu);

			row->runs = rows[i][cpu].runs;
			row->measured = rows[i][cpu].measured;
			p->all.runs += row->runs;
			p->all.measured += row->measured;
			add_event(row, "cycles", rows[i][cpu].cost);
		}
		add_event(&p->all, "cycles", rows[i][0].cost);
	}
	report__sum(r, SUM_NAME);
	assert_near(r->prog[0].cpu[0].event[0].stat[STAT_MEAN], 300);
	assert_near(r->prog[0].cpu[1].event[0].stat[STAT_MEAN], 100);
	report__free(r);
}

static void test_blocks(void **state)
{
	struct report *r = make_base();

	for (int i = 0; i < 2; i++) {
		struct report_event *ev =
			add_event(&add_prog(r, i + 1, "a", "a", 20)->all, "cycles", 5);

		for (int b = 0; b < 2; b++) {
			struct report_block *block = report_event__add_block(ev);

			block->measured = 5 + 10 * i;
			block->stat[STAT_MEAN] = 10 + b + 4 * i;
		}
	}
	report__sum(r, SUM_NAME);
	assert_int_equal(first_event(r, 0)->block_cnt, 2);
	assert_int_equal(first_event(r, 0)->block[1].measured, 20);
	assert_true(first_event(r, 0)->block[1].stat[STAT_MEAN] == (5 * 11 + 15 * 15) / 20.0);
	report__free(r);
}

/* One program did not run in the first of three repeats, the other one not in the last one. */
static void test_mixed_blocks(void **state)
{
	for (int repeats = 2; repeats <= 3; repeats++) {
		struct report *r = make_base();

		r->repeats = repeats;
		for (int i = 0; i < 2; i++) {
			struct report_event *ev =
				add_event(&add_prog(r, i + 1, "a", "a", 20)->all, "cycles", 5);

			for (int b = 0; b < 2; b++) {
				struct report_block *block = report_event__add_block(ev);

				block->measured = 10;
				block->stat[STAT_MEAN] = 5;
			}
		}
		report__sum(r, SUM_NAME);
		assert_int_equal(first_event(r, 0)->block_cnt, repeats == 2 ? 2 : 0);
		report__free(r);
	}
}

/* A saved report has buckets without the values in them: percentiles are known to within a bucket. */
static void test_saved(void **state)
{
	const struct render_opts o = {};
	struct report_source src = {};
	struct report *r = make_copies(), *back;
	struct report_error err;
	char *text;
	size_t sz;
	__u32 id;

	for (int i = 0; i < r->prog_cnt; i++)
		for (int k = 0; k < first_event(r, i)->bucket_cnt; k++)
			first_event(r, i)->bucket[k].high += 0.5;
	text = render_report(r, report__render_json, &o, &sz);
	report__free(r);
	src.in = fmemopen(text, sz, "r");
	if (report__read(&src, &r, &err))
		fail_msg("%s", err.text);
	fclose(src.in);
	free(text);
	assert_null(report__refuse_sum(r, SUM_NAME));
	report__sum(r, SUM_NAME);
	assert_int_equal(r->prog[0].all.runs, COPIES * (COPIES + 1));
	assert_true(first_event(r, 0)->stat[STAT_MAX] == 1000 + COPIES - 1);
	assert_true(report_event__is_rough(first_event(r, 0), STAT_P50));
	assert_true(first_event(r, 0)->low[STAT_P90] + 0.5 == first_event(r, 0)->high[STAT_P90]);
	/* the sum of a saved report, saved */
	id = r->prog[0].id;
	text = render_report(r, report__render_json, &o, &sz);
	assert_non_null(strstr(text, "\"id\": 0,"));
	assert_non_null(strstr(text, "\"programs\": 300,"));
	assert_non_null(strstr(text, "\"sum\": \"name\""));
	src = (struct report_source){.in = fmemopen(text, sz, "r")};
	if (report__read(&src, &back, &err))
		fail_msg("%s", err.text);
	fclose(src.in);
	free(text);
	assert_string_equal(back->sum, "name");
	assert_int_equal(back->prog[0].id, id);
	assert_int_equal(back->prog[0].programs, COPIES);
	report__free(back);
	report__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),	     cmocka_unit_test(test_equal),
		cmocka_unit_test(test_keys),	     cmocka_unit_test(test_methods),
		cmocka_unit_test(test_refused),	     cmocka_unit_test(test_values),
		cmocka_unit_test(test_other_keys),   cmocka_unit_test(test_thinned),
		cmocka_unit_test(test_unknown),	     cmocka_unit_test(test_estimates),
		cmocka_unit_test(test_slices),	     cmocka_unit_test(test_status),
		cmocka_unit_test(test_cpus),	     cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_saved),	     cmocka_unit_test(test_thinned_cpus),
		cmocka_unit_test(test_mixed_blocks), cmocka_unit_test(test_at_least),
		cmocka_unit_test(test_saved_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
