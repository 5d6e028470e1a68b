/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop: waits for the ends of intervals, the timeout, signals and the exit of the command, and
 * returns one event after the other to its caller. It reads signals from a descriptor and installs
 * no signal handlers.
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

#include "kernel/privileges.h"

struct loop_opts {
	__u64 delay_ns;	   /* length of the delay before LOOP_START; the command runs meanwhile */
	bool early_input;  /* LOOP_INPUT also comes during the delay */
	__u64 interval_ns; /* length of an interval; 0: no intervals */
	__u64 interval_count; /* number of intervals after which to stop; 0: no limit */
	__u64 timeout_ns;     /* time from LOOP_START to LOOP_STOP; 0: no timeout */
	char **command;	      /* NULL-terminated argv of the command, or NULL */
	/*
	 * The user whose identity the command gets. NULL: the user who called sudo or, without
	 * sudo, the current user.
	 */
	const char *user;
	/*
	 * The privileges that this process keeps. It drops all others before LOOP_START, when the
	 * last command has been forked.
	 */
	struct privileges_use privileges;
	bool keep_privileges;	/* --keep-privileges: see loop_opts__set_privileges() */
	bool again;		/* the caller will fork another command after this measurement */
	struct rlimit fd_limit; /* RLIMIT_NOFILE for the command; all zeros: do not change it */
	bool progress;		/* whether to send LOOP_PROGRESS */
	__u64 first_tick_ns;	/* time from LOOP_START to the first LOOP_TICK; 0: no ticks */
	__u64 tick_ns;		/* time from one LOOP_TICK to the next */
};

enum loop_event {
	LOOP_END,      /* there are no more events */
	LOOP_FORKED,   /* the command is forked, and waits before its exec */
	LOOP_START,    /* the delay is over; without a delay, the command starts after this event */
	LOOP_INTERVAL, /* an interval has ended */
	LOOP_TICK,     /* the time first_tick_ns or tick_ns is over */
	LOOP_READY,    /* the descriptor of loop__set_ready_fd() is readable; after LOOP_START */
	LOOP_INPUT,    /* the descriptor of loop__set_input_fd() is readable; see early_input */
	LOOP_PROGRESS, /* another second is over */
	LOOP_STOP,     /* the measurement ends; sent only if handling LOOP_START succeeded */
};

struct loop_result {
	bool interrupted; /* SIGINT, SIGTERM or SIGHUP ended the measurement */
	bool over;	  /* handling an event returned 1: nothing is left to measure */
	/*
	 * The command's exit status, or 128 + signal; 0 if bprof itself killed the command;
	 * EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE if the command could not be executed.
	 */
	int status;
};

struct counting_ops;
struct loop;

/*
 * Sets the privileges that the process drops before the measurement because this mode does not need
 * them. file: the file that is written later, as in -o, or NULL.
 */
void loop_opts__set_privileges(struct loop_opts *o, enum privileges mode, const char *file);

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, so that these signals end a measurement instead of the
 * process. Returns 0 or -errno.
 */
int loop__open(struct loop **out);
void loop__close(struct loop *l); /* l may be NULL; unblocks the signals */

/*
 * Returns true if SIGINT, SIGTERM or SIGHUP has arrived. For a command that is busy and does not
 * wait in the loop: it calls this from time to time.
 */
bool loop__interrupted(const struct loop *l);

/*
 * Begins one measurement and forks the command. o must live until loop__end(). Returns 0 or -errno
 * (reported). The caller passes the return value to the first loop__next().
 */
int loop__begin(struct loop *l, const struct loop_opts *o);

/* Sets the descriptor for LOOP_READY; -1 (the default): none. Call it at LOOP_START or before. */
void loop__set_ready_fd(struct loop *l, int fd);

/*
 * Sets the descriptor for LOOP_INPUT, such as a terminal or an epoll descriptor; -1 (the default):
 * none. It is also readable when its other end is closed. Call it at LOOP_START or before, with
 * early_input before the first loop__next().
 */
void loop__set_input_fd(struct loop *l, int fd);

/*
 * Changes the length of an interval after LOOP_START; 0: no more intervals. The current interval
 * then ends ns from now. Returns 0 or -errno (reported).
 */
int loop__set_interval(struct loop *l, __u64 ns);

/*
 * Handles LOOP_TICK: calls ops->tick(), and sets the time of the next tick. Returns what
 * ops->tick() returned, or -errno (reported).
 */
int loop__tick(struct loop *l, const struct counting_ops *ops, void *arg);

/*
 * Sets the time of the next LOOP_TICK, but does not call ops->tick(). Call it after LOOP_START,
 * when ops->next_tick() may return another time than before. Returns 0 or -errno (reported).
 */
int loop__plan_tick(struct loop *l, const struct counting_ops *ops, void *arg);

/*
 * Waits for the next event. ret: the return value of loop__begin() or of handling the previous
 * event. 0 continues; -errno (reported) or 1 (nothing left to measure) ends the measurement.
 */
enum loop_event loop__next(struct loop *l, int ret);

/* Returns the command's process id; valid at LOOP_FORKED. */
pid_t loop__command(const struct loop *l);

/*
 * Call this after LOOP_END: ends the command if it still runs. Returns 0 or the first -errno.
 * -ECHILD: the command could not be executed, and result->status says why.
 */
int loop__end(struct loop *l, struct loop_result *result);

#endif
