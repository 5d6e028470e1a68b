/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs measurements in the loop (loop.h) and renders their reports: one report for each interval,
 * or one report of all repeats. The operations of the caller (run/counting.h) do the counting.
 */
#ifndef BPROF_MEASURE_H
#define BPROF_MEASURE_H

#include "base/output.h"
#include "run/counting.h"
#include "run/measure_opts.h"

/*
 * Measures as the options say and writes the reports. Opens *out, which is empty, for the first
 * report. The caller closes *out after it has stopped counting, because closing may wait long for a
 * pager. Sets *status to the command's exit status. Returns 0 or -errno (reported). -ENODATA:
 * nothing could be measured (a report says so), or the measurement ended before counting began.
 * -ECHILD: the command could not be executed.
 */
int measure__run(const struct measure_opts *o, struct output *out, const struct counting_ops *ops,
		 void *arg, int *status);

/*
 * Returns bprof's exit status. err is the result of the measurement. If err is 0 or -ECHILD (see
 * measure__run()), returns command_status, else the status for err.
 */
int measure__exit_status(int err, int command_status);

#endif
