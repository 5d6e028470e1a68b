/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs measurements in the loop (loop.h) and renders their reports: one report for each interval,
 * or one report of all repeats. The operations of the caller (engine/counting.h) do the counting.
 */
#ifndef BPROF_MEASURE_H
#define BPROF_MEASURE_H

#include "cmd/common/measure_opts.h"
#include "engine/counting.h"

struct measure;

/*
 * Opens the output. Raises the limit of file descriptors, because every event needs one on every
 * CPU; the command gets the old limit. If o->loop.fd_limit is set, the caller has raised the limit
 * already. o must live until measure__close(). Returns 0 or -errno (reported).
 */
int measure__open(const struct measure_opts *o, struct measure **out);

/*
 * Measures as the options say and writes the reports. Sets *status to the command's exit status.
 * Returns 0 or -errno (reported). -ENODATA means that nothing could be measured (a report says so),
 * or that the measurement ended before it began.
 */
int measure__run(struct measure *m, const struct counting_ops *ops, void *arg, int *status);

/*
 * Closes the output. err: the first error so far, or 0. Returns err if it is not 0; else 0, or
 * -errno (reported) if output is lost.
 */
int measure__close(struct measure *m, int err);

/*
 * Returns bprof's exit status: command_status if err, the result of measure__close(), is 0, else
 * the status for err.
 */
int measure__exit_status(int err, int command_status);

#endif
