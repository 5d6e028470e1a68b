/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes what bprof top shows to files.
 */
#ifndef BPROF_TOP_WRITE_H
#define BPROF_TOP_WRITE_H

#include <stdio.h>

#include "report/report.h"

/*
 * Writes the rows as JSON and as HTML, to new files in the current directory. The files' names
 * contain the time. Reports the names, or an error.
 */
void top_write(const struct report *rows);
/*
 * Renders the rows as a report and flushes out. Leaves out the row of a whole function if the rows
 * of its parts are there. Returns 0 or the error of out (-ENOSPC, ...).
 */
int top_write__report(const struct report *rows, report_render_fn *render,
		      const struct render_opts *o, FILE *out);

#endif
