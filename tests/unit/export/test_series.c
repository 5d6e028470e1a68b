// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that series add up reports: across reloads, restarts, unloads and ids that are used again,
 * with thinning, and above the limit of programs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "base/text.h"
#include "export/series.h"
#include "tests/unit/report_models.h"

#define SEC 1000000000ULL
#define TAG_A "aaaaaaaaaaaaaaaa"
#define TAG_B "bbbbbbbbbbbbbbbb"

static struct series *make_series(int max_progs)
{
	struct series_opts o = {.max_progs = max_progs, .grace_ns = 10 * SEC};
	struct series *s;

	assert_int_equal(series_bounds__parse("100,200,1us,2us", &o, NULL), 0);
	s = series__new(&o);
	assert_non_null(s);
	return s;
}

/* Adds a row of a program whose runs all have the same cost. */
static struct report_prog *add_row(struct report *r, __u32 id, const char *name, const char *tag,
				   __u64 runs, double cost)
{
	struct report_prog *p = add_prog(r, id, name, name, runs);
	struct report_event *ev = add_event(&p->all, "instructions", cost);

	strcpy(p->tag, tag);
	if (runs)
		*report_event__add_bucket(ev) = (struct report_bucket){cost, cost, runs};
	return p;
}

/* Adds a report, made at this second, and frees it. */
static void add(struct series *s, struct report *r, int sec)
{
	const struct timespec from = {.tv_sec = sec - 1};

	series__add(s, r, &from, sec * SEC);
	report__free(r);
}

static const struct series_event *event_of(const struct series *s, int prog)
{
	assert_true(prog < s->prog_cnt);
	assert_int_equal(s->prog[prog].part[0].event_cnt, 1);
	return &s->prog[prog].part[0].event[0];
}

/* A program that is loaded again under another id continues its series. */
static void test_restart(void **state)
{
	struct series *s = make_series(10);
	struct report *r = make_base();

	add_row(r, 42, "xdp_lb", TAG_A, 100, 50);
	add(s, r, 1);
	r = make_base();
	add_row(r, 42, "xdp_lb", TAG_A, 5, 50)->version.ended_ns = 1.5e9;
	add_row(r, 43, "xdp_lb", TAG_A, 10, 150);
	add(s, r, 2);
	assert_int_equal(s->prog_cnt, 1);
	assert_int_equal(s->prog[0].part[0].runs, 115);
	assert_int_equal(s->prog[0].part[0].created.tv_sec, 0);
	assert_true(event_of(s, 0)->total.shown == 105 * 50 + 10 * 150);
	assert_int_equal(event_of(s, 0)->bucket[0], 105);
	assert_int_equal(event_of(s, 0)->bucket[1], 10);
	assert_int_equal(event_of(s, 0)->bucket[2], 0);
	assert_int_equal(s->instance_cnt, 2);
	assert_true(s->instance[0].ended);
	assert_false(s->instance[1].ended);
	assert_int_equal(s->instance[1].id, 43);
	series__free(s);
}

/* Two programs with the same name, tag, function and version that are loaded at the same time share one series. */
static void test_same_key(void **state)
{
	struct series *s = make_series(10);
	struct report *r = make_base();

	add_row(r, 42, "xdp_lb", TAG_A, 100, 50);
	add_row(r, 43, "xdp_lb", TAG_A, 1, 50);
	add_row(r, 44, "xdp_lb", TAG_B, 7, 50);
	add_row(r, 45, "xdp_lb", TAG_A, 9, 50)->version_name = strdup("2.0");
	add(s, r, 1);
	assert_int_equal(s->prog_cnt, 3);
	assert_int_equal(s->prog[0].part[0].runs, 101);
	assert_int_equal(s->prog[1].part[0].runs, 7);
	assert_int_equal(s->prog[2].part[0].runs, 9);
	assert_string_equal(s->prog[2].version, "2.0");
	assert_int_equal(s->instance_cnt, 4);
	series__free(s);
}

/* With --sum, 300 programs with different tags share one series, also after an unload. The series has one label. */
static void test_sum(void **state)
{
	static const enum sum_key keys[] = {SUM_NAME, SUM_TYPE, SUM_OWNER};

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		struct series *s = make_series(10);

		s->opts.sum = keys[k];
		for (int sec = 1; sec <= 2; sec++) {
			struct report *r = make_base();

			for (int i = 0; i < 300; i++) {
				struct report_prog *p =
					add_row(r, 1000 + i, "agent", TAG_A, i, 150);

				snprintf(p->tag, sizeof(p->tag), "%x", i);
				p->owner = strdup("agent.service");
				if (sec == 2 && i < 100)
					p->version.ended_ns = 1.5e9;
			}
			add(s, r, sec);
		}
		assert_int_equal(s->prog_cnt, 1);
		assert_int_equal(s->prog[0].part[0].runs, 2 * 300 * 299 / 2);
		assert_true(event_of(s, 0)->total.shown == 300 * 299 * 150);
		assert_int_equal(event_of(s, 0)->bucket[1], 300 * 299);
		assert_string_equal(s->prog[0].name, k == 0 ? "agent" : "");
		assert_string_equal(s->prog[0].type, k == 1 ? "xdp" : "");
		assert_string_equal(s->prog[0].owner, k == 2 ? "agent.service" : "");
		assert_string_equal(s->prog[0].tag, "");
		assert_string_equal(s->prog[0].func, "");
		assert_int_equal(s->instance_cnt, 300);
		series__free(s);
	}
}

/* --label owner,device: programs with different owners or devices have series of their own. */
static void test_labels(void **state)
{
	for (int labels = 0; labels < 2; labels++) {
		struct series *s = make_series(10);
		struct report *r = make_base();

		s->opts.with_owner = s->opts.with_device = labels;
		for (int i = 0; i < 4; i++) {
			struct report_prog *p = add_row(r, 42 + i, "xdp_lb", TAG_A, 1 + i, 50);

			p->owner = strdup(i < 2 ? "a" : "b");
			p->device = i % 2 ? strdup("eth0") : NULL;
		}
		add(s, r, 1);
		assert_int_equal(s->prog_cnt, labels ? 4 : 1);
		assert_string_equal(s->prog[0].owner, labels ? "a" : "");
		assert_string_equal(s->prog[s->prog_cnt - 1].device, labels ? "eth0" : "");
		assert_int_equal(s->prog[s->prog_cnt - 1].part[0].runs, labels ? 4 : 10);
		series__free(s);
	}
}

/* The series of an unloaded program end after the grace time; a later one begins at 0. */
static void test_unload(void **state)
{
	struct series *s = make_series(10);
	struct report *r = make_base();

	add_row(r, 41, "tc_mark", TAG_B, 1, 50);
	add_row(r, 42, "xdp_lb", TAG_A, 100, 50);
	add_row(r, 44, "last", TAG_B, 2, 50);
	add(s, r, 1);
	for (int sec = 2; sec <= 12; sec++) {
		r = make_base();
		add_row(r, 44, "last", TAG_B, 2, 50);
		assert_int_equal(s->prog_cnt, 3);
		add(s, r, sec);
	}
	assert_int_equal(s->prog_cnt, 1);
	assert_string_equal(s->prog[0].name, "last");
	assert_int_equal(s->prog[0].part[0].runs, 24);
	assert_int_equal(s->instance[0].prog, 0);
	r = make_base();
	add_row(r, 42, "xdp_lb", TAG_A, 3, 50); /* the id is used again */
	add(s, r, 13);
	assert_int_equal(s->prog[1].part[0].runs, 3);
	assert_int_equal(s->prog[1].part[0].created.tv_sec, 12);
	series__free(s);
}

/* Within the grace time, a program that is loaded again continues its series. */
static void test_grace(void **state)
{
	struct series *s = make_series(10);
	struct report *r = make_base();

	add_row(r, 42, "xdp_lb", TAG_A, 100, 50);
	add(s, r, 1);
	add(s, make_base(), 11);
	assert_int_equal(s->instance_cnt, 0);
	r = make_base();
	add_row(r, 99, "xdp_lb", TAG_A, 1, 50);
	add(s, r, 21); /* the grace time was not over at 11 s, so the series goes on */
	assert_int_equal(s->prog[0].part[0].runs, 101);
	series__free(s);
}

/* In the totals, each run that was not measured counts with the mean of the measured runs. */
static void test_thinned(void **state)
{
	struct series *s = make_series(10);
	struct report *r = make_base();
	struct report_prog *p = add_row(r, 42, "xdp_lb", TAG_A, 0, 0);

	p->all.runs = p->all.thinned_out =
		30; /* no run was measured: their cost is not known yet */
	add(s, r, 1);
	assert_true(event_of(s, 0)->total.shown == 0);
	assert_int_equal(s->prog[0].part[0].runs, 30);
	r = make_base();
	p = add_row(r, 42, "xdp_lb", TAG_A, 10, 120);
	p->all.runs = 100;
	p->all.thinned_out = 29;
	p->all.unprobed = 60;
	p->all.lost[LOST_READ] = 1;
	add(s, r, 2);
	assert_true(event_of(s, 0)->total.shown == 130 * 120);
	assert_true(event_of(s, 0)->sum.shown == 10 * 120);
	assert_int_equal(event_of(s, 0)->measured, 10);
	assert_int_equal(s->prog[0].part[0].lost[LOST_READ], 1);
	assert_int_equal(s->prog[0].part[0].runs, 30 + 100);
	series__free(s);
}

/*
 * While no slice has runs, all runs count with the same mean. If it is wrong, it is wrong for all of them:
 * their errors add up, and not their variances.
 */
static void test_same_mean(void **state)
{
	static const struct {
		int measured;
		double variance; /* in squares of 1000 * 50 */
	} reports[] = {{10, 1}, {0, 4}, {0, 9}, {10, 10}, {0, 13}};
	struct series *s = make_series(10);

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		struct report *r = make_base();
		struct report_prog *p = add_row(r, 42, "xdp_lb", TAG_A, reports[i].measured,
						reports[i].measured ? 50 : 0);

		p->all.runs = p->all.unprobed = 1000;
		if (!reports[i].measured)
			p->all.event[0].stat[STAT_MEAN] = NAN;
		add(s, r, i + 1);
		assert_true(event_of(s, 0)->total.shown == (i + 1) * 1000 * 50);
		if (event_of(s, 0)->variance != reports[i].variance * 50000 * 50000)
			fail_msg("%zu: %g", i, event_of(s, 0)->variance / 50000 / 50000);
	}
	series__free(s);
}

/* The kernel knows how long runs took that no slice measured: they cost that much less, or more. */
static void test_shorter_runs(void **state)
{
	struct series *s = make_series(10);

	for (int i = 0; i < 2; i++) {
		struct report *r = make_base();
		struct report_prog *p = add_row(r, 42, "xdp_lb", TAG_A, i ? 0 : 10, i ? 0 : 120);
		struct report_event *time = add_event(&p->all, "time", i ? 0 : 1000);

		if (i)
			p->all.event[0].stat[STAT_MEAN] = time->stat[STAT_MEAN] = NAN;
		p->all.runs = p->all.unprobed = 1000;
		p->all.cpu_share = 1000 * (i ? 250. : 1000) / r->elapsed_ns;
		add(s, r, i + 1);
	}
	assert_true(fabs(s->prog[0].part[0].event[0].total.shown - 1000 * (120 + 30)) < 1);
	series__free(s);
}

/* The runs that the probe missed are counted once, though each report has the sum of all so far. */
static void test_missed(void **state)
{
	static const double missed[] = {NAN, 3, 3, 10, 10, 7, 12, 12};
	struct series *s = make_series(10);

	for (size_t i = 0; i < ARRAY_SIZE(missed); i++) {
		struct report *r = make_base();
		struct report_prog *p = add_row(r, 42, "xdp_lb", TAG_A, 100, 50);

		p->version.missed = missed[i];
		p->version.ended_ns = i >= 6 ? 4e9 : NAN; /* late runs of an unloaded program */
		add(s, r, i + 1);
	}
	assert_int_equal(s->prog[0].part[0].runs, 800 + 12);
	assert_true(event_of(s, 0)->total.shown == 812 * 50);
	assert_int_equal(event_of(s, 0)->measured, 800);
	series__free(s);
}

/* Net costs may be negative in an interval, but the counter that is shown never decreases. */
static void test_negative(void **state)
{
	static const double cost[] = {-2, 5, -3, 1, 4};
	static const double shown[] = {0, 30, 30, 30, 50};
	struct series *s = make_series(10);

	for (size_t i = 0; i < ARRAY_SIZE(cost); i++) {
		struct report *r = make_base();

		add_row(r, 42, "xdp_lb", TAG_A, 10, cost[i]);
		add(s, r, i + 1);
		assert_true(event_of(s, 0)->total.shown == shown[i]);
		assert_true(event_of(s, 0)->sum.shown == shown[i]);
	}
	assert_int_equal(event_of(s, 0)->bucket[0], 50);
	series__free(s);
}

/* Times have bounds of their own. Events that were not counted have no series. */
static void test_events(void **state)
{
	struct series *s = make_series(10);
	struct report *r = make_base();
	struct report_prog *p = add_row(r, 42, "xdp_lb", TAG_A, 3, 300);
	struct report_event *ev = add_event(&p->all, "time", 1500);

	*report_event__add_bucket(ev) = (struct report_bucket){1000, 1000, 1};
	*report_event__add_bucket(ev) = (struct report_bucket){1008, 1023, 1};
	*report_event__add_bucket(ev) = (struct report_bucket){1999, 2001, 1};
	add_event(&p->all, "time", 7); /* the same event again, as inside and outside of a group */
	set_status(add_event(&p->all, "cycles", 0), EVENT_NOT_SUPPORTED, NULL);
	p = add_prog(r, 43, "tc_mark", "tc_mark", 10);
	set_method(p, "run_stats");
	add_event(&p->all, "time", 250);
	add(s, r, 1);
	assert_int_equal(s->prog[0].part[0].event_cnt, 2);
	assert_int_equal(s->prog[0].part[0].event[0].bucket[2], 3);
	assert_true(s->prog[0].part[0].event[1].time);
	assert_int_equal(s->prog[0].part[0].event[1].bucket[0], 1);
	assert_int_equal(s->prog[0].part[0].event[1].bucket[1], 1);
	assert_int_equal(s->prog[0].part[0].event[1].bucket[2], 1);
	assert_true(event_of(s, 1)->total.shown == 2500);
	assert_false(event_of(s, 1)->has_buckets);
	series__free(s);
}

/*
 * Raw numbers of a failed calibration are not added to net ones. Their runs are counted all the
 * same.
 */
static void test_uncalibrated(void **state)
{
	struct series *s = make_series(10);

	for (int sec = 1; sec <= 3; sec++) {
		struct report *r = make_base();

		add_row(r, 42, "xdp_lb", TAG_A, 10, 100)->uncalibrated = sec == 2;
		add(s, r, sec);
		assert_int_equal(s->uncalibrated_cnt, sec == 2);
		assert_int_equal(s->prog[0].part[0].runs, 10 * sec);
		if (sec == 2)
			assert_int_equal(s->prog[0].part[0].event_cnt, 0);
		else
			assert_true(event_of(s, 0)->total.shown == 1000);
	}
	series__free(s);
}

/* A program with raw numbers shares a series, or "other", with another one: the event totals never decrease. */
static void test_some_uncalibrated(void **state)
{
	struct series *s = make_series(1);

	for (int sec = 1; sec <= 3; sec++) {
		struct report *r = make_base();

		add_row(r, 42, "xdp_lb", TAG_A, 10, 100);
		add_row(r, 43, "xdp_lb", TAG_A, 10, 100)->uncalibrated = true;
		add_row(r, 44, "tc_mark", TAG_B, 10, 100);
		add_row(r, 45, "xdp_fw", TAG_B, 10, 100)->uncalibrated = true;
		add(s, r, sec);
		assert_true(event_of(s, 0)->total.shown == 1000 * sec);
		assert_int_equal(s->other.part[0].event_cnt, 1);
		assert_true(s->other.part[0].event[0].total.shown == 1000 * sec);
	}
	series__free(s);
}

static void count_warnings(void *arg, enum log_level level, const char *message)
{
	int *warnings = arg;

	assert_int_equal(level, LOG_LEVEL_WARN);
	assert_non_null(strstr(message, "more than 2 programs"));
	(*warnings)++;
}

/* Programs beyond the limit are counted together, and one message says so. */
static void test_limit(void **state)
{
	int warnings = 0;
	const struct log_sink sink = {
		.write = count_warnings, .arg = &warnings, .max = LOG_LEVEL_WARN};
	const struct log_sink *old = log__set_sink(&sink);
	struct series *s = make_series(2);
	struct report *r;

	for (int sec = 1; sec <= 3; sec++) {
		r = make_base();
		add_row(r, 41, "a", TAG_A, 1, 50);
		add_row(r, 42, "b", TAG_A, 1, 50);
		add_row(r, 43, "c", TAG_A, 10, 50);
		add_row(r, 44, "d", TAG_A, 100, 50);
		add(s, r, sec);
	}
	assert_int_equal(warnings, 1);
	assert_int_equal(s->prog_cnt, 2);
	assert_int_equal(s->other_cnt, 2);
	assert_string_equal(s->other.name, "other");
	assert_int_equal(s->other.part[0].runs, 330);
	assert_true(s->other.part[0].event[0].total.shown == 330 * 50);
	assert_int_equal(s->instance[3].prog, -1);
	/* A program whose place has become free gets series of its own, and "other" stays. */
	for (int sec = 4; sec <= 15; sec++) {
		r = make_base();
		add_row(r, 44, "d", TAG_A, 100, 50);
		add(s, r, sec);
	}
	assert_int_equal(s->prog_cnt, 1);
	assert_string_equal(s->prog[0].name, "d");
	assert_int_equal(s->prog[0].part[0].runs + s->other.part[0].runs, 330 + 12 * 100);
	assert_int_equal(s->other_cnt, 0);
	assert_int_equal(warnings, 1);
	series__free(s);
	log__set_sink(old);
}

/* Short-lived programs are counted once, though each report has the sum of all so far. */
static void test_short_lived(void **state)
{
	static const struct {
		int listed;
		__u64 more, want;
	} rows[] = {{0, 0, 0}, {1, 0, 1}, {2, 40, 42}, {2, 40, 42}, {2, 43, 45}};
	struct series *s = make_series(10);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report *r = make_base();

		add_skip(r, 62, "foo", "no_btf", "has no BTF");
		for (int k = 0; k < rows[i].listed; k++)
			add_skip(r, 70 + k, "tmp", SERIES_SHORT_LIVED, "was unloaded again");
		r->skip[r->skip_cnt - 1].more = rows[i].more;
		add(s, r, i + 1);
		assert_int_equal(s->short_lived, rows[i].want);
	}
	series__free(s);
}

/* ---- --by retval ---- */

static struct report_prog *add_value(struct report *r, double retval, __u64 runs, double cost)
{
	struct report_prog *p = add_row(r, 42, "xdp_lb", TAG_A, runs, cost);

	r->by_retval = p->by_retval = true;
	p->retval = retval;
	p->version.missed = 4; /* of the program, so each row has them */
	return p;
}

static const struct series_part *part_of(const struct series *s, const char *returns)
{
	for (int i = 0; i < s->prog[0].part_cnt; i++)
		if (!strcmp(s->prog[0].part[i].returns, returns))
			return &s->prog[0].part[i];
	return NULL;
}

/*
 * The series of all values add up to the series without --by retval. The return values of runs that were not
 * measured are not known. These runs count with the mean of all measured runs.
 */
static void test_by_retval(void **state)
{
	struct series *s = make_series(10);
	struct report *r = make_base();
	struct report_prog *p;

	r->by_retval = true;
	add_row(r, 42, "xdp_lb", TAG_A, 0, 0); /* it has not run yet, so it has no values */
	add(s, r, 1);
	assert_int_equal(part_of(s, "other")->runs, 0);
	r = make_base();
	add_value(r, 1, 30, 50);
	add_value(r, 3, 10, 150);
	p = add_value(r, NAN, 0, NAN);
	p->all.event[0].total = 0;
	p->all.runs = p->all.thinned_out = 20;
	p->all.lost[LOST_READ] = 1;
	add(s, r, 2);
	assert_int_equal(s->prog_cnt, 1);
	assert_int_equal(s->prog[0].part_cnt, 3);
	assert_int_equal(s->instance_cnt, 1);
	assert_int_equal(part_of(s, "XDP_DROP")->runs, 30);
	assert_true(part_of(s, "XDP_DROP")->event[0].total.shown == 30 * 50);
	assert_int_equal(part_of(s, "XDP_DROP")->event[0].bucket[0], 30);
	assert_int_equal(part_of(s, "XDP_TX")->runs, 10);
	assert_true(part_of(s, "XDP_TX")->event[0].total.shown == 10 * 150);
	assert_int_equal(part_of(s, "XDP_TX")->event[0].bucket[1], 10);
	/* 20 thinned runs, and 4 that the probe missed */
	assert_int_equal(part_of(s, "other")->runs, 24);
	assert_int_equal(part_of(s, "other")->lost[LOST_READ], 1);
	assert_true(part_of(s, "other")->event[0].total.shown == 24 * (30 * 50 + 10 * 150) / 40.);
	assert_true(part_of(s, "other")->event[0].sum.shown == 0);
	series__free(s);
}

/* A program keeps eight values, whatever values it returns each time that it is loaded. */
static void test_many_values(void **state)
{
	struct series *s = make_series(1);

	for (int i = 0; i < 20; i++) {
		struct report *r = make_base();

		add_value(r, 100 + i, 10, 50);
		add(s, r, i + 1);
	}
	assert_int_equal(s->prog_cnt, 1);
	assert_int_equal(s->prog[0].part_cnt, SERIES_MAX_VALUES + 1);
	assert_true(part_of(s, "other")->probed);
	assert_int_equal(part_of(s, "100")->runs, 10);
	assert_null(part_of(s, "109"));
	assert_int_equal(part_of(s, "other")->runs, 12 * 10 + 4);
	assert_int_equal(part_of(s, "other")->event[0].measured, 12 * 10);
	series__free(s);
}

/*
 * If a program has as many keys as can have series, a new key gets the series of a key that the last
 * two reports did not have. The new series begins at 0. If there is none, "other" has its runs.
 */
static void test_replaced_key(void **state)
{
	struct series *s = make_series(10);
	const struct series_part *part;

	for (int sec = 1; sec <= 4; sec++) {
		struct report *r = make_base();

		r->by = BY_PID;
		for (int key = sec > 1; key <= SERIES_MAX_KEYS; key++) {
			struct report_prog *p;

			if (key == SERIES_MAX_KEYS && sec < 2)
				continue;
			p = add_value(r, NAN, 10, 50);
			p->by_key = true;
			p->version.missed = 0;
			p->key_name = text__format("task[%d]", key);
		}
		add(s, r, sec);
		if (sec == 2)
			assert_int_equal(part_of(s, "task[0]")->runs, 10);
	}
	assert_null(part_of(s, "task[0]"));
	part = part_of(s, "task[32]");
	assert_int_equal(part->runs, 20);
	assert_int_equal(part->created.tv_sec, 2);
	assert_int_equal(part->event_cnt, 1);
	assert_int_equal(part->event[0].created.tv_sec, 2);
	assert_true(part->event[0].total.shown == 20 * 50);
	assert_int_equal(part_of(s, "task[1]")->created.tv_sec, 0);
	assert_int_equal(part_of(s, "task[1]")->runs, 40);
	assert_int_equal(part_of(s, "other")->runs, 10);
	assert_int_equal(s->prog[0].part_cnt, SERIES_MAX_KEYS + 1);
	series__free(s);
}

/* Without a probe no value is known, and beyond the limit no program has parts. */
static void test_no_values(void **state)
{
	struct series *s = make_series(1);
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 57, "old", "", 5);

	set_method(p, "run_stats");
	add_event(&p->all, "time", 250);
	add_value(r, 1, 30, 50);
	add_value(r, 2, 10, 50);
	add(s, r, 1);
	assert_int_equal(s->prog[0].part_cnt, 1);
	assert_string_equal(s->prog[0].part[0].returns, "other");
	assert_int_equal(s->prog[0].part[0].runs, 5);
	assert_int_equal(s->other.part_cnt, 1);
	assert_string_equal(s->other.part[0].returns, "");
	assert_int_equal(s->other.part[0].runs, 44);
	assert_int_equal(s->other_cnt, 1);
	series__free(s);
}

static void test_bounds(void **state)
{
	static const struct {
		const char *arg;
		size_t pos;
	} bad[] = {{"", 0},	   {"1us,", 4},	  {",1us", 0}, {"10,10", 3},
		   {"2us,1us", 4}, {"1us,2%", 4}, {"1x", 1},   {"none,1", 0},
		   {"-1", 0},	   {"1e9", 0},	  {"inf", 0}};
	struct series_opts o = {};
	struct parse_error err;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(series_bounds__parse(bad[i].arg, &o, &err), -EINVAL);
		assert_int_equal(err.pos, bad[i].pos);
	}
	assert_int_equal(series_bounds__parse("1us,1ms", &o, &err), 0);
	series_bounds__set_default(&o);
	assert_int_equal(o.time.cnt, 2);
	assert_true(o.time.v[0] == 1000 && o.time.v[1] == 1e6);
	assert_int_equal(o.events.cnt, 18);
	assert_true(o.events.v[0] == 31 && o.events.v[17] == 4194303);
	assert_int_equal(series_bounds__parse("none", &o, &err), 0);
	series_bounds__set_default(&o);
	assert_int_equal(o.time.cnt + o.events.cnt, 0);
	series_opts__free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restart),	     cmocka_unit_test(test_same_key),
		cmocka_unit_test(test_sum),	     cmocka_unit_test(test_labels),
		cmocka_unit_test(test_unload),	     cmocka_unit_test(test_grace),
		cmocka_unit_test(test_thinned),	     cmocka_unit_test(test_same_mean),
		cmocka_unit_test(test_shorter_runs), cmocka_unit_test(test_missed),
		cmocka_unit_test(test_negative),     cmocka_unit_test(test_events),
		cmocka_unit_test(test_uncalibrated), cmocka_unit_test(test_some_uncalibrated),
		cmocka_unit_test(test_limit),	     cmocka_unit_test(test_by_retval),
		cmocka_unit_test(test_replaced_key), cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_no_values),    cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_short_lived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
