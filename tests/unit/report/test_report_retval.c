// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reports with a row for each return value (--by retval): how the rows of several reports are
 * merged although some of them lack a value, how versions are compared, and how programs are sorted.
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

#include "base/util.h"
#include "render/render.h"
#include "report/report.h"
#include "tests/unit/report_models.h"

static void assert_part(const struct report_prog *p, __u32 id, double retval, __u64 runs)
{
	assert_int_equal(p->id, id);
	assert_true(p->by_retval);
	assert_true(p->retval == retval || (isnan(p->retval) && isnan(retval)));
	assert_int_equal(p->all.runs, runs);
}

/* ---- repeats ---- */

/* Adds two programs. In the first repeat, the first one has not returned 3 yet. */
static struct report *make_repeat(int n)
{
	struct report *r = make_base();

	r->by_retval = true;
	add_part(r, 42, "xdp_lb", 1, 10, 100 + n);
	if (n)
		add_part(r, 42, "xdp_lb", 3, n < 3 ? 10 : 0, 500 + 10 * n);
	if (!n) {
		add_event(&add_prog(r, 57, "xdp_fw", "xdp_fw", 0)->all, "instructions", 0);
		return r;
	}
	add_part(r, 57, "xdp_fw", 3, 10, 7);
	add_part(r, 57, "xdp_fw", NAN, 10, 9);
	return r;
}

static void test_repeats(void **state)
{
	struct report *whole = make_repeat(1), *each[4];
	const struct report_event *ev;

	for (int i = 0; i < 4; i++)
		each[i] = make_repeat(i);
	report__set_repeats(whole, each, 4);
	ev = &whole->prog[0].all.event[0];
	assert_int_equal(ev->block_cnt, 4);
	assert_true(ev->block[3].stat[STAT_MEAN] == 103);
	/* the repeats with runs that returned 3: the second and the third */
	ev = &whole->prog[1].all.event[0];
	assert_int_equal(ev->block_cnt, 2);
	assert_true(ev->block[0].stat[STAT_MEAN] == 510);
	assert_true(fabs(ev->repeat_stddev - 5) < 1e-9);
	/* the first repeat had one row for the second program, which did not run */
	assert_int_equal(whole->prog[2].all.event[0].block_cnt, 3);
	assert_true(whole->prog[3].all.event[0].block[2].stat[STAT_MEAN] == 9);
	report__free(whole);
	for (int i = 0; i < 4; i++)
		report__free(each[i]);
}

/* ---- reading several reports ---- */

static void print(FILE *out, struct report *r, bool interval)
{
	struct render_opts o = {.interval = interval};

	assert_int_equal(report__render(r, report__render_json, &o, out), 0);
	report__free(r);
}

static int read_two(struct report *a, struct report *b, bool interval, struct report **out,
		    struct report_error *err)
{
	FILE *f = tmpfile();
	int ret;

	assert_non_null(f);
	print(f, a, interval);
	print(f, b, interval);
	rewind(f);
	ret = report__read_all(f, out, err);
	fclose(f);
	return ret;
}

/* If intervals or the reports of two sessions are merged, the rows of a program stay together. */
static void test_merged(void **state)
{
	static const double values[] = {1, 4294967295, 3, NAN, NAN};
	struct report_error err;
	struct report *r, *next;

	for (int interval = 0; interval < 2; interval++) {
		next = make_by_retval(1);
		if (!interval)
			next->started.tv_sec++;
		if (read_two(make_by_retval(0), next, interval, &r, &err))
			fail_msg("%s", err.text);
		assert_true(r->by_retval);
		assert_int_equal(r->prog_cnt, 8);
		for (int i = 0; i < 5; i++)
			assert_part(&r->prog[i], 42, values[i],
				    (const int[]){2000, 2, 3000, 14, 8022}[i]);
		assert_false(r->prog[3].unmeasured);
		assert_true(r->prog[4].unmeasured);
		assert_part(&r->prog[5], 42, 4294967289, 80);
		assert_string_equal(r->prog[5].func, "parse");
		assert_int_equal(r->prog[0].all.event[0].block_cnt, 2);
		assert_int_equal(r->prog[2].all.event[0].block_cnt, 1);
		report__free(r);
	}
}

/*
 * A return value that was first seen in a later interval stands before the row of all other values
 * and the row of unmeasured runs.
 */
static void test_late_part(void **state)
{
	struct report *each[2], *r;
	struct report_error err;

	for (int i = 0; i < 2; i++) {
		each[i] = make_base();
		each[i]->by_retval = true;
		each[i]->interval_ns = (i + 1) * 1000000000ULL;
		if (i)
			add_part(each[i], 42, "xdp_lb", 1, 10, 5);
		if (i)
			add_part(each[i], 42, "xdp_lb", NAN, 10, 7);
		add_part(each[i], 42, "xdp_lb", NAN, 20, 7)->unmeasured = true;
	}
	assert_int_equal(read_two(each[0], each[1], true, &r, &err), 0);
	assert_int_equal(r->prog_cnt, 3);
	assert_true(r->prog[0].retval == 1 && isnan(r->prog[1].retval));
	assert_false(r->prog[1].unmeasured);
	assert_true(r->prog[2].unmeasured);
	assert_int_equal(r->prog[0].all.runs, 10);
	assert_int_equal(r->prog[1].all.runs, 10);
	assert_int_equal(r->prog[2].all.runs, 40);
	report__free(r);
}

static void test_refused(void **state)
{
	struct report_error err;
	struct report *r, *next = make_two_programs(0);

	next->started.tv_sec++;
	assert_int_equal(read_two(make_by_retval(0), next, false, &r, &err), -EINVAL);
	assert_non_null(strstr(err.text, "different rows (--by)"));
}

/* A later interval may have further keys; the rows without a key stay last. */
static void test_keys(void **state)
{
	static const char *const names[] = {"eth0",  "veth12ab\x1b", "none",
					    "other", "other",	     "not measured"};
	struct report_error err = {};
	struct report *r, *other = make_by_key(0);
	char buf[RETURNS_SZ];

	assert_int_equal(read_two(make_by_key(0), make_by_key(1), true, &r, &err), 0);
	assert_int_equal(r->by, BY_IFINDEX);
	assert_int_equal(r->prog_cnt, ARRAY_SIZE(names));
	for (int i = 0; i < r->prog_cnt; i++)
		assert_string_equal(report_prog__returns(&r->prog[i], buf), names[i]);
	assert_int_equal(r->prog[0].all.runs, 2000);
	assert_true(r->prog[0].key_value == 2 && isnan(r->prog[2].key_value));
	assert_int_equal(r->prog[3].all.runs, 3);
	assert_true(report_prog__is_rest(&r->prog[4]) && !report_prog__is_rest(&r->prog[3]));
	report__free(r);
	other->by = BY_QUEUE;
	other->started.tv_sec++;
	assert_int_equal(read_two(make_by_key(0), other, false, &r, &err), -EINVAL);
	assert_non_null(strstr(err.text, "different rows (--by)"));
}

/* ---- versions and order ---- */

static void add_version_part(struct report *r, __u32 id, double retval, double mean)
{
	struct report_prog *p = add_version(r, id, "xdp_lb", "aa", NAN, 10, mean);

	p->by_retval = true;
	p->retval = retval;
}

/* Runs are compared with those of the base version that returned the same value. */
static void test_versions(void **state)
{
	struct report *r = make_base();

	r->followed = r->by_retval = true;
	add_version_part(r, 43, 1, 120);
	add_version_part(r, 43, 2, 55);
	add_version_part(r, 43, 3, 600);
	add_version_part(r, 42, 1, 100);
	add_version_part(r, 42, 3, 500);
	report__compare_versions(r, r, NULL);
	assert_part(&r->prog[0], 42, 1, 10);
	assert_part(&r->prog[1], 42, 3, 10);
	assert_true(r->prog[0].version.baseline && r->prog[1].version.baseline);
	assert_true(r->prog[2].all.event[0].change->absolute == 20);
	/* the base version never returned 2 */
	assert_true(!report_event__has_change(&r->prog[3].all.event[0]));
	assert_false(r->prog[3].version.baseline);
	assert_true(r->prog[4].all.event[0].change->absolute == 100);
	report__free(r);
}

static char *render(const struct report *r, const struct render_opts *o)
{
	return render_report(r, report__render_text, o, NULL);
}

/*
 * Numbers of runs and totals sort a program by all its runs. Other columns sort it by its row with the highest value.
 * The rows of a program stay together.
 */
static void test_order(void **state)
{
	static const struct {
		const char *column;
		bool first; /* program 42 comes before program 57 */
	} orders[] = {{"runs", true}, {"total", false}, {"mean", false}, {"max", false}};
	struct report *r = make_base();
	char *text;

	r->by_retval = true;
	add_part(r, 42, "xdp_lb", 1, 60, 10);
	add_part(r, 42, "xdp_lb", 3, 60, 20);
	add_part(r, 57, "xdp_fw", 1, 100, 5);
	add_part(r, 57, "xdp_fw", 2, 1, 9000);
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct render_opts o = {.sort = orders[i].column, .top = 1};

		text = render(r, &o);
		assert_true(!strstr(text, "xdp_fw") == orders[i].first);
		assert_true(!strstr(text, "xdp_lb") == !orders[i].first);
		assert_non_null(strstr(text, "1 more program not shown"));
		assert_non_null(strstr(text, orders[i].first ? "XDP_TX" : "XDP_PASS"));
		free(text);
	}
	report__free(r);
}

/* Tests for each column of --sort which of two programs comes first. */
static void test_each_column(void **state)
{
	static const struct {
		const char *column;
		bool first; /* program 42 comes before program 57 */
	} orders[] = {
		{"id", true},	 {"name", false},   {"type", false},  {"METHOD", true},
		{"runs", false}, {"runs/s", false}, {"lost", true},   {"mean", false},
		{"p99", false},	 {"max", true},	    {"total", false},
	};
	struct report *r = make_base();
	struct report_prog *p;

	p = add_prog(r, 42, "xdp_lb", "xdp_lb", 60);
	free(p->type);
	p->type = strdup("xdp");
	p->method = "fentry";
	p->all.lost[0] = 3;
	add_event(&p->all, "instructions", 10);
	p->all.event[0].stat[STAT_P99] = NAN;
	p->all.event[0].stat[STAT_MAX] = 9;
	p = add_prog(r, 57, "a_filter", "a_filter", 90);
	free(p->type);
	p->type = strdup("tracing");
	p->method = "run_stats";
	add_event(&p->all, "instructions", 20);
	p->all.event[0].stat[STAT_P99] = 7;
	p->all.event[0].stat[STAT_MAX] = 8;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct render_opts o = {.sort = orders[i].column};
		struct report ordered = {};
		int hidden;

		report__order(r, &o, &ordered, &hidden);
		assert_int_equal(hidden, 0);
		if (ordered.prog[0].id != (orders[i].first ? 42U : 57U))
			fail_msg("%s: program %u is first", orders[i].column, ordered.prog[0].id);
		free(ordered.prog);
	}
	report__free(r);
}

/* Ids ascend, whatever the order of the report. */
static void test_ids(void **state)
{
	struct report *r = make_base(), ordered = {};
	int hidden;

	for (int i = 0; i < 3; i++)
		add_prog(r, (const __u32[]){7, 5, 6}[i], "p", "p", 1);
	report__order(r, &(struct render_opts){.sort = "id"}, &ordered, &hidden);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ordered.prog[i].id, 5 + i);
	free(ordered.prog);
	report__free(r);
}

/* A program is active if it ran, or if any of its events has a sample. */
static void test_active(void **state)
{
	for (int samples = 0; samples < 4; samples++) {
		struct report *r = make_base(), ordered = {};
		struct report_row *row = &add_prog(r, 7, "p", "p", 0)->all;
		int hidden;

		for (int i = 0; i < 2; i++)
			add_estimate(row, i ? "time" : "cycles", 5, samples >> i & 1);
		report__order(r, &(struct render_opts){.active = true}, &ordered, &hidden);
		assert_int_equal(ordered.prog_cnt, samples > 0);
		assert_int_equal(hidden, !samples);
		free(ordered.prog);
		report__free(r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeats),	    cmocka_unit_test(test_merged),
		cmocka_unit_test(test_refused),	    cmocka_unit_test(test_keys),
		cmocka_unit_test(test_versions),    cmocka_unit_test(test_order),
		cmocka_unit_test(test_each_column), cmocka_unit_test(test_late_part),
		cmocka_unit_test(test_ids),	    cmocka_unit_test(test_active),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
