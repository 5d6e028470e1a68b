/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measuring, from the loop to rendered reports, whatever it is that counts: one report for each
 * interval, or one of all repeats.
 */
#ifndef BPROF_MEASURE_H
#define BPROF_MEASURE_H

#include <stddef.h>
#include <sys/types.h>

#include "cmd/common/measure_opts.h"

struct report;

/*
 * Who counts; arg is its own, a snapshot (all counts at one moment) too. Each returns 0 or -errno,
 * which it reports, but for progress.
 */
struct measure_ops {
	/* The command has been forked, and is held back before its exec. May be NULL. */
	int (*forked)(void *arg, pid_t command);
	/* As session__start() and session__stop(). */
	int (*start)(void *arg, void **at);
	int (*stop)(void *arg, void **at);
	int (*read)(void *arg, void **at);
	void (*free)(void *at); /* NULL is fine */
	/* What was counted between two snapshots; the caller frees *out. */
	int (*report)(void *arg, const void *from, const void *to, struct report **out);
	/* One line of what has been counted since the start; -errno: nothing is to be shown. */
	int (*progress)(void *arg, const void *start, char *line, size_t sz);
	int (*tick)(void *arg); /* 1: there is nothing left to measure */
	/* While it measures, whenever ready_fd is readable; -1: there is none. */
	int (*ready)(void *arg);
	int ready_fd;
	/* With -I, a report of all intervals is wanted too. */
	bool totals;
};

struct measure;

/*
 * Opens the output and raises the limit of file descriptors, which every event on every CPU takes
 * one of, unless the caller has (o->loop.fd_limit); the command gets the limit that was. o is the caller's, and must live as long. 0 or -errno
 * (reported).
 */
int measure__open(const struct measure_opts *o, struct measure **out);

/*
 * Measures as the options say and writes the reports. *status: the command's exit status. 0 or
 * -errno (reported); -ENODATA: it ended before anything was measured.
 */
int measure__run(struct measure *m, const struct measure_ops *ops, void *arg, int *status);

/*
 * There is nothing that could be measured: writes a report of that. -ENODATA or another -errno
 * (reported).
 */
int measure__report_nothing(struct measure *m, const struct measure_ops *ops, void *arg);

/* err: what went wrong so far. Returns it; if it is 0, 0 or -errno (reported): output is lost. */
int measure__close(struct measure *m, int err);

/* The exit status for what measure__close() returned, or else the command's. */
int measure__exit_status(int err, int command_status);

#endif
