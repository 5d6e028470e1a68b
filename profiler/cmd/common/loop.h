/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop: waits for intervals, the time-out, signals and the command's end, and calls back. No
 * work is done in signal handlers: signals come through a descriptor.
 */
#ifndef BPROF_LOOP_H
#define BPROF_LOOP_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <linux/types.h>

struct loop_opts {
	__u64 delay_ms;		/* from the command's start (or the call) to start() */
	__u64 interval_ms;	/* 0: none */
	__u64 interval_count;	/* stop after so many; 0: no limit */
	__u64 timeout_ms;	/* from start(); 0: none */
	char **command;		/* NULL-terminated argv, or NULL */
	struct rlimit fd_limit; /* RLIMIT_NOFILE for the command; zeros: as it is */
	bool progress;		/* call progress() each second */
	__u64 first_look_ms;	/* call look() so long after start(); 0: never */
	__u64 look_ms;		/* and so often from then on until stop() */
};

/* Each -errno ends the loop. */
struct loop_calls {
	/*
	 * The command has been forked, and is held back before its exec. -errno ends the loop. May
	 * be NULL.
	 */
	int (*forked)(void *arg, pid_t command);
	/* The command is still held back, but after a delay. -errno ends the loop. */
	int (*start)(void *arg);
	void (*stop)(void *arg);
	int (*interval)(void *arg);
	void (*progress)(void *arg);
	int (*look)(void *arg); /* 1: there is nothing left to measure, which ends it too */
	/*
	 * After start(), whenever the descriptor that ready_fd() gives is readable. Both or neither
	 * may be NULL.
	 */
	int (*ready)(void *arg);
	int (*ready_fd)(void *arg);
};

struct loop_result {
	bool interrupted; /* by SIGINT or SIGTERM */
	bool over;	  /* look() said so */
	/* The command's: its exit status, or 128 + signal; 0 where bprof itself ended it. */
	int status;
};

struct loop;

/*
 * Takes SIGINT, SIGTERM and SIGHUP over from here on (they are blocked, and read in loop__run()). 0
 * or -errno.
 */
int loop__open(struct loop **out);
void loop__close(struct loop *l); /* NULL is fine; gives the signals back */

/*
 * One measurement: start(), intervals, stop(). 0 or -errno (reported): start() may then not have
 * been called.
 */
int loop__run(struct loop *l, const struct loop_opts *o, const struct loop_calls *calls, void *arg,
	      struct loop_result *result);

#endif
