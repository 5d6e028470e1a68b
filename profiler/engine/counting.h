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

struct report;

/*
 * arg is the implementation's state, *at its snapshot: all counts at one moment. Functions that can
 * fail return 0 or -errno (reported); progress() does not report.
 */
struct counting_ops {
	/* False if there is nothing to count: only read(), report() and free() are called then. */
	bool (*has_any)(const void *arg);
	/* Called after the command was forked and before its exec. May be NULL. */
	int (*forked)(void *arg, pid_t command);
	/* Start and stop counting; may be repeated. */
	int (*start)(void *arg, void **at);
	int (*stop)(void *arg, void **at);
	int (*read)(void *arg, void **at);
	void (*free)(void *at); /* accepts NULL */
	/* Reports the counts between two snapshots; the caller frees *out. */
	int (*report)(void *arg, const void *from, const void *to, struct report **out);
	/* Writes a line on the counts since the start; -errno: no line is shown. */
	int (*progress)(void *arg, const void *start, char *line, size_t sz);
	/* Called regularly from start to stop; 1: nothing is left to measure. */
	int (*tick)(void *arg);
	/*
	 * From start to stop, ready() is called whenever ready_fd() is readable; -1: no descriptor.
	 */
	int (*ready_fd)(const void *arg);
	int (*ready)(void *arg);
};

#endif
