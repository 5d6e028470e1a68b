/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop: waits for intervals, the time-out, signals and the command's end, and hands them to its
 * caller one by one. No work is done in signal handlers: signals come through a descriptor.
 *
 *	int ret = loop__begin(loop, &opts);
 *
 *	while ((event = loop__next(loop, ret)))
 *		ret = ...;
 *	err = loop__end(loop, &result);
 */
#ifndef BPROF_LOOP_H
#define BPROF_LOOP_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <linux/types.h>

struct loop_opts {
	__u64 delay_ms;		/* from the command's start (or the call) to LOOP_START */
	__u64 interval_ms;	/* 0: none */
	__u64 interval_count;	/* stop after this many; 0: no limit */
	__u64 timeout_ms;	/* from LOOP_START; 0: none */
	char **command;		/* NULL-terminated argv, or NULL */
	struct rlimit fd_limit; /* RLIMIT_NOFILE for the command; zeros: as it is */
	bool progress;		/* send LOOP_PROGRESS */
	__u64 first_tick_ms;	/* from LOOP_START to the first LOOP_TICK; 0: never */
	__u64 tick_ms;		/* from one LOOP_TICK to the next */
};

enum loop_event {
	LOOP_END,    /* no more events */
	LOOP_FORKED, /* the command is forked, and waits before its exec */
	LOOP_START,  /* after the delay; without one, the command still waits */
	LOOP_INTERVAL,
	LOOP_TICK,
	LOOP_READY,    /* after LOOP_START: the descriptor of loop__set_ready_fd() is readable */
	LOOP_PROGRESS, /* each second */
	LOOP_STOP,     /* the last one, if LOOP_START has succeeded */
};

struct loop_result {
	bool interrupted; /* by SIGINT, SIGTERM or SIGHUP */
	bool over;	  /* handling an event returned 1 */
	/* The command's exit status, or 128 + signal; 0 if bprof itself ended it. */
	int status;
};

struct loop;

/*
 * Takes over SIGINT, SIGTERM and SIGHUP: blocks them, so that they end a measurement and not the
 * process. Returns 0 or -errno.
 */
int loop__open(struct loop **out);
void loop__close(struct loop *l); /* NULL is fine; unblocks the signals */

/*
 * Begins one measurement and forks the command. o must live until loop__end(). Returns 0 or -errno
 * (reported): pass it to the first loop__next().
 */
int loop__begin(struct loop *l, const struct loop_opts *o);

/* Sets the caller's descriptor for LOOP_READY; -1 (the default): none. Call it until LOOP_START. */
void loop__set_ready_fd(struct loop *l, int fd);

/*
 * Waits for the next event. ret: what loop__begin(), or handling the previous event, returned. 0: go
 * on; -errno (reported) or 1 (nothing left to measure) end the measurement.
 */
enum loop_event loop__next(struct loop *l, int ret);

/* Returns the command's process id; valid at LOOP_FORKED. */
pid_t loop__command(const struct loop *l);

/* After LOOP_END: ends the command if it still runs. Returns 0 or the first -errno. */
int loop__end(struct loop *l, struct loop_result *result);

#endif
