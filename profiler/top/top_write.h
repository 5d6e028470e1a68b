/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes what bprof top shows to files.
 */
#ifndef BPROF_TOP_WRITE_H
#define BPROF_TOP_WRITE_H

#include <stdio.h>

#include "report/report.h"

/*
 * Writes the rows as JSON and as HTML, to new files in the current directory whose names have the
 * time. Reports the names, or an error.
 */
void top_write(const struct report *rows);
/*
 * Renders the rows as a report, without the rows of whole functions whose parts are there, and
 * flushes out. Returns 0 or the error of out (-ENOSPC, ...).
 */
int top_write__report(const struct report *rows, report_render_fn *render,
		      const struct render_opts *o, FILE *out);

#endif
