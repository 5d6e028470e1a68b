// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the measurement loop with real timers, signals and commands. No test depends on how long
 * something takes: a test that needs an event waits for the event.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/util.h"
#include "tests/unit/capture.h"
#include "tests/unit/traced_loop.h"
#include "tests/unit/open_fds.h"

/*
 * The id of the process that was forked last. It is in memory shared with that process, which
 * writes it.
 */
static pid_t *child_pid;

/* While it is not 0, no timer can be set. */
static int settime_errno;

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	errno = settime_errno;
	return settime_errno ? -1 : syscall(SYS_timerfd_settime, fd, flags, new, old);
}

static void note_child(void)
{
	*child_pid = getpid();
}

static bool has_data(int fd)
{
	struct pollfd p = {fd, POLLIN, 0};

	return poll(&p, 1, 0) == 1;
}

/* Waits until the command writes a byte. */
static void wait_command(struct trace *t)
{
	char c;

	t->seen += read(t->out, &c, 1) == 1;
}

static void close_in(struct trace *t)
{
	close(t->in);
	t->in = -1;
}

static void raise_sigterm(struct trace *t)
{
	raise(SIGTERM);
}

/* ---- the command that is measured ---- */

static void test_exit_status(void **state)
{
	struct fixture *f = *state;
	static const int statuses[] = {0, 1, 3, 127, 255};
	char script[32];

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		snprintf(script, sizeof(script), "exit %d", statuses[i]);
		set_script(f, script);
		run(f);
		assert_int_equal(f->t.starts, 1);
		assert_int_equal(f->result.status, statuses[i]);
		assert_false(f->result.interrupted);
	}
}

static void test_killed_by_signal(void **state)
{
	struct fixture *f = *state;

	set_script(f, "kill -KILL $$");
	run(f);
	assert_int_equal(f->result.status, 128 + SIGKILL);
	/* a signal that bprof itself blocks */
	set_script(f, "kill -TERM $$");
	run(f);
	assert_int_equal(f->result.status, 128 + SIGTERM);
	assert_false(f->result.interrupted);
}

/* The signals that bprof blocks for itself are not blocked in the command. */
static void test_signal_mask_of_command(void **state)
{
	struct fixture *f = *state;

	set_script(f, "exec grep -q '^SigBlk:[[:space:]]*0*$' /proc/self/status");
	run(f);
	assert_int_equal(f->result.status, 0);
}

/* If the kernel keeps no exit status, the loop fails: the command may have failed. */
static void test_lost_status(void **state)
{
	struct fixture *f = *state;
	struct capture c;
	char *log;
	int got;

	signal(SIGCHLD, SIG_IGN);
	set_script(f, "exit 7");
	capture__begin(&c, stderr);
	got = run_loop(f);
	log = capture__end(&c);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(got, -EIO);
	assert_string_equal(log, "bprof: sh: its exit status is unknown: No child processes\n");
	free(log);
	assert_no_child();
}

/* The command does not inherit the limit of file descriptors that bprof raised for itself. */
static void test_fd_limit_of_command(void **state)
{
	struct fixture *f = *state;
	struct rlimit own, lower;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &own), 0);
	lower = (struct rlimit){200, own.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
	set_script(f, "exit $(ulimit -n)");
	run(f);
	assert_int_equal(f->result.status, 200);
	f->o.fd_limit = (struct rlimit){100, own.rlim_max};
	run(f);
	assert_int_equal(f->result.status, 100);
	/* in this process, the limit is unchanged */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &lower), 0);
	assert_int_equal(lower.rlim_cur, 200);
	setrlimit(RLIMIT_NOFILE, &own);
}

static void check_refused(struct fixture *f, char *command, int status, const char *text)
{
	struct capture c;
	char *log;
	int got;

	f->argv[0] = command;
	f->o.command = f->argv;
	f->t.starts = f->t.stops = 0;
	capture__begin(&c, stderr);
	got = run_loop(f);
	log = capture__end(&c);
	assert_string_equal(log, text);
	free(log);
	assert_int_equal(got, -ECHILD);
	assert_int_equal(f->result.status, status);
	assert_false(f->result.interrupted);
	assert_int_equal(f->t.stops, f->t.starts);
	assert_no_child();
}

static void test_cannot_be_executed(void **state)
{
	struct fixture *f = *state;

	check_refused(f, "/nonexistent/command", EXIT_NOT_FOUND,
		      "bprof: /nonexistent/command: cannot be executed: "
		      "No such file or directory\n");
	check_refused(f, "no-such-command-in-path", EXIT_NOT_FOUND,
		      "bprof: no-such-command-in-path: cannot be executed: "
		      "No such file or directory\n");
	check_refused(f, "/", EXIT_NOT_EXECUTABLE,
		      "bprof: /: cannot be executed: Permission denied\n");
	/* the error is reported at once, not after the delay */
	f->o.delay_ns = NEVER_NS;
	check_refused(f, "/nonexistent/command", EXIT_NOT_FOUND,
		      "bprof: /nonexistent/command: cannot be executed: "
		      "No such file or directory\n");
	assert_int_equal(f->t.starts, 0);
}

/* Returns the state of the process that was forked last: a letter of /proc/PID/stat, or 0. */
static char child_state(void)
{
	char path[64], *stat, state;

	snprintf(path, sizeof(path), "/proc/%d/stat", *child_pid);
	/* *child_pid is 0 until the forked process runs */
	if (!*child_pid || read_file(path, &stat))
		return 0;
	state = strrchr(stat, ')')[2];
	free(stat);
	return state;
}

/*
 * Checks that the forked process still runs this test's executable, which means that it has not
 * called execve(). First waits until the process sleeps or has ended.
 */
static void check_held_back(struct trace *t)
{
	struct stat own, exe;
	char path[64];

	do {
		sched_yield();
		t->seen = child_state();
	} while (t->seen != 'S' && t->seen != 'Z');
	snprintf(path, sizeof(path), "/proc/%d/exe", *child_pid);
	/* compares files, not names: only other processes see the name of the qemu-user file */
	t->seen = !stat(path, &exe) && !stat("/proc/self/exe", &own) && exe.st_dev == own.st_dev &&
		  exe.st_ino == own.st_ino;
	close_in(t);
}

static void test_start_before_command(void **state)
{
	struct fixture *f = *state;

	*child_pid = 0;
	set_endless_script(f);
	f->t.on_start = check_held_back;
	run(f);
	assert_true(f->t.seen);
	/* LOOP_FORKED came before LOOP_START, with the command's id */
	assert_int_equal(f->t.command, *child_pid);
	assert_false(f->t.early);
	assert_int_equal(f->result.status, 0);
}

static void note_data(struct trace *t)
{
	t->seen = has_data(t->out);
}

static void test_stop_after_command(void **state)
{
	struct fixture *f = *state;

	/* writing this byte is the last thing that the command does */
	set_script(f, "eval \"echo >&$OUT\"");
	f->t.on_stop = note_data;
	run(f);
	assert_true(f->t.seen);
}

/* ---- intervals, timeout, delay ---- */

/* The last interval ends with LOOP_STOP, without a LOOP_INTERVAL. */
static void test_interval_count(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	for (int cnt = 1; cnt <= 4; cnt++) {
		f->o.interval_count = cnt;
		run(f);
		assert_int_equal(f->t.starts, 1);
		assert_int_equal(f->t.intervals, cnt - 1);
		assert_false(f->result.interrupted);
	}
}

static void test_interval_count_ends_command(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	f->o.interval_count = 2;
	set_endless_script(f);
	run(f);
	assert_int_equal(f->t.intervals, 1);
	/*
	 * the end of the last interval also ended the command, whose status is therefore not a
	 * failure
	 */
	assert_int_equal(f->result.status, 0);
	assert_false(f->result.interrupted);
}

static void close_in_at_third(struct trace *t)
{
	if (t->intervals == 3)
		close_in(t);
}

/* If the number of intervals is not limited, intervals go on until the command ends. */
static void test_intervals_until_command_ends(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	set_script(f, "eval \"cat <&$IN\"; exit 5");
	f->t.on_interval = close_in_at_third;
	run(f);
	assert_true(f->t.intervals >= 3);
	assert_int_equal(f->result.status, 5);
}

static void test_interval_fails(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	f->t.fail_at = 2;
	f->t.interval_err = -ENOSPC;
	set_endless_script(f);
	assert_int_equal(run_loop(f), -ENOSPC);
	assert_int_equal(f->t.intervals, 2);
	assert_int_equal(f->t.starts, 1);
	assert_int_equal(f->t.stops, 1);
	assert_no_child();
}

/* The error of the stop is returned, unless an interval failed before. */
static void test_stop_fails(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	f->o.interval_count = 2;
	f->t.stop_err = -ENOMEM;
	assert_int_equal(run_loop(f), -ENOMEM);
	assert_int_equal(f->t.stops, 1);
	f->t.fail_at = 2;
	f->t.interval_err = -ENOSPC;
	assert_int_equal(run_loop(f), -ENOSPC);
	assert_int_equal(f->t.stops, 2);
}

static void test_timeout(void **state)
{
	struct fixture *f = *state;

	f->o.timeout_ns = 1 * NSEC_PER_MSEC;
	f->o.interval_ns = NEVER_NS;
	run(f);
	assert_int_equal(f->t.starts, 1);
	assert_int_equal(f->t.intervals, 0);
	assert_false(f->result.interrupted);
	/* the timeout ends a command that is still running, and ignores its exit status */
	set_endless_script(f);
	run(f);
	assert_int_equal(f->t.starts, 1);
	assert_int_equal(f->result.status, 0);
	assert_false(f->result.interrupted);
}

static void wait_command_and_close(struct trace *t)
{
	wait_command(t);
	close_in(t);
}

/*
 * With a delay (-D), the loop starts the command first. It returns LOOP_START after the delay.
 * Here, on_start() waits for a byte from the command.
 */
static void test_delay(void **state)
{
	struct fixture *f = *state;

	f->o.delay_ns = 1 * NSEC_PER_MSEC;
	set_script(f, "eval \"echo >&$OUT; cat <&$IN\"; exit 4");
	f->t.on_start = wait_command_and_close;
	run(f);
	assert_int_equal(f->t.starts, 1);
	assert_int_equal(f->t.seen, 1);
	assert_int_equal(f->t.command, *child_pid);
	assert_int_equal(f->result.status, 4);
	/* the timeout is counted from LOOP_START, not from the beginning of the delay */
	f->t.on_start = NULL;
	f->o = (struct loop_opts){.delay_ns = 20 * NSEC_PER_MSEC, .timeout_ns = 1 * NSEC_PER_MSEC};
	run(f);
	assert_int_equal(f->t.starts, 1);
}

static void test_command_ends_before_delay(void **state)
{
	struct fixture *f = *state;

	f->o.delay_ns = NEVER_NS;
	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	set_script(f, "exit 6");
	run(f);
	assert_int_equal(f->t.starts, 0);
	assert_int_equal(f->t.intervals, 0);
	assert_int_equal(f->result.status, 6);
	assert_false(f->result.interrupted);
}

/* Progress is reported each second, also during the delay. */
static void test_progress(void **state)
{
	struct fixture *f = *state;

	f->o.delay_ns = NEVER_NS;
	f->o.progress = true;
	f->t.on_progress = raise_sigterm;
	run(f);
	assert_int_equal(f->t.progresses, 1);
	assert_int_equal(f->t.starts, 0);
	assert_true(f->result.interrupted);
}

/*
 * The first tick comes after first_tick_ns, and then one tick every tick_ns. All ticks come between
 * LOOP_START and LOOP_STOP.
 */
static void test_ticks(void **state)
{
	struct fixture *f = *state;

	f->o.first_tick_ns = f->o.tick_ns = 1 * NSEC_PER_MSEC;
	f->o.delay_ns = 5 * NSEC_PER_MSEC;
	f->t.over_at = 3;
	run(f);
	assert_int_equal(f->t.ticks, 3);
	/* the time of the first tick does not depend on tick_ns */
	f->o.tick_ns = NEVER_NS;
	f->t.over_at = 1;
	run(f);
	assert_int_equal(f->t.ticks, 1);
	f->t.over_at = 0;
	/* there are no ticks unless they are requested */
	f->o = (struct loop_opts){.timeout_ns = 5 * NSEC_PER_MSEC};
	run(f);
	assert_int_equal(f->t.ticks, 0);
}

static void test_tick_ends_it(void **state)
{
	struct fixture *f = *state;

	f->o.first_tick_ns = f->o.tick_ns = 1 * NSEC_PER_MSEC;
	f->t.over_at = 2;
	run(f);
	assert_int_equal(f->t.ticks, 2);
	assert_true(f->result.over);
	assert_false(f->result.interrupted);
	/* a tick that fails ends the loop, too */
	f->t.ticks = f->t.stops = f->t.starts = 0;
	f->t.tick_err = -ENOMEM;
	assert_int_equal(run_loop(f), -ENOMEM);
	assert_int_equal(f->t.ticks, 2);
	assert_int_equal(f->t.stops, 1);
	assert_false(f->result.over);
	/* result.over is set only if a tick ended the loop */
	f->t.over_at = 0;
	f->o.timeout_ns = 5 * NSEC_PER_MSEC;
	run(f);
	assert_false(f->result.over);
}

/* ---- signals that end the loop ---- */

static void raise_seen(struct trace *t)
{
	raise(t->seen);
}

static void test_signals(void **state)
{
	struct fixture *f = *state;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	f->t.on_start = raise_seen;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		f->t.seen = signals[i];
		f->o.command = NULL;
		run(f);
		assert_int_equal(f->t.starts, 1);
		assert_true(f->result.interrupted);
		/* the signal also ends the command, whose status is therefore not a failure */
		set_endless_script(f);
		run(f);
		assert_true(f->result.interrupted);
		assert_int_equal(f->result.status, 0);
	}
}

/* A command of bprof that does not wait in the loop asks whether a signal has arrived. */
static void test_interrupted(void **state)
{
	struct loop *l;

	assert_int_equal(loop__open(&l), 0);
	assert_false(loop__interrupted(l));
	raise(SIGTERM);
	assert_true(loop__interrupted(l));
	assert_false(loop__interrupted(l));
	loop__close(l);
}

/* The signal is sent by another process, here by the command. */
static void test_signal_by_command(void **state)
{
	struct fixture *f = *state;

	set_script(f, "kill -INT $PPID; eval \"exec cat <&$IN\"");
	run(f);
	assert_true(f->result.interrupted);
	assert_int_equal(f->result.status, 0);
}

static void wait_and_raise(struct trace *t)
{
	if (t->seen)
		return; /* the signal was raised in an earlier interval */
	wait_command(t);
	raise(SIGTERM);
}

/* If the command ignores SIGTERM, a second signal from the user kills it. */
static void test_second_signal_kills(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	f->t.on_interval = wait_and_raise;
	f->t.on_stop = raise_sigterm;
	set_script(f, "trap '' TERM; eval \"echo >&$OUT; exec cat <&$IN\"");
	run(f);
	assert_int_equal(f->t.seen, 1);
	assert_true(f->result.interrupted);
}

static void end_when_stopped(struct trace *t)
{
	if (!t->seen && child_state() == 'T')
		t->seen = !raise(SIGTERM);
}

/* A command that has stopped itself is ended, too. */
static void test_stopped_command(void **state)
{
	struct fixture *f = *state;

	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	f->t.on_interval = end_when_stopped;
	set_script(f, "kill -STOP $$; exec sleep 1000");
	run(f);
	assert_true(f->result.interrupted);
	assert_int_equal(f->result.status, 0);
}

static void write_to_broken_pipe(struct trace *t)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	assert_int_equal(write(fds[1], "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	close(fds[1]);
	raise(SIGTERM);
}

/* SIGPIPE kills bprof only after the loop, which ends the command. */
static void test_sigpipe(void **state)
{
	struct fixture *f = *state;
	sigset_t pending;

	f->t.on_start = write_to_broken_pipe;
	set_endless_script(f);
	run(f);
	assert_int_equal(sigpending(&pending), 0);
	assert_true(sigismember(&pending, SIGPIPE));
	/* this discards the signal, which would kill the test at its end */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
}

/* A signal that arrives between two runs of the loop is not lost. */
static void test_signal_between_runs(void **state)
{
	struct fixture *f = *state;

	f->o.timeout_ns = 1 * NSEC_PER_MSEC;
	run(f);
	assert_false(f->result.interrupted);
	raise(SIGINT);
	f->o.timeout_ns = 0;
	run(f);
	assert_true(f->result.interrupted);
	f->o.timeout_ns = 1 * NSEC_PER_MSEC;
	run(f);
	assert_false(f->result.interrupted);
}

/* A second signal that arrives while a command ends does not kill it. */
static void test_second_signal_at_end(void **state)
{
	struct loop *l;

	assert_int_equal(loop__open(&l), 0);
	raise(SIGHUP);
	raise(SIGINT);
	loop__close(l);
}

static bool is_blocked(int sig)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, sig);
}

static void test_signals_are_given_back(void **state)
{
	struct loop *l = NULL;
	sigset_t some;

	sigemptyset(&some);
	sigaddset(&some, SIGHUP);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_SETMASK, &some, NULL);
	assert_int_equal(loop__open(&l), 0);
	assert_true(is_blocked(SIGINT) && is_blocked(SIGTERM) && is_blocked(SIGHUP));
	assert_true(is_blocked(SIGUSR1));
	assert_false(is_blocked(SIGUSR2));
	loop__close(l);
	/*
	 * the old mask is restored: SIGHUP and SIGUSR1 were blocked before the loop, and still are
	 */
	assert_false(is_blocked(SIGINT) || is_blocked(SIGTERM));
	assert_true(is_blocked(SIGHUP) && is_blocked(SIGUSR1));
	assert_false(is_blocked(SIGUSR2));
	loop__close(NULL);
	sigemptyset(&some);
	sigprocmask(SIG_SETMASK, &some, NULL);
}

/* ---- repeated runs of one loop ---- */

static void test_runs_in_a_row(void **state)
{
	struct fixture *f = *state;
	int fds = count_fds();

	for (int i = 0; i < 3; i++) {
		f->o = (struct loop_opts){.interval_ns = NEVER_NS, .timeout_ns = NEVER_NS};
		set_script(f, "exit 3");
		run(f);
		assert_int_equal(f->t.starts, 1);
		assert_int_equal(f->result.status, 3);
		/*
		 * this run keeps nothing of the run before: it has no command, and its intervals
		 * are counted from 0
		 */
		f->o = (struct loop_opts){.interval_ns = 1 * NSEC_PER_MSEC,
					  .interval_count = 3,
					  .delay_ns = 1 * NSEC_PER_MSEC};
		run(f);
		assert_int_equal(f->t.starts, 1);
		assert_int_equal(f->t.intervals, 2);
		assert_int_equal(f->result.status, 0);
		assert_int_equal(count_fds(), fds);
	}
	/* a run that fails leaves no open descriptors, either */
	check_refused(f, "/", EXIT_NOT_EXECUTABLE,
		      "bprof: /: cannot be executed: Permission denied\n");
	assert_int_equal(count_fds(), fds);
}

/* If the timeout cannot be set, the loop fails, as it might never end. */
static void test_timer_refused(void **state)
{
	struct fixture *f = *state;
	int fds = count_fds(), err;
	struct capture c;
	char *text;

	f->o = (struct loop_opts){.timeout_ns = NEVER_NS};
	capture__begin(&c, stderr);
	settime_errno = EINVAL;
	err = run_loop(f);
	settime_errno = 0;
	text = capture__end(&c);
	assert_int_equal(err, -EINVAL);
	assert_string_equal(text, "bprof: cannot set a timer: Invalid argument\n");
	assert_int_equal(count_fds(), fds);
	free(text);
}

#define LOOP_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

/* ---- a descriptor that the caller passes ---- */

static int take_byte(struct trace *t)
{
	assert_int_equal(t->starts, 1);
	wait_command(t);
	return t->seen == 3 ? -ECANCELED : 0;
}

/*
 * LOOP_READY is repeated until the callback fails, which ends the loop. The loop does not close the
 * caller's descriptor.
 */
static void test_ready(void **state)
{
	struct fixture *f = *state;

	f->t.on_ready = take_byte;
	f->ready_fd = f->t.out;
	set_script(f, "printf abc >&$OUT; eval \"exec cat <&$IN\"");
	assert_int_equal(run_loop(f), -ECANCELED);
	assert_int_equal(f->t.seen, 3);
	assert_int_equal(f->t.stops, 1);
	assert_int_not_equal(fcntl(f->t.out, F_GETFD), -1);
	assert_no_child();
}

static int take_input(struct trace *t, struct loop *loop)
{
	return take_byte(t);
}

/* LOOP_INPUT works like LOOP_READY (test_ready()), also if both have a descriptor. */
static void test_input(void **state)
{
	struct fixture *f = *state;

	f->t.on_input = take_input;
	f->input_fd = f->t.out;
	f->ready_fd = f->cmd_in; /* nothing is written to it */
	set_script(f, "printf abc >&$OUT; eval \"exec cat <&$IN\"");
	assert_int_equal(run_loop(f), -ECANCELED);
	assert_int_equal(f->t.seen, 3);
	assert_int_equal(f->t.stops, 1);
	assert_int_not_equal(fcntl(f->t.out, F_GETFD), -1);
	assert_int_not_equal(fcntl(f->cmd_in, F_GETFD), -1);
	assert_no_child();
}

static int end_at_hangup(struct trace *t, struct loop *loop)
{
	char c;

	t->seen++;
	return read(t->out, &c, 1) == 1 ? 0 : 1;
}

/* A descriptor whose other end is closed is reported, so that the caller can end. */
static void test_input_hangup(void **state)
{
	struct fixture *f = *state;

	close(f->cmd_out);
	f->cmd_out = dup(f->cmd_in);
	f->t.on_input = end_at_hangup;
	f->input_fd = f->t.out;
	run(f);
	assert_int_equal(f->t.seen, 1);
	assert_true(f->result.over);
}

/* Takes a byte of input: it is the new length of the intervals, in ms. */
static int take_interval_length(struct trace *t, struct loop *loop)
{
	char ms;

	assert_int_equal(read(t->out, &ms, 1), 1);
	return loop__set_interval(loop, ms * NSEC_PER_MSEC);
}

static void raise_at_second_interval(struct trace *t)
{
	if (t->intervals == 2)
		raise(SIGTERM);
}

/* Intervals can be made shorter, and begun where there were none. */
static void test_set_interval(void **state)
{
	struct fixture *f = *state;

	f->t.on_input = take_interval_length;
	f->input_fd = f->t.out;
	f->t.on_interval = raise_at_second_interval;
	for (int i = 0; i < 2; i++) {
		f->o.interval_ns = i ? NEVER_NS : 0;
		assert_int_equal(write(f->cmd_out, "\1", 1), 1);
		run(f);
		/* the signal may come at the same time as the end of the third interval */
		assert_true(f->t.intervals >= 2);
		assert_true(f->result.interrupted);
	}
}

static void stop_intervals(struct trace *t)
{
	if (t->intervals == 2)
		assert_int_equal(write(t->in, "", 1), 1);
}

static int take_and_count(struct trace *t, struct loop *loop)
{
	struct sigevent term = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
	struct itimerspec end = {.it_value.tv_nsec = 20 * NSEC_PER_MSEC};
	int err = take_interval_length(t, loop);
	timer_t timer;

	t->seen = t->intervals;
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &term, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &end, NULL), 0);
	return err;
}

/* There are no intervals after their length is set to 0. */
static void test_end_intervals(void **state)
{
	struct fixture *f = *state;

	close(f->t.in);
	f->t.in = dup(f->cmd_out);
	f->t.on_input = take_and_count;
	f->input_fd = f->t.out;
	f->t.on_interval = stop_intervals;
	f->o.interval_ns = 1 * NSEC_PER_MSEC;
	run(f);
	assert_true(f->result.interrupted);
	assert_true(f->t.intervals >= 2);
	assert_int_equal(f->t.intervals, f->t.seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOP_TEST(test_exit_status),
		LOOP_TEST(test_killed_by_signal),
		LOOP_TEST(test_signal_mask_of_command),
		LOOP_TEST(test_lost_status),
		LOOP_TEST(test_fd_limit_of_command),
		LOOP_TEST(test_cannot_be_executed),
		LOOP_TEST(test_start_before_command),
		LOOP_TEST(test_stop_after_command),
		LOOP_TEST(test_interval_count),
		LOOP_TEST(test_interval_count_ends_command),
		LOOP_TEST(test_intervals_until_command_ends),
		LOOP_TEST(test_interval_fails),
		LOOP_TEST(test_stop_fails),
		LOOP_TEST(test_timeout),
		LOOP_TEST(test_delay),
		LOOP_TEST(test_command_ends_before_delay),
		LOOP_TEST(test_progress),
		LOOP_TEST(test_ticks),
		LOOP_TEST(test_tick_ends_it),
		LOOP_TEST(test_interrupted),
		LOOP_TEST(test_signals),
		LOOP_TEST(test_signal_by_command),
		LOOP_TEST(test_second_signal_kills),
		LOOP_TEST(test_stopped_command),
		LOOP_TEST(test_sigpipe),
		LOOP_TEST(test_signal_between_runs),
		cmocka_unit_test(test_second_signal_at_end),
		cmocka_unit_test(test_signals_are_given_back),
		LOOP_TEST(test_runs_in_a_row),
		LOOP_TEST(test_timer_refused),
		LOOP_TEST(test_ready),
		LOOP_TEST(test_input),
		LOOP_TEST(test_input_hangup),
		LOOP_TEST(test_set_interval),
		LOOP_TEST(test_end_intervals),
	};

	child_pid = mmap(NULL, sizeof(*child_pid), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child_pid == MAP_FAILED || pthread_atfork(NULL, NULL, note_child))
		return 1;
	/* If a loop never ends, the alarm makes the test fail. */
	alarm(300);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
