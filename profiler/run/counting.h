/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of a measurement, through which the commands count programs
 * (session/session.h) or the system (system/system.h).
 */
#ifndef BPROF_COUNTING_H
#define BPROF_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

struct report;

/*
 * arg is the implementation's state. *at is a snapshot that the implementation makes: all counts at
 * one moment. Functions that can fail return 0 or -errno (reported), except that progress() does
 * not report its errors.
 */
struct counting_ops {
	/*
	 * Returns false if there is nothing to count. Then only why_none(), read(), report() and
	 * free() are called.
	 */
	bool (*has_any)(const void *arg);
	/*
	 * Returns why there is nothing to count, for the exit status: -EPERM; -ESRCH: there is no such
	 * program; -ENODATA: any other reason.
	 */
	int (*why_none)(const void *arg);
	/* Called between the fork of the command and its exec. May be NULL. */
	int (*forked)(void *arg, pid_t command);
	/* Start and stop counting. May be called repeatedly. */
	int (*start)(void *arg, void **at);
	int (*stop)(void *arg, void **at);
	int (*read)(void *arg, void **at);
	void (*free)(void *at); /* at may be NULL */
	/* Makes a report of the counts between two snapshots. The caller frees *out. */
	int (*report)(void *arg, const void *from, const void *to, struct report **out);
	/*
	 * Writes a line about the counts since the start. If it returns -errno, no line is shown.
	 */
	int (*progress)(void *arg, const void *start, char *line, size_t sz);
	/* Called regularly between start and stop. Returns 1 if nothing is left to measure. */
	int (*tick)(void *arg);
	/*
	 * Returns the time in ns from the last tick, or from the start, to the next tick; 0: the
	 * time stays as it is. NULL: it always stays as it is.
	 */
	__u64 (*next_tick)(const void *arg);
	/*
	 * Between start and stop, ready() is called whenever the descriptor that ready_fd() returns
	 * is readable. If ready_fd() returns -1, there is no descriptor.
	 */
	int (*ready_fd)(const void *arg);
	int (*ready)(void *arg);
};

#endif
