/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A measurement in the loop (loop.h). While it lasts, the caller may ask for reports on any part of
 * the time until now. The caller gets the loop's events one after the other:
 *
 *	err = live__open(&prog_counting_ops, &counting, &live);
 *	int ret = live__begin(live, &loop_opts, fd);
 *
 *	while ((event = live__next(live, ret)))
 *		ret = event == LOOP_INTERVAL ? show(live) : event == LOOP_INPUT ? take(fd) : 0;
 *	err = live__end(live, &result);
 */
#ifndef BPROF_LIVE_H
#define BPROF_LIVE_H

#include "base/util.h"
#include "run/counting.h"
#include "run/loop.h"

struct live;
struct report;

/*
 * arg is the argument of the functions in ops, and belongs to the caller. Blocks signals
 * (loop__open()). Returns 0 or -errno (reported).
 */
int __must_check live__open(const struct counting_ops *ops, void *arg, struct live **out);
void live__close(struct live *l); /* accepts NULL */

/*
 * Begins the measurement. input_fd: the descriptor for LOOP_INPUT; -1: none. The options must live
 * until live__end(). Returns 0 or -errno (reported); -ENODATA: there is nothing to measure. The
 * caller passes the return value to the first live__next().
 */
int live__begin(struct live *l, const struct loop_opts *o, int input_fd);

/*
 * Waits for the next event, as loop__next() does. Starts counting before it returns LOOP_START, and
 * stops counting before it returns LOOP_STOP. Handles LOOP_TICK and LOOP_READY itself and does not
 * return them.
 */
enum loop_event live__next(struct live *l, int ret);

/* Changes the length of an interval: see loop__set_interval(). */
int live__set_interval(struct live *l, __u64 ns);

/*
 * Calls counting_ops.next_tick() and sets the time of the next tick anew. Call it after LOOP_START.
 * Returns 0 or -errno (reported).
 */
int live__plan_tick(struct live *l);

/*
 * Sets *now to a snapshot of all counts, which the caller frees with live__free(). It is a snapshot
 * of this moment or, after LOOP_STOP, of the stop. Call it after LOOP_START. Returns 0 or -errno
 * (reported).
 */
int __must_check live__read(struct live *l, void **now);
void live__free(struct live *l, void *snapshot); /* snapshot may be NULL */
/* Returns the snapshot of the start, or NULL before the start. It belongs to l. */
void *live__first(const struct live *l);

/*
 * Makes a report on the time between two snapshots. If from is NULL, the time begins at the start.
 * The caller frees *out. Returns 0 or -errno (reported).
 */
int __must_check live__report(struct live *l, const void *from, const void *to,
			      struct report **out);

/* Call this after LOOP_END. Returns the first error: see loop__end(). */
int live__end(struct live *l, struct loop_result *result);

#endif
