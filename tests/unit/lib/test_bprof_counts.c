// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests sessions of the public interface with a made-up backend: what they count between starts and
 * stops, and which calls they refuse after a failure.
 */
#include "tests/unit/ungated_session.h"

#include "lib/bprof.h"
#include "lib/bprof_session_priv.h"

/* Returns an open session of the public interface. It uses the made-up backend in *us. */
static struct bprof_session *open_session(struct ungated_session *us)
{
	struct bprof_session *s;

	add_event(us->f, "time", EVENT_OK);
	assert_int_equal(bprof_session_new(NULL, &s, NULL), 0);
	s->s = &us->f->s;
	return s;
}

static void close_session(struct bprof_session *s)
{
	s->s = NULL; /* closed with the fixture */
	bprof_session_free(s);
}

static void assert_error(struct bprof_session *s, int got, int err, const char *text)
{
	assert_int_equal(got, err);
	assert_int_equal(bprof_session_error(s)->err, err);
	if (!strstr(bprof_session_error(s)->text, text))
		fail_msg("'%s' is not in '%s'", text, bprof_session_error(s)->text);
}

static void assert_runs(struct bprof_session *s, const struct bprof_snapshot *from,
			const struct bprof_snapshot *to, uint64_t runs)
{
	struct bprof_report *r;

	assert_int_equal(bprof_session_report(s, from, to, &r), 0);
	assert_int_equal(bprof_program_runs(bprof_report_program(r, 0)), runs);
	bprof_report_free(r);
}

/* A snapshot that is taken while the session is stopped has the counts of the last stop. */
static void test_read_stopped(void **state)
{
	struct ungated_session *us = *state;
	struct bprof_session *s = open_session(us);
	struct bprof_snapshot *running, *stopped, *later;

	assert_int_equal(bprof_session_start(s), 0);
	us->u.runs += 10;
	assert_int_equal(bprof_session_read(s, &running), 0);
	us->u.runs += 20;
	assert_int_equal(bprof_session_stop(s), 0);
	us->u.runs += 400;
	assert_int_equal(bprof_session_read(s, &stopped), 0);
	us->u.runs += 4000;
	assert_int_equal(bprof_session_start(s), 0);
	us->u.runs += 5;
	assert_int_equal(bprof_session_read(s, &later), 0);
	assert_runs(s, running, stopped, 20);
	assert_runs(s, stopped, later, 5);
	bprof_snapshot_free(running);
	bprof_snapshot_free(stopped);
	bprof_snapshot_free(later);
	close_session(s);
}

static void test_start_again(void **state)
{
	struct ungated_session *us = *state;
	struct bprof_session *s = open_session(us);

	us->u.reads_left = 1;
	assert_error(s, bprof_session_start(s), -EIO, "cannot read its counts");
	us->u.reads_left = 1000;
	us->u.runs += 100;
	assert_int_equal(bprof_session_start(s), 0);
	us->u.runs += 10;
	assert_int_equal(bprof_session_stop(s), 0);
	assert_runs(s, NULL, NULL, 10);
	/* if a start fails, the report of the time before it is still available */
	us->u.reads_left = 1;
	assert_error(s, bprof_session_start(s), -EIO, "cannot read its counts");
	us->u.reads_left = 1000;
	assert_runs(s, NULL, NULL, 10);
	close_session(s);
}

static void test_failed_stop(void **state)
{
	static const char refused[] = "the last stop failed";
	struct ungated_session *us = *state;
	struct bprof_session *s = open_session(us);
	struct bprof_snapshot *before, *after;
	struct bprof_report *r;

	assert_int_equal(bprof_session_start(s), 0);
	us->u.runs += 10;
	assert_int_equal(bprof_session_read(s, &before), 0);
	us->u.reads_left = 0;
	assert_error(s, bprof_session_stop(s), -EIO, "cannot read its counts");
	us->u.reads_left = 1000;
	assert_error(s, bprof_session_start(s), -EINVAL, refused);
	assert_error(s, bprof_session_read(s, &after), -EINVAL, refused);
	assert_null(after);
	assert_error(s, bprof_session_report(s, NULL, NULL, &r), -EINVAL, refused);
	/* a report up to an earlier snapshot is possible */
	assert_runs(s, NULL, before, 10);
	bprof_snapshot_free(before);
	close_session(s);
}

/* If a session cannot be opened, the default events are removed from it again. */
static void test_default_events(void **state)
{
	struct bprof_session *s;

	assert_int_equal(bprof_session_new(NULL, &s, NULL), 0);
	assert_int_equal(bprof_session_add_id(s, 4294967290, NULL), 0);
	assert_true(bprof_session_open(s) < 0);
	assert_int_equal(s->events.cnt, 0);
	assert_int_equal(bprof_session_add_events(s, "time"), 0);
	assert_true(bprof_session_open(s) < 0);
	assert_int_equal(s->events.cnt, 1);
	bprof_session_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read_stopped, setup_ungated, teardown_ungated),
		cmocka_unit_test_setup_teardown(test_start_again, setup_ungated, teardown_ungated),
		cmocka_unit_test_setup_teardown(test_failed_stop, setup_ungated, teardown_ungated),
		cmocka_unit_test(test_default_events),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
