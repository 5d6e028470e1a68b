// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --calls with hundreds of programs, with several sessions at once, and with sessions that are killed
 * while others measure the same functions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/kernel/harness.h"

/*
 * The programs of tests/progs/many_calls.bpf.c, and the maximum number of programs whose calls are
 * measured.
 */
#define PROGS 300
#define CALLERS 255
/* The number of measured programs that run. The i-th of them, counted from 0, runs i + 1 times. */
#define DRIVEN 20
/* Number of kernel functions that each program calls. */
#define FUNCS 3
#define SESSIONS 2

static void load_progs(struct fixture *f, struct target *t)
{
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/many_calls.bpf.o");
	char name[32];

	assert_non_null(obj);
	for (int i = 0; i < PROGS; i++) {
		snprintf(name, sizeof(name), "xdp_calls_%03d", i);
		t[i] = program_of(obj, name);
	}
}

/*
 * Returns the number of rows of called functions. Sets *called to the number of those that were
 * called.
 */
static int count_called(const struct run *r, int *called)
{
	json_t *rows = json_object_get(r->json, "programs"), *row;
	int cnt = 0;

	*called = 0;
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		if (!json_is_true(json_object_get(row, "called")))
			continue;
		cnt++;
		*called += num(row, "measured") > 0;
	}
	return cnt;
}

static void assert_calls_of(const struct run *r, struct target t, json_int_t runs)
{
	json_t *rows = json_object_get(r->json, "programs"), *row;
	int cnt = 0;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		if (num(row, "id") != t.id)
			continue;
		cnt++;
		if (num(row, "measured") != runs)
			fail_test("%s of %u: %lld of %lld", str(row, "func"), t.id,
				  (long long)num(row, "measured"), (long long)runs);
	}
	assert_int_equal(cnt, 1 + FUNCS);
}

/* Returns how often the text is in a string. */
static int count_text(const char *s, const char *text)
{
	int cnt = 0;

	for (; (s = strstr(s, text)); s += strlen(text))
		cnt++;
	return cnt;
}

/* Measures all programs and their calls, while some of them run. */
static struct run *measure_all(struct fixture *f, const struct target *t, const char *options)
{
	char runs[MAX_TEXT / 4] = "";

	for (int i = 0; i < DRIVEN; i++)
		sprintf(runs + strlen(runs), " %u:%d", t[i * (CALLERS / DRIVEN)].id, i + 1);
	return bprof(f, "-j --name 'xdp_calls_*' --calls '*' -e %s %s -- drive testrun%s",
		     machine_event(), options, runs);
}

static void check_driven_calls(const struct run *r, const struct target *t)
{
	int called;

	assert_status(r, 0);
	assert_in_range(count_called(r, &called), CALLERS * FUNCS, CALLERS * (FUNCS + 1));
	assert_int_equal(called, DRIVEN * FUNCS);
	for (int i = 0; i < DRIVEN; i++)
		assert_calls_of(r, t[i * (CALLERS / DRIVEN)], i + 1);
}

/*
 * All programs share one probe for each function. For each reason, one line says what is not
 * measured.
 */
static void test_many(void **state)
{
	struct fixture *f = *state;
	static struct target t[PROGS];
	struct run *r;

	load_progs(f, t);
	r = measure_all(f, t, "");
	check_driven_calls(r, t);
	r = measure_all(f, t, "--max-memory 4M");
	assert_status(r, 0);
	assert_true(num(r->json, "memory.counts_bytes") <= 4 << 20);
	r = command(f, "bprof -o - --name 'xdp_calls_*' --calls '*' -e %s -- drive testrun %u:5",
		    machine_event(), t[0].id);
	assert_status(r, 0);
	if (count_text(r->out, "more than 255 functions make calls") != 1)
		fail_test("not one line: %s", r->out);
}

/* Sessions that measure the same calls count the same numbers, and leave nothing behind. */
static void test_sessions(void **state)
{
	struct fixture *f = *state;
	static struct target t[PROGS];
	struct child *c[SESSIONS];

	load_progs(f, t);
	for (int i = 0; i < SESSIONS; i++) {
		c[i] = bprof_start(f, "-j -I 100 -b %u --calls '*' -e %s", t[0].id,
				   machine_event());
		child_line(c[i]);
	}
	check_driven_calls(measure_all(f, t, ""), t);
	for (int i = 0; i < SESSIONS; i++) {
		child_signal(c[i], i ? SIGKILL : SIGINT);
		child_wait(f, c[i]);
	}
}

/*
 * A session with many probes is killed at many moments. teardown() checks that it leaves nothing
 * behind.
 */
static void test_killed(void **state)
{
	struct fixture *f = *state;
	static struct target t[PROGS];

	load_progs(f, t);
	for (int i = 1; i <= 20; i++) {
		const struct timespec pause = {.tv_sec = i / 5, .tv_nsec = i % 5 * 200000000L};
		struct child *c = bprof_start(f, "-j --name 'xdp_calls_*' --calls '*' -e %s",
					      machine_event());

		nanosleep(&pause, NULL);
		child_signal(c, SIGKILL);
		child_wait(f, c);
	}
	check_driven_calls(measure_all(f, t, ""), t);
}

KTEST_GROUP(many_calls, "--calls of hundreds of programs, in several sessions", NULL,
	    ON(SMP4, FROM(6.12), LONG), KTEST(test_many), KTEST(test_sessions), KTEST(test_killed));
