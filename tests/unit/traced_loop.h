/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A measurement loop whose events are counted, and commands that a test can wait for and let
 * continue. For the tests of the loop.
 */
#ifndef BPROF_TEST_TRACED_LOOP_H
#define BPROF_TEST_TRACED_LOOP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/loop.h"

/* A time that is longer than any test. */
#define NEVER_NS (1ULL << 60)

/* Counts the loop's events, and says how the test reacts to each of them. */
struct trace {
	int starts, stops, intervals, progresses, ticks;
	bool interval_outside; /* an interval or a tick came before the start or after the stop */
	void (*on_start)(struct trace *t);
	void (*on_stop)(struct trace *t);
	void (*on_interval)(struct trace *t);
	void (*on_progress)(struct trace *t);
	int (*on_ready)(struct trace *t);
	int (*on_input)(struct trace *t, struct loop *loop);
	int stop_err;		   /* what the test returns for LOOP_STOP */
	int fail_at, interval_err; /* number of the interval that fails, and its error */
	int in;		       /* test's end of the pipe that the command reads from; -1: closed */
	int out;	       /* test's end of the pipe that the command writes to */
	pid_t command;	       /* command's process id, set by LOOP_FORKED */
	bool early;	       /* true if LOOP_START came before LOOP_FORKED */
	int over_at, tick_err; /* tick that ends the loop, or fails with tick_err */
	int seen;	       /* used by the test's callbacks */
};

struct fixture {
	struct loop *loop;
	struct trace t;
	struct loop_opts o;
	int ready_fd, input_fd;
	struct loop_result result;
	sigset_t old_mask;
	int cmd_in, cmd_out; /* the command's ends of the pipes: IN and OUT in the script */
	char script[256];
	char *argv[4];
};

static inline int take_tick(struct trace *t)
{
	t->ticks++;
	t->interval_outside |= t->starts != 1 || t->stops;
	if (t->ticks != t->over_at)
		return 0;
	return t->tick_err ? t->tick_err : 1;
}

static inline int take_interval(struct trace *t)
{
	t->intervals++;
	t->interval_outside |= t->starts != 1 || t->stops;
	if (t->on_interval)
		t->on_interval(t);
	return t->intervals == t->fail_at ? t->interval_err : 0;
}

static inline void count_event(struct trace *t, int *cnt, void (*on)(struct trace *t))
{
	++*cnt;
	if (on)
		on(t);
}

static inline int take_event(struct trace *t, enum loop_event event, struct loop *loop)
{
	switch (event) {
	case LOOP_FORKED:
		t->command = loop__command(loop);
		t->early |= t->starts;
		return 0;
	case LOOP_START:
		count_event(t, &t->starts, t->on_start);
		return 0;
	case LOOP_INTERVAL:
		return take_interval(t);
	case LOOP_TICK:
		return take_tick(t);
	case LOOP_READY:
		return t->on_ready(t);
	case LOOP_INPUT:
		return t->on_input(t, loop);
	case LOOP_PROGRESS:
		count_event(t, &t->progresses, t->on_progress);
		return 0;
	case LOOP_STOP:
		count_event(t, &t->stops, t->on_stop);
		return t->stop_err;
	case LOOP_END:
		break;
	}
	return 0;
}

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int in[2], out[2];
	sigset_t none;

	if (!f)
		return -1;
	*state = f;
	f->ready_fd = f->input_fd = -1;
	if (pipe(in) || pipe(out))
		return -1;
	/* the command must inherit only its own ends of the pipes */
	f->cmd_in = in[0];
	f->t.in = in[1];
	f->cmd_out = out[1];
	f->t.out = out[0];
	fcntl(f->t.in, F_SETFD, FD_CLOEXEC);
	fcntl(f->t.out, F_SETFD, FD_CLOEXEC);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, &f->old_mask);
	return loop__open(&f->loop);
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	loop__close(f->loop);
	sigprocmask(SIG_SETMASK, &f->old_mask, NULL);
	if (f->t.in >= 0)
		close(f->t.in);
	close(f->t.out);
	close(f->cmd_in);
	close(f->cmd_out);
	free(f);
	return 0;
}

/* Makes the loop's command run this shell script. In the script, <&$IN and >&$OUT are the pipes. */
static inline void set_script(struct fixture *f, const char *script)
{
	snprintf(f->script, sizeof(f->script), "IN=%d OUT=%d; %s", f->cmd_in, f->cmd_out, script);
	f->argv[0] = "sh";
	f->argv[1] = "-c";
	f->argv[2] = f->script;
	f->o.command = f->argv;
}

/* Sets a script that never ends by itself: it reads from a pipe that the test never writes to. */
static inline void set_endless_script(struct fixture *f)
{
	set_script(f, "eval \"exec cat <&$IN\"");
}

static inline void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Runs the loop to its end. Returns the result of loop__end(). */
static inline int run_loop(struct fixture *f)
{
	enum loop_event event;
	int ret = loop__begin(f->loop, &f->o);

	loop__set_ready_fd(f->loop, f->ready_fd);
	loop__set_input_fd(f->loop, f->input_fd);
	while ((event = loop__next(f->loop, ret)))
		ret = take_event(&f->t, event, f->loop);
	return loop__end(f->loop, &f->result);
}

static inline void run(struct fixture *f)
{
	f->t.starts = f->t.stops = f->t.intervals = f->t.ticks = 0;
	/* values that the loop must overwrite */
	f->result = (struct loop_result){.interrupted = true, .over = true, .status = 77};
	assert_int_equal(run_loop(f), 0);
	assert_int_equal(f->t.stops, f->t.starts);
	assert_false(f->t.interval_outside);
	assert_no_child();
}

#endif
