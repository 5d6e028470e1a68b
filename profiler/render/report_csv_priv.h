/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lines of formats that print one line per program and event. report_csv.c owns their columns.
 */
#ifndef BPROF_REPORT_CSV_PRIV_H
#define BPROF_REPORT_CSV_PRIV_H

#include "base/table.h"
#include "report/report.h"

/* Returns true if this report is the first in the output, so that the header belongs before it. */
bool report_csv__begins(const struct report *r, const struct render_opts *o);

/* Prints the report's lines in this style. */
void report__print_csv(const struct report *r, const struct render_opts *o,
		       const struct csv_style *style, FILE *out);

#endif
