/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop: waits for intervals, the time-out, signals and the command's end, and has them handled.
 * No work is done in signal handlers: signals come through a descriptor.
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
	__u64 interval_count;	/* stop after so many; 0: no limit */
	__u64 timeout_ms;	/* from LOOP_START; 0: none */
	char **command;		/* NULL-terminated argv, or NULL */
	struct rlimit fd_limit; /* RLIMIT_NOFILE for the command; zeros: as it is */
	bool progress;		/* LOOP_PROGRESS is wanted */
	__u64 first_look_ms;	/* from LOOP_START to the first LOOP_LOOK; 0: never */
	__u64 look_ms;		/* from one LOOP_LOOK to the next */
	int ready_fd;		/* of the caller; 0: none */
};

enum loop_event {
	LOOP_FORKED, /* the command is there, but held back before its exec */
	LOOP_START,  /* the command is still held back, but after a delay */
	LOOP_INTERVAL,
	LOOP_LOOK,
	LOOP_READY,    /* after LOOP_START: opts->ready_fd is readable */
	LOOP_PROGRESS, /* a second has gone by */
	LOOP_STOP,     /* the end, once LOOP_START has succeeded */
};

/*
 * Handles an event; command is 0 where there is none. -errno ends the loop, as does 1: there is
 * nothing left to measure.
 */
typedef int (*loop_handler)(void *arg, enum loop_event event, pid_t command);

struct loop_result {
	bool interrupted; /* by SIGINT or SIGTERM */
	bool over;	  /* the handler said so */
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
 * One measurement, from LOOP_START to LOOP_STOP. 0 or -errno (reported): LOOP_START may then not have
 * come.
 */
int loop__run(struct loop *l, const struct loop_opts *o, loop_handler handle, void *arg,
	      struct loop_result *result);

#endif
