/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measuring, from the loop to rendered reports, whatever it is that counts: one report for each
 * interval, or one of all repeats.
 */
#ifndef BPROF_MEASURE_H
#define BPROF_MEASURE_H

#include "cmd/common/measure_opts.h"
#include "engine/counting.h"

struct measure;

/*
 * Opens the output. Raises the limit of file descriptors, because every event takes one on every
 * CPU, unless the caller has done so (o->loop.fd_limit); the command gets the old limit. o must
 * live until measure__close(). Returns 0 or -errno (reported).
 */
int measure__open(const struct measure_opts *o, struct measure **out);

/*
 * Measures as the options say and writes the reports. *status: the command's exit status. Returns 0
 * or -errno (reported); -ENODATA: nothing could be measured (a report says so), or the measurement
 * ended before it began.
 */
int measure__run(struct measure *m, const struct counting_ops *ops, void *arg, int *status);

/*
 * Closes the output. err: the first error so far, or 0. Returns it, or -errno (reported) if output
 * is lost.
 */
int measure__close(struct measure *m, int err);

/* Returns the exit status for what measure__close() returned; without an error, the command's. */
int measure__exit_status(int err, int command_status);

#endif
