// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests measurements whose caller asks for reports while they last, with made-up counts: which
 * events the caller gets, which part of the time a report covers, and that every snapshot is freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "report/report.h"
#include "run/live.h"
#include "tests/unit/capture.h"
#include "tests/unit/fake_counting.h"

/* A time that is longer than any test. */
#define NEVER_NS (1ULL << 60)

struct fixture {
	struct fake_counting c;
	struct loop_opts o;
	struct live *live;
	struct loop_result result;
	int pipe[2];
	int events[LOOP_STOP + 1]; /* how often the caller got each event */
	/* The test's reactions to LOOP_START, LOOP_INTERVAL, LOOP_INPUT and LOOP_STOP. */
	int (*at_start)(struct fixture *f);
	int (*at_event)(struct fixture *f);
	void (*at_stop)(struct fixture *f);
	void *last;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	live_snapshots = 0;
	return !f || pipe(f->pipe) || live__open(&fake_counting_ops, &f->c, &f->live);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	live__close(f->live);
	live__close(NULL);
	assert_int_equal(live_snapshots, 0);
	close(f->pipe[0]);
	close(f->pipe[1]);
	free(f);
	return 0;
}

static int take_event(struct fixture *f, enum loop_event event)
{
	f->events[event]++;
	if (event == LOOP_STOP && f->at_stop)
		f->at_stop(f);
	if (event == LOOP_STOP)
		return 0;
	if (event == LOOP_START)
		return f->at_start ? f->at_start(f) : 0;
	return f->at_event ? f->at_event(f) : 0;
}

/* Runs a whole measurement. Returns its error. *log is what was written to stderr. */
static int run(struct fixture *f, char **log)
{
	struct capture c;
	enum loop_event event;
	int ret;

	capture__begin(&c, stderr);
	ret = live__begin(f->live, &f->o, f->pipe[0]);
	while ((event = live__next(f->live, ret)))
		ret = take_event(f, event);
	ret = live__end(f->live, &f->result);
	*log = capture__end(&c);
	return ret;
}

static void run_ok(struct fixture *f)
{
	char *log;

	assert_int_equal(run(f, &log), 0);
	assert_string_equal(log, "");
	free(log);
}

/* Checks the length of the time that a report covers. */
static void assert_report(struct fixture *f, const void *from, const void *to, __u64 ns)
{
	struct report *report;

	assert_int_equal(live__report(f->live, from, to, &report), 0);
	assert_int_equal(report->elapsed_ns, ns);
	assert_true(report->started.tv_sec > 0);
	report__free(report);
}

static int report_interval(struct fixture *f)
{
	void *now;

	assert_int_equal(live__read(f->live, &now), 0);
	assert_report(f, f->last, now, 10);
	assert_report(f, NULL, now, f->events[LOOP_INTERVAL] * 10);
	live__free(f->live, f->last);
	f->last = now;
	return 0;
}

/* The last interval ends with the measurement: the snapshot is the one of the stop. */
static void report_stop(struct fixture *f)
{
	int reads = f->c.reads;
	void *now;

	assert_int_equal(live__read(f->live, &now), 0);
	assert_int_equal(f->c.reads, reads);
	assert_report(f, NULL, now, 40);
	live__free(f->live, now);
	live__free(f->live, f->last);
}

/* A report covers the time from any snapshot, or the start, to another snapshot. */
static void test_reports(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	f->o.interval_count = 4;
	f->at_event = report_interval;
	f->at_stop = report_stop;
	run_ok(f);
	assert_int_equal(f->events[LOOP_START], 1);
	assert_int_equal(f->events[LOOP_INTERVAL], 3);
	assert_int_equal(f->events[LOOP_STOP], 1);
	assert_int_equal(f->c.reads, 3);
}

static int write_input(struct fixture *f)
{
	return write(f->pipe[1], "ab", 2) == 2 ? 0 : -EIO;
}

static int take_input(struct fixture *f)
{
	char c;

	assert_int_equal(read(f->pipe[0], &c, 1), 1);
	return c == 'a' ? 0 : 1;
}

/* The caller's descriptor is readable during the delay, and after it. */
static void test_early_input(void **state)
{
	struct fixture *f = *state;

	f->o.delay_ns = NEVER_NS;
	f->o.early_input = true;
	f->at_event = take_input;
	assert_int_equal(write_input(f), 0);
	run_ok(f);
	assert_int_equal(f->events[LOOP_INPUT], 2);
	assert_int_equal(f->events[LOOP_START], 0);
	f->o.delay_ns = 1;
	f->at_start = write_input;
	assert_int_equal(write(f->pipe[1], "a", 1), 1);
	run_ok(f);
	assert_int_equal(f->events[LOOP_INPUT], 5);
	assert_int_equal(f->events[LOOP_START], 1);
}

/* Tests the caller's descriptor, and an interval that the caller changes. */
static void test_input(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = NEVER_NS;
	f->at_start = write_input;
	f->at_event = take_input;
	run_ok(f);
	assert_int_equal(f->events[LOOP_INPUT], 2);
	assert_int_equal(f->events[LOOP_INTERVAL], 0);
	assert_true(f->result.over);
}

static int take_and_shorten(struct fixture *f)
{
	char text[2];

	assert_int_equal(read(f->pipe[0], text, sizeof(text)), 2);
	return live__set_interval(f->live, 1 * NSEC_PER_MSEC);
}

static int shorten_and_end(struct fixture *f)
{
	return f->events[LOOP_INTERVAL] ? 1 : take_and_shorten(f);
}

static int end(struct fixture *f)
{
	return 1;
}

/* Without an interval that is made shorter, this measurement would not end. */
static void test_set_interval(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = NEVER_NS;
	f->at_start = write_input;
	f->at_event = shorten_and_end;
	run_ok(f);
	assert_int_equal(f->events[LOOP_INTERVAL], 1);
}

/* The caller does not get ticks, nor events of the counting operations' own descriptor. */
static void test_own_events(void **state)
{
	struct fixture *f = *state;
	int ready[2];

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(write(ready[1], "x", 1), 1);
	f->c.ready_fd = ready[0];
	f->o.first_tick_ns = f->o.tick_ns = 1 * NSEC_PER_MSEC;
	f->c.over_at = 3;
	run_ok(f);
	assert_int_equal(f->c.ticks, 3);
	assert_int_equal(f->c.readies, 1);
	assert_int_equal(f->events[LOOP_TICK] + f->events[LOOP_READY], 0);
	assert_int_equal(f->events[LOOP_STOP], 1);
	assert_true(f->result.over);
	close(ready[0]);
	close(ready[1]);
}

static int read_fails(struct fixture *f)
{
	void *now;
	int err = live__read(f->live, &now);

	assert_null(now);
	return err;
}

/* Each operation that fails ends the measurement, which returns its error. */
static void test_errors(void **state)
{
	struct fixture *f = *state;
	char *log;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	f->c.fail_start = 1;
	assert_int_equal(run(f, &log), -EIO);
	free(log);
	assert_int_equal(f->events[LOOP_START] + f->events[LOOP_STOP], 0);
	assert_int_equal(f->c.stops, 0);
	f->at_event = read_fails;
	f->c.fail_read = 1;
	assert_int_equal(run(f, &log), -EIO);
	free(log);
	assert_int_equal(f->events[LOOP_STOP], 1);
	f->c.fail_stop = 2;
	f->at_event = end;
	assert_int_equal(run(f, &log), -EIO);
	free(log);
	assert_int_equal(f->events[LOOP_STOP], 1);
}

static void test_nothing(void **state)
{
	struct fixture *f = *state;
	char *log;

	f->c.nothing = true;
	assert_int_equal(run(f, &log), -ENODATA);
	assert_string_equal(log, "bprof: nothing could be measured\n");
	free(log);
	assert_int_equal(f->c.starts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_reports, setup, teardown),
		cmocka_unit_test_setup_teardown(test_early_input, setup, teardown),
		cmocka_unit_test_setup_teardown(test_input, setup, teardown),
		cmocka_unit_test_setup_teardown(test_set_interval, setup, teardown),
		cmocka_unit_test_setup_teardown(test_own_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
