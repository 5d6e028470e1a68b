// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reading files of reports: a single report, the intervals of a session, which are merged
 * into one report, and files that are refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "report/report.h"
#include "tests/unit/report_models.h"

enum { INTERVALS = 4 };

static const struct {
	__u64 runs;
	double mean, p50, min;
} intervals[INTERVALS] = {{1000, 100, 99, 90}, {3000, 104, 103, 80}, {0}, {2000, 98, 97, 95}};

/* Makes interval n of a session. If extremes is set, it has a minimum and a maximum. */
static struct report *make(int n, bool extremes)
{
	struct report *r = make_base();
	struct report_row *row = &add_prog(r, 42, "xdp_lb", "xdp_lb", intervals[n].runs)->all;
	struct report_event *ev = add_event(row, "cycles", intervals[n].mean);

	r->interval_ns = (n + 1) * 1000000000ULL;
	r->elapsed_ns = 1000000000;
	row->runs += 10;
	row->lost[LOST_ENTRY] = 3;
	row->lost[LOST_OVERFLOW] = 7;
	if (!intervals[n].runs)
		return r;
	ev->stat[STAT_P50] = intervals[n].p50;
	if (n == 1)
		set_bounds(ev, STAT_P50, 102, 105);
	if (extremes) {
		ev->stat[STAT_MIN] = intervals[n].min;
		ev->stat[STAT_MAX] = 10 * intervals[n].min;
		set_bounds(ev, STAT_MAX, n == 3 ? 945 : 700, 10 * intervals[n].min);
	}
	return r;
}

static void print(FILE *out, struct report *r, bool interval)
{
	struct render_opts o = {.interval = interval, .per_cpu = true};

	assert_int_equal(report__render(r, report__render_json, &o, out), 0);
	report__free(r);
}

/* Reads everything from *in, and closes *in. */
static int read_all(FILE *in, struct report **r, struct report_error *err)
{
	int ret;

	rewind(in);
	ret = report__read_all(in, r, err);
	fclose(in);
	assert_int_equal(!*r, !!ret);
	return ret;
}

static struct report *read_session(bool extremes)
{
	FILE *f = tmpfile();
	struct report_error err;
	struct report *r;

	assert_non_null(f);
	for (int i = 0; i < INTERVALS; i++)
		print(f, make(i, extremes), true);
	if (read_all(f, &r, &err))
		fail_msg("%lu: %s", err.line, err.text);
	return r;
}

static void test_session(void **state)
{
	struct report *r = read_session(false);
	const struct report_row *row = &r->prog[0].all;
	const struct report_event *ev = &row->event[0];

	assert_int_equal(r->prog_cnt, 1);
	assert_int_equal(r->interval_ns, 0);
	assert_int_equal(r->repeats, 1);
	assert_int_equal(r->elapsed_ns, 4000000000);
	assert_int_equal(row->runs, 6040);
	assert_int_equal(row->measured, 6000);
	assert_int_equal(row->lost[LOST_ENTRY], 12);
	assert_int_equal(row->lost[LOST_OVERFLOW], 28);
	assert_int_equal(ev->measured, 6000);
	/* the mean is that of all runs; the median is the median of the intervals' medians */
	assert_true(fabs(ev->stat[STAT_MEAN] - (100 * 1000. + 104 * 3000. + 98 * 2000.) / 6000) <
		    1e-9);
	assert_true(ev->stat[STAT_P50] == 99);
	assert_true(isnan(ev->stat[STAT_MIN]) && isnan(ev->stat[STAT_MAX]));
	/* the median of all runs is between the medians of the intervals */
	assert_true(ev->low[STAT_P50] == 97 && ev->high[STAT_P50] == 105);
	assert_int_equal(ev->block_cnt, 3);
	assert_int_equal(ev->block[1].measured, 3000);
	assert_true(ev->block[1].stat[STAT_MEAN] == 104);
	assert_true(ev->block[2].stat[STAT_P50] == 97);
	report__free(r);
	r = read_session(true);
	assert_true(r->prog[0].all.event[0].stat[STAT_MIN] == 80);
	assert_true(r->prog[0].all.event[0].stat[STAT_MAX] == 950);
	assert_false(report_event__is_rough(&r->prog[0].all.event[0], STAT_MIN));
	assert_true(r->prog[0].all.event[0].low[STAT_MAX] == 945);
	assert_true(r->prog[0].all.event[0].high[STAT_MAX] == 950);
	report__free(r);
}

/* Whichever interval has them, the session has the least minimum and the greatest maximum. */
static void test_extremes(void **state)
{
	for (int first = 0; first < 3; first++) {
		FILE *f = tmpfile();
		const struct report_event *ev;
		struct report_error err;
		struct report *r;

		assert_non_null(f);
		for (int i = 0; i < 3; i++) {
			int value = 10 * (1 + (first + i) % 3);

			r = make(0, false);
			r->interval_ns = (i + 1) * 1000000000ULL;
			r->prog[0].all.event[0].stat[STAT_MIN] = value;
			r->prog[0].all.event[0].stat[STAT_MAX] = 100 + value;
			/* as in reports without totals */
			r->prog[0].all.event[0].stat[STAT_MEAN] = 50 + value;
			r->prog[0].all.event[0].total = NAN;
			print(f, r, true);
		}
		assert_int_equal(read_all(f, &r, &err), 0);
		ev = &r->prog[0].all.event[0];
		assert_true(ev->stat[STAT_MIN] == 10 && ev->stat[STAT_MAX] == 130);
		assert_true(ev->stat[STAT_MEAN] == 70);
		report__free(r);
	}
}

/*
 * If a file has only one report, the report is not changed. If it has only one interval, the result
 * has one block.
 */
static void test_one(void **state)
{
	for (int interval = 0; interval < 2; interval++) {
		FILE *f = tmpfile();
		struct report_error err;
		struct report *r;

		assert_non_null(f);
		r = interval ? make(0, true) : make_blocks(0);
		r->prog[0].all.event[0].stat[STAT_P50] = 140;
		print(f, r, interval);
		assert_int_equal(read_all(f, &r, &err), 0);
		assert_int_equal(r->prog[0].all.event[0].block_cnt, interval ? 1 : 3);
		assert_true(r->prog[0].all.event[0].stat[STAT_MEAN] == (interval ? 100 : 151.25));
		assert_true(r->prog[0].all.event[0].stat[STAT_P50] == 140);
		report__free(r);
	}
}

/* Reads two documents from a file. */
static int read_two(struct report *first, bool interval, struct report *second,
		    bool second_interval, struct report **r, struct report_error *err)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	print(f, first, interval);
	print(f, second, second_interval);
	return read_all(f, r, err);
}

/* If the program did not run in the first interval, the bounds are those of all other intervals. */
static void test_late_runs(void **state)
{
	static const int order[] = {2, 1, 3};
	FILE *f = tmpfile();
	const struct report_event *ev;
	struct report_error err;
	struct report *r;

	assert_non_null(f);
	for (int i = 0; i < 3; i++) {
		r = make(order[i], true);
		r->interval_ns = (i + 1) * 1000000000ULL;
		print(f, r, true);
	}
	assert_int_equal(read_all(f, &r, &err), 0);
	ev = &r->prog[0].all.event[0];
	assert_true(ev->stat[STAT_P50] == 100);
	assert_true(ev->low[STAT_P50] == 97 && ev->high[STAT_P50] == 105);
	assert_true(ev->stat[STAT_MAX] == 950);
	assert_true(ev->low[STAT_MAX] == 945 && ev->high[STAT_MAX] == 950);
	report__free(r);
}

/*
 * No number of the first report remains beside those of all reports: CPU shares are weighted by time,
 * and the rows of CPUs and the buckets are dropped.
 */
static void test_no_first_numbers(void **state)
{
	static const double shares[] = {0.5, 0, 0.3};
	FILE *f = tmpfile();
	const struct report_event *ev;
	const struct report_prog *p;
	struct report_error err;
	struct report *r;

	assert_non_null(f);
	for (int i = 0; i < 3; i++) {
		struct report_prog *own;

		r = make(i, false);
		own = &r->prog[0];
		r->elapsed_ns = (i + 1) * 1000000000ULL;
		r->interval_ns = (i + 1) * 10000000000ULL;
		own->all.cpu_share = shares[i];
		report_prog__add_cpu(own, 0)->runs = 5;
		report__add_budget(r)->share = 0.01;
		r->budget->added = shares[i] / 100;
		report__add_sampling(r)->freq = 99;
		report_sampling__add_event(r->sampling)->event = strdup("cycles");
		r->sampling->event[0].sum.taken = 100 * (i + 1);
		set_bias(own->all.event, 10, 1);
		own->all.event[0].raw_per_run = own->all.event[0].stat[STAT_MEAN] + 10;
		if (i == 0) {
			struct report_bucket *b = report_event__add_bucket(own->all.event);

			*b = (struct report_bucket){.low = 100, .high = 100, .count = 1000};
		}
		print(f, r, true);
	}
	assert_int_equal(read_all(f, &r, &err), 0);
	p = &r->prog[0];
	ev = &p->all.event[0];
	assert_true(fabs(p->all.cpu_share - (0.5 * 1 + 0.3 * 3) / 6) < 1e-12);
	assert_int_equal(p->cpu_cnt, 0);
	assert_int_equal(ev->bucket_cnt, 0);
	assert_true(r->budget->share == 0.01);
	assert_true(fabs(r->budget->added - (0.005 * 1 + 0.003 * 3) / 6) < 1e-12);
	assert_int_equal(r->sampling->event[0].sum.taken, 300);
	assert_true(ev->stat[STAT_MEAN] == 103 && ev->raw_per_run == 113);
	report__free(r);
}

/* The spread over the repeats of two sessions is that over all of them. */
static void test_spread(void **state)
{
	static const double means[] = {100, 110, 90};
	struct report *each[2], *r;
	struct report_error err;

	for (int i = 0; i < 2; i++) {
		struct report_event *ev;

		each[i] = make_base();
		each[i]->repeats = 2 - i;
		ev = add_event(&add_prog(each[i], 42, "xdp_lb", "xdp_lb", 20)->all, "cycles", 100);
		ev->repeat_stddev = i ? NAN : 5;
		for (int b = 0; b < 2 - i; b++) {
			struct report_block *block = report_event__add_block(ev);

			block->measured = 10;
			block->stat[STAT_MEAN] = means[2 * i + b];
		}
	}
	assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
	assert_true(fabs(r->prog[0].all.event[0].repeat_stddev - 10 / sqrt(3)) < 1e-12);
	report__free(r);
}

/* The counts of the system are not merged: those of the first report must not stand for all. */
static void test_scopes(void **state)
{
	struct report *each[2], *r;
	struct report_error err;

	for (int i = 0; i < 2; i++) {
		each[i] = make_base();
		each[i]->interval_ns = i + 1;
		report__add_scope(each[i])->kind = "system";
		each[i]->scope[0].method = "perf_event";
	}
	assert_int_equal(read_two(each[0], true, each[1], true, &r, &err), -EINVAL);
	assert_string_equal(err.text, "this is a further report on the system: only reports on "
				      "programs can be merged");
	assert_int_equal(err.line, 2);
}

/* The own cost and the deviation are those of all runs, like the mean, however runs are distributed. */
static void test_unequal_intervals(void **state)
{
	static const struct {
		__u64 runs;
		double mean, self, stddev;
	} each[] = {{1000, 200, 100, 10}, {10, 2000, 1000, 0}, {10, 2000, 1000, 0}};
	FILE *f = tmpfile();
	const struct report_event *ev;
	struct report_error err;
	struct report *r;
	double mean = 240000. / 1020,
	       squares = 1000 * (100 + pow(200 - mean, 2)) + 20 * pow(2000 - mean, 2);

	assert_non_null(f);
	for (int i = 0; i < 3; i++) {
		struct report_event *to;

		r = make_base();
		to = add_event(&add_prog(r, 42, "xdp_lb", "xdp_lb", each[i].runs)->all, "cycles",
			       each[i].mean);
		r->interval_ns = (i + 1) * 1000000000ULL;
		to->stat[STAT_SELF] = each[i].self;
		to->stat[STAT_STDDEV] = each[i].stddev;
		print(f, r, true);
	}
	assert_int_equal(read_all(f, &r, &err), 0);
	ev = &r->prog[0].all.event[0];
	assert_true(fabs(ev->stat[STAT_MEAN] - mean) < 1e-9);
	assert_true(fabs(ev->stat[STAT_SELF] - 120000. / 1020) < 1e-9);
	assert_true(fabs(ev->stat[STAT_STDDEV] - sqrt(squares / 1020)) < 1e-9);
	report__free(r);
}

/*
 * If the first interval could not count an event, the merged event has the values of the other
 * intervals.
 */
static void test_late_event(void **state)
{
	struct report *first = make(0, false), *r;
	struct report_error err;

	set_status(&first->prog[0].all.event[0], EVENT_NOT_COUNTED, "was not on a counter");
	assert_int_equal(read_two(first, true, make(1, false), true, &r, &err), 0);
	assert_int_equal(r->prog[0].all.event[0].status, EVENT_OK);
	assert_int_equal(r->prog[0].all.event[0].measured, 3000);
	assert_true(r->prog[0].all.event[0].stat[STAT_MEAN] == 104);
	assert_int_equal(r->prog[0].all.event[0].block_cnt, 1);
	assert_true(r->prog[0].all.event[0].low[STAT_P50] == 102);
	assert_true(r->prog[0].all.event[0].high[STAT_P50] == 105);
	report__free(r);
}

static void refuse_second(struct report *first, struct report *second, const char *what)
{
	struct report_error err;
	char want[200];
	struct report *r;

	snprintf(want, sizeof(want),
		 "this report and the one before have different %s; reports in one file must be "
		 "of the same measurement",
		 what);
	assert_int_equal(read_two(first, true, second, true, &r, &err), -EINVAL);
	assert_string_equal(err.text, want);
	assert_int_equal(err.line, 2);
}

/*
 * An interval without samples counts like any other. The deviation is computed from the samples of
 * all intervals.
 */
static void test_samples(void **state)
{
	static const struct {
		__u64 runs, samples;
	} each[] = {{1000, 9}, {2000, 0}, {1000, 16}};
	FILE *f = tmpfile();
	const struct report_event *ev;
	struct report_error err;
	struct report *r;

	assert_non_null(f);
	for (int i = 0; i < 3; i++) {
		struct report *next = make_base();
		struct report_row *row = &add_prog(next, 42, "xdp_lb", "xdp_lb", each[i].runs)->all;

		next->interval_ns = (i + 1) * 1000000000ULL;
		add_estimate(row, "cycles", 1000.0 * each[i].samples, each[i].samples);
		print(f, next, true);
	}
	assert_int_equal(read_all(f, &r, &err), 0);
	ev = &r->prog[0].all.event[0];
	assert_int_equal(ev->measured, 4000);
	assert_int_equal(ev->estimate->samples, 25);
	assert_true(ev->total == 25000);
	assert_true(ev->stat[STAT_MEAN] == 6.25);
	assert_true(ev->estimate->total_stddev == 5000);
	assert_true(ev->mean_stddev == 1.25);
	report__free(r);
}

/* If the first interval took no samples of an event, the session has those of the others. */
static void test_late_samples(void **state)
{
	struct report *each[2], *r;
	struct report_error err;

	for (int i = 0; i < 2; i++) {
		each[i] = make_base();
		each[i]->interval_ns = i + 1;
		add_estimate(&add_prog(each[i], 42, "xdp_lb", "xdp_lb", 1000)->all, "cycles", 9000,
			     9);
	}
	set_status(&each[0]->prog[0].all.event[0], EVENT_NOT_COUNTED, "it takes no samples");
	assert_int_equal(read_two(each[0], true, each[1], true, &r, &err), 0);
	assert_int_equal(r->prog[0].all.event[0].estimate->samples, 9);
	assert_true(r->prog[0].all.event[0].total == 9000);
	report__free(r);
}

/* An interval without measured runs has no bias, and may be the first one of a net session. */
static void test_late_bias(void **state)
{
	struct report *each[2], *r;
	struct report_error err;

	for (int i = 0; i < 2; i++) {
		each[i] = make(2 + i, false);
		each[i]->interval_ns = i + 1;
	}
	set_bias(&each[1]->prog[0].all.event[0], 495, 0.5);
	each[1]->prog[0].all.event[0].bias_uncertainty = 3;
	assert_int_equal(read_two(each[0], true, each[1], true, &r, &err), 0);
	assert_true(r->prog[0].all.event[0].bias == 495);
	assert_true(r->prog[0].all.event[0].bias_stddev == 0.5);
	assert_true(r->prog[0].all.event[0].bias_uncertainty == 3);
	report__free(r);
}

/* If the calibration of one session failed, the numbers of both sessions together are doubtful. */
static void test_uncalibrated(void **state)
{
	for (int failed = 0; failed < 4; failed++) {
		struct report *each[2], *r;
		struct report_error err;

		for (int i = 0; i < 2; i++) {
			each[i] = make(i, false);
			each[i]->interval_ns = 0;
			each[i]->calibrated = false;
			each[i]->prog[0].uncalibrated = failed >> i & 1;
		}
		assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
		assert_int_equal(r->prog[0].uncalibrated, !!failed);
		report__free(r);
	}
}

/* If the numbers of one report are doubtful for a reason, the merged numbers are doubtful for the same reason. */
static void test_doubts(void **state)
{
	for (int interval = 0; interval < 2; interval++) {
		for (int bad = 0; bad < 2; bad++) {
			struct report *each[2], *r;
			struct report_error err;
			struct report_prog *p;

			for (int i = 0; i < 2; i++) {
				each[i] = make(i, false);
				each[i]->prog[0].retval = 2;
				each[i]->prog[0].all.event[0].exact = i != bad;
				each[i]->prog[0].slowed_runs = 10 + i;
			}
			p = each[bad]->prog;
			p->short_code = p->blinded = p->random_code = true;
			p->retval = 1;
			assert_int_equal(read_two(each[0], interval, each[1], interval, &r, &err),
					 0);
			p = r->prog;
			assert_true(p->short_code && p->blinded && p->random_code);
			assert_int_equal(p->slowed_runs, 21);
			assert_false(p->all.event[0].exact);
			assert_true(p->retval_varies && isnan(p->retval));
			report__free(r);
		}
	}
}

/* Reports that are not intervals of the same session are put together, too. */
static void check_appended(struct report *first, bool interval, struct report *second,
			   bool second_interval, int progs, int blocks)
{
	struct report_error err;
	struct report *r;

	assert_int_equal(read_two(first, interval, second, second_interval, &r, &err), 0);
	assert_int_equal(r->prog_cnt, progs);
	assert_int_equal(r->prog[0].all.event[0].block_cnt, blocks);
	report__free(r);
}

static void test_appended(void **state)
{
	struct report *other = make(1, false), *r;
	const struct report_event *ev;
	struct report_error err;

	/* reports with blocks, reports that are a block, and sessions of intervals */
	check_appended(make_blocks(0), false, make_blocks(0), false, 2, 6);
	check_appended(make(1, false), true, make(0, false), true, 1, 2);
	check_appended(make(0, false), true, make(0, false), true, 1, 2);
	/* two sessions of one interval each, which began in the same second */
	assert_int_equal(read_two(make(0, false), true, make(0, false), true, &r, &err), 0);
	assert_int_equal(r->repeats, 2);
	report__free(r);
	other->started.tv_sec++;
	check_appended(make(0, false), true, other, true, 1, 2);
	/* a program that was loaded again has another id; other programs are added */
	other = make(1, false);
	other->prog[0].id++;
	check_appended(make(0, false), true, other, true, 1, 2);
	other = make(1, false);
	other->prog[0].func[0] = 'y';
	check_appended(make(0, false), true, other, true, 2, 1);
	other = make(1, false);
	add_event(&add_prog(other, 43, "more", "more", 1)->all, "time", 1);
	check_appended(make(0, false), true, other, true, 2, 2);
	/*
	 * of two programs with the same name, the later report's second one continues the first
	 * report's second one
	 */
	r = make(0, false);
	add_event(&add_prog(r, 43, "xdp_lb", "xdp_lb", 5)->all, "cycles", 7);
	other = make(1, false);
	add_event(&add_prog(other, 45, "xdp_lb", "xdp_lb", 6)->all, "cycles", 8);
	assert_int_equal(read_two(r, true, other, true, &r, &err), 0);
	assert_int_equal(r->prog_cnt, 2);
	assert_int_equal(r->prog[1].id, 43);
	assert_int_equal(r->prog[1].all.runs, 11);
	assert_true(r->prog[1].all.event[0].block[1].stat[STAT_MEAN] == 8);
	report__free(r);
	/* the numbers of three reports */
	other = make_base();
	add_event(&add_prog(other, 1, "xdp_lb", "xdp_lb", 1000)->all, "cycles", 90);
	assert_int_equal(read_two(make(0, false), true, other, false, &r, &err), 0);
	ev = &r->prog[0].all.event[0];
	assert_int_equal(r->interval_ns, 0);
	assert_int_equal(r->repeats, 2);
	assert_int_equal(ev->measured, 2000);
	assert_true(ev->stat[STAT_MEAN] == 95);
	assert_true(ev->block[0].stat[STAT_MEAN] == 100 && ev->block[1].stat[STAT_MEAN] == 90);
	report__free(r);
}

static void test_refused(void **state)
{
	struct report *other = make(1, false);

	other->prog[0].all.event[0].name[0] = 'x';
	refuse_second(make(0, false), other, "events");
	other = make(1, false);
	add_event(&other->prog[0].all, "time", 1);
	refuse_second(make(0, false), other, "events");
	other = make(1, false);
	other->started.tv_sec++;
	other->host.kernel[0] = '7';
	refuse_second(make(0, false), other, "kernels");
	/* the first difference is named */
	other = make(1, false);
	other->started.tv_sec++;
	other->host.arch[0] = 'x';
	other->prog[0].all.event[0].name[0] = 'x';
	refuse_second(make(0, false), other, "architectures");
	other = make(1, false);
	other->started.tv_sec++;
	other->driven = true;
	refuse_second(make(0, false), other, "commands");
	other = make(1, false);
	other->started.tv_sec++;
	other->calibrated = !other->calibrated;
	refuse_second(make(0, false), other, "kinds of numbers, net and raw");
	other = make(1, false);
	other->started.tv_sec++;
	other->prog[0].method = "run_stats";
	refuse_second(make(0, false), other, "methods");
}

/*
 * Reads a file that ends in the middle of a line, as if the session had been killed, and an empty
 * file.
 */
static void test_cut_off(void **state)
{
	FILE *f = tmpfile();
	struct report_error err;
	struct report *r;
	long end;

	assert_non_null(f);
	print(f, make(0, false), true);
	print(f, make(1, false), true);
	end = ftell(f);
	assert_int_equal(ftruncate(fileno(f), end - 20), 0);
	assert_int_equal(read_all(f, &r, &err), -EINVAL);
	assert_int_equal(err.line, 2);
	assert_string_equal(err.text, "the document is cut off");
	/* the same, after the report of another session */
	f = tmpfile();
	assert_non_null(f);
	print(f, make(0, false), false);
	print(f, make(0, false), true);
	fputs("{", f);
	assert_int_equal(read_all(f, &r, &err), -EINVAL);
	f = tmpfile();
	assert_non_null(f);
	assert_int_equal(read_all(f, &r, &err), -ENODATA);
}

static struct report *read_followed(int cnt)
{
	FILE *f = tmpfile();
	struct report_error err;
	struct report *r;

	assert_non_null(f);
	for (int i = 0; i < cnt; i++)
		print(f, make_followed_intervals(i), true);
	if (read_all(f, &r, &err))
		fail_msg("%lu: %s", err.line, err.text);
	return r;
}

/*
 * With --follow, some programs exist in only some intervals. The total has values that the sum of
 * the intervals lacks.
 */
static void test_followed(void **state)
{
	struct report *r = read_followed(2);

	/* if the file ends before the total, the intervals are summed */
	assert_int_equal(r->prog_cnt, 2);
	assert_int_equal(r->prog[0].id, 42);
	assert_int_equal(r->prog[0].all.runs, 1000);
	assert_int_equal(r->prog[0].all.event[0].block_cnt, 2);
	assert_true(r->prog[0].version.ended_ns == 1900000000);
	assert_int_equal(r->prog[1].id, 59);
	assert_string_equal(r->prog[1].method, "fentry");
	assert_int_equal(r->prog[1].all.runs, 1000);
	assert_int_equal(r->prog[1].all.event[1].block_cnt, 1);
	assert_int_equal(r->elapsed_ns, 2000000000);
	report__free(r);
	r = read_followed(3);
	assert_true(r->total);
	assert_int_equal(r->prog_cnt, 2);
	assert_int_equal(r->prog[0].all.runs, 1000);
	assert_int_equal(r->prog[0].all.event[0].block_cnt, 2);
	assert_int_equal(r->prog[1].all.event[0].block_cnt, 1);
	report__free(r);
}

/* If the file ends before the total, the changes are those of the merged means. */
static void test_followed_changes(void **state)
{
	const struct report_change *change;
	struct report *each[2], *r;
	struct report_error err;

	for (int n = 0; n < 2; n++) {
		each[n] = make_base();
		each[n]->followed = true;
		each[n]->interval_ns = n + 1;
		add_version(each[n], 42, "xdp_lb", "d4f8542f2b42fac5", NAN, 1000, 100);
		add_version(each[n], 59, "xdp_lb", "00c0ffee00c0ffee", 1, 1000, 110 + 40 * n);
		report__compare_versions(each[n], each[n], NULL);
	}
	assert_int_equal(read_two(each[0], true, each[1], true, &r, &err), 0);
	assert_true(r->prog[1].all.event[0].stat[STAT_MEAN] == 130);
	change = r->prog[1].all.event[0].change;
	assert_non_null(change);
	assert_true(change->absolute == 30 && change->share == 0.3);
	assert_int_equal(change->from, 42);
	assert_null(r->prog[0].all.event[0].change);
	report__free(r);
}

/* Makes an interval of a session that follows a program with two functions. */
static struct report *make_functions(int n)
{
	struct report *r = make_base();

	r->followed = true;
	r->interval_ns = (n + 1) * 1000000000ULL;
	add_version(r, 42, "xdp_lb", "d4f8542f2b42fac5", NAN, 10, 100 + n);
	add_version(r, 42, "xdp_lb", "d4f8542f2b42fac5", NAN, 10, 50 + n)->func[0] = 'y';
	/* this function is called in the second interval for the first time */
	if (!n)
		return r;
	add_version(r, 42, "xdp_lb", "d4f8542f2b42fac5", NAN, 10, 20)->func[0] = 'z';
	r->prog[2].all.event[0].read = "pinned";
	r->prog[2].all.event[1].read = "clock";
	return r;
}

/* The functions of a followed program have its id and its load time, but their own numbers. */
static void test_followed_functions(void **state)
{
	static const double means[] = {100.5, 50.5, 20};
	struct report *other, *r;
	struct report_error err;

	assert_int_equal(read_two(make_functions(0), true, make_functions(1), true, &r, &err), 0);
	assert_int_equal(r->repeats, 1);
	assert_int_equal(r->prog_cnt, 3);
	for (int i = 0; i < 3; i++)
		assert_true(r->prog[i].all.event[0].stat[STAT_MEAN] == means[i]);
	assert_string_equal(r->prog[2].method, "fentry");
	assert_string_equal(r->prog[2].all.event[0].read, "pinned");
	assert_string_equal(r->prog[2].all.event[1].read, "clock");
	report__free(r);
	other = make_functions(1);
	other->prog[1].all.event[0].name[0] = 'x';
	refuse_second(make_functions(0), other, "events");
}

static const struct report_event *event_of(const struct report *r, int prog)
{
	assert_in_range(prog, 0, r->prog_cnt - 1);
	return &r->prog[prog].all.event[0];
}

/* Interval n of a session with --max-overhead: in the second one, the probe sees one run in 100. */
static struct report *make_slices(int n, bool known)
{
	struct report *r = make_base();
	struct report_row *row = &add_prog(r, 42, "xdp_lb", "xdp_lb", 1000)->all;
	struct report_event *ev = add_event(row, "cycles", n ? 500 : 100);

	r->interval_ns = (n + 1) * 1000000000ULL;
	ev->raw_per_run = ev->stat[STAT_MEAN];
	ev->stat[STAT_MIN] = 90;
	if (!n)
		return r;
	row->unprobed = 99000;
	row->runs += row->unprobed;
	ev->mean_stddev = 10;
	for (int i = 0; !known && i < STAT_CNT; i++)
		ev->stat[i] = NAN;
	return r;
}

/* The mean of an interval stands for all of its runs, not only for those that were measured. */
static void test_slices(void **state)
{
	const struct report_event *ev;
	struct report_error err;
	struct report *r;

	for (int first = 0; first < 2; first++) {
		struct report *each[2] = {make_slices(first, true), make_slices(!first, true)};

		each[0]->interval_ns = 1;
		assert_int_equal(read_two(each[0], true, each[1], true, &r, &err), 0);
		ev = event_of(r, 0);
		assert_int_equal(r->prog[0].all.runs, 101000);
		assert_int_equal(ev->measured, 2000);
		assert_true(fabs(ev->stat[STAT_MEAN] - 50100000 / 101000.) < 1e-6);
		assert_true(fabs(ev->mean_stddev - 1000000 / 101000.) < 1e-6);
		assert_true(ev->stat[STAT_MIN] == 90);
		report__free(r);
	}
	/* most runs have no mean */
	assert_int_equal(
		read_two(make_slices(0, true), true, make_slices(1, false), true, &r, &err), 0);
	assert_false(report_event__has_value(event_of(r, 0)));
	report__free(r);
}

/* Adds a row of a call tree: a function that was called this often, by "root_runs" runs of the root. */
static void add_call(struct report *r, const char *func, int depth, __u64 calls, __u64 root_runs)
{
	struct report_prog *p =
		add_prog(r, root_runs == 10 || root_runs == 30 ? 42 : 57, "xdp_lb", func, calls);

	add_event(&p->all, "cycles", 100);
	p->subprog = depth;
	p->depth = depth;
	p->called = depth > 1;
	if (depth)
		p->calls_per_run = (double)calls / root_runs;
}

/* Interval n of a session with --calls: a kernel function that was not called has no row. */
static struct report *make_calls(int n)
{
	struct report *r = make_base();
	__u64 runs = n ? 30 : 10;

	r->interval_ns = (n + 1) * 1000000000ULL;
	add_call(r, "xdp_lb", 0, runs, runs);
	add_call(r, "parse", 1, n ? 300 : 20, runs);
	add_call(r, "find (conns)", 2, n ? 60 : 10, runs);
	add_call(r, "find (conns)", 2, n ? 90 : 30, runs); /* another map of this name */
	if (n)
		add_call(r, "update", 2, 60, runs);
	else
		add_call(r, "delete", 2, 40, runs);
	add_call(r, "xdp_lb", 0, 7, 7);
	return r;
}

/* The calls per run are those of all intervals, and new rows are a part of their tree. */
static void test_calls(void **state)
{
	static const struct {
		const char *func;
		__u64 runs;
		double calls_per_run;
	} want[] = {{"xdp_lb", 40, NAN},      {"parse", 320, 8},   {"find (conns)", 70, 1.75},
		    {"find (conns)", 120, 3}, {"update", 60, 1.5}, {"delete", 40, 1},
		    {"xdp_lb", 14, NAN}};
	struct report *each[2], *r;
	struct report_error err;

	/* the intervals of a session, and the reports of two sessions */
	for (int sessions = 0; sessions < 2; sessions++) {
		for (int n = 0; n < 2; n++) {
			each[n] = make_calls(n);
			if (sessions)
				each[n]->interval_ns = 0;
		}
		assert_int_equal(read_two(each[0], !sessions, each[1], !sessions, &r, &err), 0);
		assert_int_equal(r->repeats, 1 + sessions);
		assert_int_equal(r->prog_cnt, ARRAY_SIZE(want));
		for (int i = 0; i < r->prog_cnt; i++) {
			const struct report_prog *p = &r->prog[i];

			assert_string_equal(p->func, want[i].func);
			assert_int_equal(p->all.runs, want[i].runs);
			assert_int_equal(isnan(p->calls_per_run), isnan(want[i].calls_per_run));
			assert_true(isnan(p->calls_per_run) ||
				    fabs(p->calls_per_run - want[i].calls_per_run) < 1e-9);
		}
		report__free(r);
	}
}

static struct report_prog *add_named(struct report *r, __u32 id, char tag, double mean)
{
	struct report_prog *p = add_prog(r, id, "handler", "handler", 1000);

	p->tag[0] = tag;
	add_event(&p->all, "cycles", mean);
	return p;
}

/* Of programs with the same name, those with the same code belong together, whatever their order. */
static void test_appended_twins(void **state)
{
	struct report *each[2] = {make_base(), make_base()}, *r;
	struct report_error err;

	/* loaded again in another order */
	add_named(each[0], 10, 'a', 100);
	add_named(each[0], 11, 'b', 500);
	add_named(each[1], 20, 'b', 510);
	add_named(each[1], 21, 'a', 110);
	assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
	assert_int_equal(r->prog_cnt, 2);
	assert_true(event_of(r, 0)->block[1].stat[STAT_MEAN] == 110);
	assert_true(event_of(r, 1)->block[1].stat[STAT_MEAN] == 510);
	report__free(r);
	/* the first of two programs with the same code was unloaded */
	each[0] = make_base();
	each[1] = make_base();
	add_named(each[0], 10, 'a', 100);
	add_named(each[0], 11, 'a', 500);
	add_named(each[1], 11, 'a', 510);
	assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
	assert_int_equal(event_of(r, 0)->block_cnt, 1);
	assert_true(event_of(r, 1)->block[1].stat[STAT_MEAN] == 510);
	report__free(r);
	/* booted again: all ids are one higher than before */
	each[0] = make_base();
	each[1] = make_base();
	for (int i = 0; i < 4; i++)
		add_named(each[i / 2], 10 + i % 2 + i / 2, 'a', 100 + 100 * (i % 2) + i / 2);
	assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
	assert_int_equal(r->prog_cnt, 2);
	assert_true(event_of(r, 0)->block[1].stat[STAT_MEAN] == 101);
	assert_true(event_of(r, 1)->block[1].stat[STAT_MEAN] == 201);
	report__free(r);
	/* new code: the only program with this name that is left; with more, none continues another */
	for (int more = 0; more < 3; more++) {
		each[0] = make_base();
		each[1] = make_base();
		add_named(each[0], 10, 'a', 100);
		if (more == 1)
			add_named(each[0], 11, 'b', 500);
		add_named(each[1], 20, 'c', 110);
		if (more == 2)
			add_named(each[1], 21, 'd', 510);
		assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
		assert_int_equal(r->prog_cnt, more ? 3 : 1);
		assert_int_equal(event_of(r, 0)->block_cnt, more ? 1 : 2);
		report__free(r);
	}
}

/* A note that only a later report has is about the merged numbers, too. */
static void test_notes(void **state)
{
	static const char probed[] = "also probed by perf";

	for (int interval = 0; interval < 2; interval++) {
		struct report *each[2], *r;
		struct report_error err;

		for (int i = 0; i < 2; i++) {
			each[i] = make(i, false);
			report_notes__add(&each[i]->prog[0].notes, "makes tail calls");
		}
		report_notes__add(&each[1]->prog[0].notes, probed);
		assert_int_equal(read_two(each[0], interval, each[1], interval, &r, &err), 0);
		assert_int_equal(r->prog_cnt, 1);
		assert_int_equal(r->prog[0].notes.cnt, 2);
		assert_string_equal(r->prog[0].notes.text[1], probed);
		report__free(r);
	}
}

/* What was not measured in any of the sessions is in the merged report. */
static void test_appended_skips(void **state)
{
	struct report *each[2] = {make(0, false), make(1, false)}, *r;
	struct report_error err;

	for (int i = 0; i < 2; i++)
		add_skip(each[i], 62, "foo", "no_btf", "has no BTF");
	add_skip(each[1], 63, "bar", "no_btf", "has no BTF");
	assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
	assert_int_equal(r->skip_cnt, 2);
	assert_string_equal(r->skip[1].name, "bar");
	report__free(r);
}

/* Sessions with other sizes measured other code: no size stands for both. */
static void test_appended_sizes(void **state)
{
	static const double times[] = {40, 10, 30, 20};
	struct report *each[2], *r;
	struct report_error err;

	for (int i = 0; i < 2; i++) {
		struct report_prog *p;

		each[i] = make(i, false);
		p = &each[i]->prog[0];
		p->size[SIZE_VERIFIED_INSNS] = 100;
		p->size[SIZE_JITED] = 200 + i;
		p->verification_cnt = 2;
		p->verification = calloc(2, sizeof(*p->verification));
		memcpy(p->verification, times + 2 * i, 2 * sizeof(*times));
		p->size[SIZE_VERIFICATION] = 25;
	}
	each[0]->prog[0].size[SIZE_XLATED] = 8;
	assert_int_equal(read_two(each[0], false, each[1], false, &r, &err), 0);
	assert_true(r->prog[0].size[SIZE_VERIFIED_INSNS] == 100);
	assert_true(isnan(r->prog[0].size[SIZE_JITED]) && isnan(r->prog[0].size[SIZE_XLATED]));
	assert_int_equal(r->prog[0].verification_cnt, 4);
	assert_true(r->prog[0].verification[3] == 20);
	assert_true(r->prog[0].size[SIZE_VERIFICATION] == 25);
	report__free(r);
}

static void test_followed_appended(void **state)
{
	struct report *other = make_followed_intervals(1);

	/* another session begins after the total */
	check_appended(make_followed_intervals(2), true, make_followed_intervals(1), true, 2, 2);
	/* a total without its intervals is a report like any other */
	other->started.tv_sec++;
	check_appended(make_followed_intervals(0), true, other, true, 2, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_late_event),
		cmocka_unit_test(test_late_runs),
		cmocka_unit_test(test_no_first_numbers),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_unequal_intervals),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_followed),
		cmocka_unit_test(test_followed_appended),
		cmocka_unit_test(test_appended_twins),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_followed_changes),
		cmocka_unit_test(test_appended_skips),
		cmocka_unit_test(test_appended_sizes),
		cmocka_unit_test(test_appended),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_doubts),
		cmocka_unit_test(test_late_bias),
		cmocka_unit_test(test_uncalibrated),
		cmocka_unit_test(test_late_samples),
		cmocka_unit_test(test_followed_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
