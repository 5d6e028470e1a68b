// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which keys of --by lose their parts if bprof cannot wait for running probes: none. A part that stays
 * closed has no key, and would have a row with a wrong one.
 */
#include "tests/unit/made_session.h"

#include <sys/resource.h>

#include "base/log.h"

static int closed;

static void close_parts(const struct target *t, const bool *part)
{
	closed++;
}

static int free_parts(struct target *t, const bool *part)
{
	fail();
	return 0;
}

static void drop(void *arg, enum log_level level, const char *message)
{
}

static const struct log_sink silent = {.write = drop, .max = LOG_LEVEL_ERROR};

/* A key that has a part has not run for a minute, and other keys have. */
static struct snapshot *make_snapshot(const struct session *s, __u64 ns, __u64 other_runs)
{
	struct snapshot *snap = session__new_snapshot(s);

	snap->ns = ns;
	snapshot__at(snap, 0, snapshot__part_row(snap, 0, 0))->measured = other_runs;
	for (int cpu = 0; cpu < CPU_CNT; cpu++)
		snapshot__at(snap, 0, snapshot__part_row(snap, 1, cpu))->retval = 5;
	return snap;
}

static void test_cannot_wait(void **state)
{
	static const struct counter_ops ops = {
		.caps = BACKEND_PROBES, .close_parts = close_parts, .free_parts = free_parts};
	struct backend b = {.ops = &ops};
	struct fixture *f = *state;
	struct snapshot *snaps[2];
	struct rlimit old, none;

	f->s.env.opts.by = BY_PID;
	f->target[0].backend = &b;
	snaps[0] = make_snapshot(&f->s, 1, 10);
	snaps[1] = make_snapshot(&f->s, 60000 * NSEC_PER_MSEC, 20);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){0, old.rlim_max};
	log__set_sink(&silent);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_true(session__replace_keys(&f->s, snaps, 2, 0) < 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	log__set_sink(NULL);
	assert_int_equal(closed, 0);
	assert_int_equal(snapshot__at(snaps[1], 0, snapshot__part_row(snaps[1], 1, 0))->retval, 5);
	free(f->target[0].part_ran_ns);
	snapshot__free(snaps[0]);
	snapshot__free(snaps[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cannot_wait, setup, teardown),
	};

	return cmocka_run_group_tests_name("replaced_keys", tests, NULL, NULL);
}
