// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests which numbers the self-test takes from a report. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "doctor/selftest_results.h"
#include "session/session.h"

enum { ROWS = 5, ID = 7 };

struct fixture {
	struct report report;
	struct report_prog prog[ROWS];
	struct report_event event[ROWS];
	struct event_list events;
	struct selftest_progs progs;
	struct selftest t;
};

/* Five rows of one program, of which one has no runs, and one was disturbed. */
static void make(struct fixture *f, double median)
{
	static const double means[ROWS] = {50, 51, NAN, 5000, 52};

	memset(f, 0, sizeof(*f));
	f->report.prog = f->prog;
	f->report.prog_cnt = ROWS;
	for (int i = 0; i < ROWS; i++) {
		bool ran = !isnan(means[i]);

		f->event[i] = (struct report_event){
			.name = "time", .base = "time", .unit = "ns", .measured = ran ? 100 : 0};
		f->event[i].status = EVENT_OK;
		f->event[i].stat[STAT_MEAN] = means[i];
		f->event[i].stat[STAT_P50] = ran ? median : NAN;
		f->prog[i].id = ID;
		f->prog[i].method = "run_stats";
		f->prog[i].all = (struct report_row){
			.runs = ran ? 100 : 0, .event = &f->event[i], .event_cnt = 1};
	}
	f->progs.skel = (void *)f; /* not NULL: the programs are loaded */
	for (int i = 0; i < SELFTEST_PROG_CNT; i++)
		f->progs.id[i] = ID;
	f->t.kind = calloc(1, sizeof(*f->t.kind));
	f->t.kind_cnt = 1;
	assert_non_null(f->t.kind);
}

/* An interrupt that fell into one block does not change the number. */
static void test_blocks(void **state)
{
	struct selftest_context *c;
	struct fixture f;

	make(&f, NAN);
	c = &f.t.kind[0].context[0];
	selftest_results__take(c, &f.progs, &f.events, &f.report);
	assert_true(selftest_event__value(&c->event[0], SELFTEST_EMPTY) == 51.5);
	assert_int_equal(c->runs, SELFTEST_PROG_CNT * 400);
	assert_string_equal(c->method, "run_stats");
	selftest__free(&f.t);
}

/* With a distribution, the median of the runs stands for the program. */
static void test_median(void **state)
{
	struct selftest_context *c;
	struct fixture f;

	make(&f, 49);
	c = &f.t.kind[0].context[0];
	selftest_results__take(c, &f.progs, &f.events, &f.report);
	assert_true(selftest_event__value(&c->event[0], SELFTEST_1000) == 49);
	selftest__free(&f.t);
}

static void test_no_row(void **state)
{
	struct selftest_context *c;
	struct fixture f;

	make(&f, NAN);
	f.report.prog_cnt = 0;
	c = &f.t.kind[0].context[0];
	selftest_results__take(c, &f.progs, &f.events, &f.report);
	assert_string_equal(c->why, "the session does not measure its programs");
	selftest__free(&f.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
