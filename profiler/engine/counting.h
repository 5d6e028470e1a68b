/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of a measurement: what counts programs (session/prog_counting.h) or the system
 * (system/system.h), as the commands drive it.
 */
#ifndef BPROF_COUNTING_H
#define BPROF_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct report;

/*
 * arg is the implementation's state, and *at is its snapshot: all counts at one moment. Each function
 * that can fail returns 0 or -errno (reported), except progress().
 */
struct counting_ops {
	/* Is there anything to count? If not, only read(), report() and free() are called. */
	bool (*has_any)(const void *arg);
	/* The command has been forked, and is held back before its exec. May be NULL. */
	int (*forked)(void *arg, pid_t command);
	/* Counts from one moment to the other; may be repeated. */
	int (*start)(void *arg, void **at);
	int (*stop)(void *arg, void **at);
	int (*read)(void *arg, void **at);
	void (*free)(void *at); /* NULL is fine */
	/* Reports what was counted between two snapshots; the caller frees *out. */
	int (*report)(void *arg, const void *from, const void *to, struct report **out);
	/* Writes one line about what was counted since the start; -errno: shows nothing. */
	int (*progress)(void *arg, const void *start, char *line, size_t sz);
	/* Called regularly from start to stop; 1: there is nothing left to measure. */
	int (*tick)(void *arg);
	/* From start to stop, ready() is called whenever ready_fd() is readable; -1: there is none. */
	int (*ready_fd)(const void *arg);
	int (*ready)(void *arg);
};

#endif
