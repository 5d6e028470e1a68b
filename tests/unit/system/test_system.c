// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests a session of bprof system with made-up methods: which method is chosen, what happens if
 * something cannot be counted, and that exactly the time between a start and a stop is counted.
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
#include <unistd.h>
#include <bpf/libbpf.h>

#include "btf/reason.h"
#include "system/system.h"
#include "tests/unit/capture.h"

enum { CPU_CNT = 2, MAX_SCOPES = 8 };

/* How a made-up method behaves, and how often it was called. */
struct fake {
	int open_err, read_err;
	const char *why;
	bool no_event;	   /* no event can be counted */
	__u64 refused_pid; /* id of the scope that cannot be counted */
	int room;	   /* the number of scopes that can be counted; 0: no limit */
	int opened, closed, begun, ended, reads;
	int added[MAX_SCOPES], removed[MAX_SCOPES];
	__u64 counter; /* the first count of the next reading */
};

static struct fake bperf, perf_event;

static int open_fake(struct fake *fake, struct system *s, void **state, struct reason *reason)
{
	fake->opened++;
	if (fake->why)
		reason__fail(reason, fake->open_err, "%s", fake->why);
	else if (fake->open_err)
		reason__fail(reason, fake->open_err, NULL);
	for (int i = 0; fake->no_event && i < s->events->cnt; i++) {
		s->event[i].status = EVENT_NOT_SUPPORTED;
		snprintf(s->event[i].detail, sizeof(s->event[i].detail), "made so");
	}
	*state = fake->open_err ? NULL : fake;
	return fake->open_err;
}

static int open_bperf(struct system *s, void **state, struct reason *reason)
{
	return open_fake(&bperf, s, state, reason);
}

static int open_perf_event(struct system *s, void **state, struct reason *reason)
{
	return open_fake(&perf_event, s, state, reason);
}

static int begin(struct system *s, void *state, struct reason *reason)
{
	struct fake *fake = state;

	fake->begun++;
	return 0;
}

static void end(struct system *s, void *state)
{
	struct fake *fake = state;

	fake->ended++;
}

static int add_scope(struct system *s, void *state, int scope, struct reason *reason)
{
	struct fake *fake = state;

	assert_int_equal(fake->begun, fake->ended + 1);
	fake->added[scope]++;
	if (fake->room && scope >= fake->room)
		return reason__fail(reason, -ENOSPC, "there is no room");
	if (!fake->refused_pid || s->scopes.v[scope].id != fake->refused_pid)
		return 0;
	return reason__fail(reason, -EBUSY, "it is busy");
}

static void remove_scope(struct system *s, void *state, int scope)
{
	struct fake *fake = state;

	fake->removed[scope]++;
}

/* Each value of a reading is different, and some of them wrap. */
static int read_fake(struct system *s, void *state, struct reading *v)
{
	struct fake *fake = state;

	fake->reads++;
	for (size_t i = 0; i < system__at(s, s->scopes.cnt, 0, 0); i++)
		v[i] = (struct reading){fake->counter - i, fake->counter + i, i};
	return fake->read_err;
}

static void close_fake(struct system *s, void *state)
{
	struct fake *fake = state;

	fake->closed++;
}

#define FAKE_OPS                                                                          \
	.begin = begin, .end = end, .add_scope = add_scope, .remove_scope = remove_scope, \
	.read = read_fake, .close = close_fake

/* These replace the real methods, which are not linked. */
const struct system_ops bperf_ops = {.method = "bperf", .open = open_bperf, FAKE_OPS};
const struct system_ops perf_event_ops = {
	.method = "perf_event", .open = open_perf_event, FAKE_OPS};

static int reset(void **state)
{
	bperf = perf_event = (struct fake){};
	return 0;
}

/* ---- opening a session ---- */

struct opened {
	struct system *s;
	int err;
	char *log;
};

/* The event that a session counts. */
static struct event event = {.name = "cycles", .base = "cycles", .scale = 1, .group = -1};

/*
 * Opens a session that counts one event on CPUs 0 and 1 for these processes. If there are none, the
 * session counts the system or, if command is set, the command.
 */
static struct opened open_session(const char *method, const __u64 *pid, int pid_cnt, bool command)
{
	static int cpu_id[CPU_CNT] = {0, 1};
	static const struct event_list events = {.v = &event, .cnt = 1};
	struct cpus cpus = {cpu_id, CPU_CNT};
	struct opened o;
	struct system_opts opts = {.method = method};
	struct scope_list scopes = {};
	struct capture log;

	if (command)
		scope_list__add_command(&scopes, "made");
	else if (!pid_cnt)
		scope_list__add_system(&scopes);
	for (int i = 0; i < pid_cnt; i++) {
		scopes.v = realloc(scopes.v, (i + 1) * sizeof(*scopes.v));
		scopes.v[i] = (struct scope){SCOPE_PROCESS, pid[i], strdup("made"), .fd = -1};
		scopes.cnt = i + 1;
	}
	capture__begin(&log, stderr);
	o.err = system__open(&scopes, &events, &cpus, &opts, &o.s);
	o.log = capture__end(&log);
	return o;
}

static void close_session(struct opened *o)
{
	system__close(o->s);
	free(o->log);
}

/* ---- which method is chosen ---- */

static void test_method(void **state)
{
	static const struct {
		const char *given;
		int bperf_err;
		int err;
		int opened[2]; /* whether bperf and perf_event are opened */
		const char *log;
	} cases[] = {
		{NULL, 0, 0, {1, 0}, ""},
		{"bperf", 0, 0, {1, 0}, ""},
		{"perf_event", 0, 0, {0, 1}, ""},
		/*
		 * If BPF is refused, or the kernel lacks what bperf needs, a message says so, and
		 * perf_event counts.
		 */
		{NULL, -EPERM, 0, {1, 1}, "made so"},
		{NULL, -EOPNOTSUPP, 0, {1, 1}, "method: perf_event"},
		{"bperf", -EPERM, -EPERM, {1, 0}, "made so"},
		/* User errors and EBUSY are reported, and there is no fallback. */
		{NULL, -EINVAL, -EINVAL, {1, 0}, "made so"},
		{NULL, -ETIMEDOUT, -ETIMEDOUT, {1, 0}, "made so"},
		/* Without memory there is a message, too. */
		{NULL, -ENOMEM, 0, {1, 1}, "cannot be shared: Cannot allocate memory; counting"},
		{"bperf", -ENOMEM, -ENOMEM, {1, 0}, "bprof: bperf: Cannot allocate memory\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opened o;

		reset(NULL);
		bperf.open_err = cases[i].bperf_err;
		bperf.why = cases[i].bperf_err && cases[i].bperf_err != -ENOMEM ? "made so" : NULL;
		o = open_session(cases[i].given, NULL, 0, false);
		if (o.err != cases[i].err || bperf.opened != cases[i].opened[0] ||
		    perf_event.opened != cases[i].opened[1] || !strstr(o.log, cases[i].log) ||
		    !*cases[i].log != !*o.log)
			fail_msg("case %zu: %d, %d and %d opened: %s", i, o.err, bperf.opened,
				 perf_event.opened, o.log);
		assert_true(!o.s == !!o.err);
		if (o.s)
			assert_string_equal(o.s->ops->method,
					    cases[i].opened[1] ? "perf_event" : "bperf");
		close_session(&o);
		assert_int_equal(bperf.closed, bperf.opened && !bperf.open_err);
		assert_int_equal(perf_event.closed, perf_event.opened);
	}
}

/* Shared counters cannot be pinned or exclusive. */
static void test_modifiers(void **state)
{
	static const char warning[] = "event cycles: the modifiers D and e have no effect";

	for (int i = 0; i < 4; i++) {
		struct opened o;

		reset(NULL);
		event.pinned = i & 1;
		event.exclusive = !event.pinned;
		o = open_session(i < 2 ? NULL : "perf_event", NULL, 0, false);
		assert_int_equal(o.err, 0);
		assert_true(!strstr(o.log, warning) == (i >= 2));
		close_session(&o);
	}
	event.pinned = event.exclusive = false;
}

static void test_no_method(void **state)
{
	struct opened o;

	bperf.open_err = perf_event.open_err = -EPERM;
	perf_event.why = "nothing may be counted";
	o = open_session(NULL, NULL, 0, false);
	assert_int_equal(o.err, -EPERM);
	assert_non_null(strstr(o.log, "nothing may be counted"));
	close_session(&o);
}

static void test_no_event(void **state)
{
	struct opened o;

	bperf.no_event = true;
	o = open_session(NULL, NULL, 0, false);
	assert_int_equal(o.err, -ENODATA);
	assert_non_null(strstr(o.log, "cycles: made so"));
	assert_int_equal(bperf.closed, 1);
	close_session(&o);
}

/* ---- scopes that cannot be counted, and commands ---- */

static void test_refused_scope(void **state)
{
	static const __u64 pids[] = {11, 22, 33};
	struct opened o;

	bperf.refused_pid = 22;
	o = open_session(NULL, pids, 3, false);
	assert_int_equal(o.err, 0);
	assert_int_equal(bperf.begun, 1);
	assert_true(o.s->added[0] && !o.s->added[1] && o.s->added[2]);
	/* a scope that could not be added completely is removed again */
	assert_int_equal(bperf.removed[0], 0);
	assert_int_equal(bperf.removed[1], 1);
	assert_int_equal(o.s->scopes.skip_cnt, 1);
	assert_string_equal(o.s->scopes.skip[0].name, "22");
	assert_string_equal(o.s->scopes.skip[0].detail, "it is busy");
	assert_non_null(strstr(o.log, "process 22: it is busy"));
	assert_true(system_counting_ops.has_any(o.s));
	close_session(&o);
}

static void test_all_are_refused(void **state)
{
	static const __u64 pids[] = {22};
	struct opened o;

	bperf.refused_pid = 22;
	o = open_session(NULL, pids, 1, false);
	assert_int_equal(o.err, 0);
	assert_false(system_counting_ops.has_any(o.s));
	close_session(&o);
}

/* If bperf has no room for all scopes, perf_event counts them all. */
static void test_no_room(void **state)
{
	static const __u64 pids[] = {11, 22, 33};
	struct opened o;

	bperf.room = 2;
	o = open_session(NULL, pids, 3, false);
	assert_int_equal(o.err, 0);
	assert_non_null(strstr(o.log, "there is no room; counting with unshared perf events"));
	assert_int_equal(bperf.closed, 1);
	assert_int_equal(bperf.begun, bperf.ended);
	assert_ptr_equal(o.s->ops, &perf_event_ops);
	for (int i = 0; i < 3; i++)
		assert_true(perf_event.added[i] == 1 && o.s->added[i]);
	assert_int_equal(o.s->scopes.skip_cnt, 0);
	close_session(&o);
}

/* With --method bperf, the scopes without room are skipped, and only the first ones are named. */
static void test_no_room_in_method(void **state)
{
	static const __u64 pids[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct opened o;

	bperf.room = 2;
	o = open_session("bperf", pids, 8, false);
	assert_int_equal(o.err, 0);
	assert_ptr_equal(o.s->ops, &bperf_ops);
	assert_int_equal(o.s->scopes.skip_cnt, 6);
	assert_string_equal(o.s->scopes.skip[5].name, "8");
	assert_non_null(strstr(o.log, "process 5: there is no room"));
	assert_null(strstr(o.log, "process 6"));
	assert_non_null(strstr(o.log, "3 more: there is no room"));
	close_session(&o);
}

/* Each repeat starts a command of its own. */
static void test_command(void **state)
{
	struct opened o = open_session(NULL, NULL, 0, true);
	void *at;

	assert_int_equal(o.err, 0);
	assert_int_equal(bperf.added[0], 0);
	assert_true(system_counting_ops.has_any(o.s));
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(system_counting_ops.forked(o.s, 100 + i), 0);
		assert_int_equal(bperf.added[0], i);
		assert_int_equal(o.s->scopes.v[0].id, 100 + i);
		assert_int_equal(system_counting_ops.start(o.s, &at), 0);
		system_counting_ops.free(at);
		assert_int_equal(system_counting_ops.stop(o.s, &at), 0);
		system_counting_ops.free(at);
		assert_int_equal(bperf.removed[0], i);
	}
	close_session(&o);
}

/* ---- what is counted ---- */

static struct system_snapshot *at_counter(struct opened *o, __u64 counter,
					  int (*step)(void *arg, void **at))
{
	void *at;

	bperf.counter = counter;
	assert_int_equal(step(o->s, &at), 0);
	return at;
}

/*
 * Checks that all counts and all times in the snapshot are equal to "want", except running_ns,
 * which is 0.
 */
static void assert_all(struct opened *o, struct system_snapshot *at, __u64 want)
{
	for (size_t i = 0; i < system__at(o->s, o->s->scopes.cnt, 0, 0); i++) {
		assert_int_equal(at->v[i].counter, want);
		assert_int_equal(at->v[i].enabled_ns, want);
		assert_int_equal(at->v[i].running_ns, 0);
	}
	system_counting_ops.free(at);
}

/*
 * The method's counters are shared with other users, so they are never reset. They start with any
 * values, some just below 2^64.
 */
static void test_counting(void **state)
{
	static const __u64 pids[] = {11, 22};
	struct opened o = open_session(NULL, pids, 2, false);

	assert_int_equal(o.err, 0);
	assert_all(&o, at_counter(&o, 1, system_counting_ops.start), 0);
	assert_all(&o, at_counter(&o, 11, system_counting_ops.read), 10);
	assert_all(&o, at_counter(&o, 31, system_counting_ops.read), 30);
	assert_all(&o, at_counter(&o, 101, system_counting_ops.stop), 100);
	/* Between a stop and the next start, nothing is counted. */
	assert_all(&o, at_counter(&o, 5000, system_counting_ops.read), 100);
	assert_all(&o, at_counter(&o, 7000, system_counting_ops.start), 100);
	assert_all(&o, at_counter(&o, 7001, system_counting_ops.read), 101);
	assert_all(&o, at_counter(&o, 7010, system_counting_ops.stop), 110);
	assert_all(&o, at_counter(&o, 9000, system_counting_ops.read), 110);
	close_session(&o);
}

static void test_time(void **state)
{
	struct opened o = open_session(NULL, NULL, 0, false);
	struct system_snapshot *started = at_counter(&o, 0, system_counting_ops.start), *stopped,
			       *later;

	usleep(2000);
	stopped = at_counter(&o, 1, system_counting_ops.stop);
	usleep(2000);
	later = at_counter(&o, 2, system_counting_ops.read);
	assert_int_equal(started->ns, 0);
	assert_true(stopped->ns >= 2000000);
	assert_int_equal(later->ns, stopped->ns);
	system_counting_ops.free(started);
	system_counting_ops.free(stopped);
	system_counting_ops.free(later);
	close_session(&o);
}

static void test_read_error(void **state)
{
	struct opened o = open_session(NULL, NULL, 0, false);
	void *at = at_counter(&o, 0, system_counting_ops.start);

	system_counting_ops.free(at);
	bperf.read_err = -EIO;
	assert_int_equal(system_counting_ops.read(o.s, &at), -EIO);
	assert_int_equal(system_counting_ops.stop(o.s, &at), -EIO);
	close_session(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_method, reset),
		cmocka_unit_test_setup(test_modifiers, reset),
		cmocka_unit_test_setup(test_no_method, reset),
		cmocka_unit_test_setup(test_no_event, reset),
		cmocka_unit_test_setup(test_refused_scope, reset),
		cmocka_unit_test_setup(test_all_are_refused, reset),
		cmocka_unit_test_setup(test_no_room, reset),
		cmocka_unit_test_setup(test_no_room_in_method, reset),
		cmocka_unit_test_setup(test_command, reset),
		cmocka_unit_test_setup(test_counting, reset),
		cmocka_unit_test_setup(test_time, reset),
		cmocka_unit_test_setup(test_read_error, reset),
	};

	libbpf_set_print(NULL); /* libbpf's messages about this machine are not messages of bprof */
	return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
