// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests starting and stopping a session whose backend has no gate: no snapshot contains runs
 * between a stop and the next start, even if some readings of the counts fail.
 */
#include "tests/unit/ungated_session.h"

static void assert_runs(const struct snapshot *snap, __u64 runs)
{
	assert_int_equal(snapshot__at(snap, 0, REST)->measured, runs);
}

/*
 * Adds "before" to the number of runs, then starts the session. Checks the number of runs that the
 * session has counted.
 */
static void start(struct ungated_session *us, __u64 before, __u64 counted)
{
	struct snapshot *at;

	us->u.runs += before;
	assert_int_equal(session__start(&us->f->s, &at), 0);
	assert_runs(at, counted);
	snapshot__free(at);
}

static void stop(struct ungated_session *us, __u64 before, __u64 counted)
{
	struct snapshot *at;

	us->u.runs += before;
	assert_int_equal(session__stop(&us->f->s, &at), 0);
	assert_runs(at, counted);
	snapshot__free(at);
}

/* Like start(), but only the given number of readings succeeds, so the start fails. */
static void fail_start(struct ungated_session *us, __u64 before, int reads)
{
	struct snapshot *at = NULL;

	us->u.runs += before;
	us->u.reads_left = reads;
	assert_int_equal(session__start(&us->f->s, &at), -EIO);
	assert_null(at);
	us->u.reads_left = 1000;
}

static void test_closed_time(void **state)
{
	struct ungated_session *us = *state;

	start(us, 7, 0);
	stop(us, 10, 10);
	start(us, 100, 10);
	stop(us, 5, 15);
}

/* A start reads the counts twice. Each of the two readings fails once. */
static void test_first_start_again(void **state)
{
	struct ungated_session *us = *state;

	for (int reads = 0; reads < 2; reads++)
		fail_start(us, 7, reads);
	start(us, 100, 0);
	stop(us, 10, 10);
}

static void test_later_start_again(void **state)
{
	struct ungated_session *us = *state;

	start(us, 7, 0);
	stop(us, 10, 10);
	for (int reads = 0; reads < 2; reads++)
		fail_start(us, 100, reads);
	start(us, 1000, 10);
	stop(us, 5, 15);
}

/*
 * If a stop cannot read the counts, they are lost. After session__restart(), counting begins at 0.
 */
static void test_start_after_failed_stop(void **state)
{
	struct ungated_session *us = *state;

	for (int reads = 0; reads < 2; reads++) {
		struct snapshot *at = NULL;

		start(us, 7, 0);
		us->u.reads_left = reads;
		assert_int_equal(session__stop(&us->f->s, &at), -EIO);
		assert_null(at);
		us->u.reads_left = 1000;
		session__restart(&us->f->s);
	}
	start(us, 100, 0);
	stop(us, 10, 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_closed_time, setup_ungated, teardown_ungated),
		cmocka_unit_test_setup_teardown(test_first_start_again, setup_ungated,
						teardown_ungated),
		cmocka_unit_test_setup_teardown(test_later_start_again, setup_ungated,
						teardown_ungated),
		cmocka_unit_test_setup_teardown(test_start_after_failed_stop, setup_ungated,
						teardown_ungated),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
