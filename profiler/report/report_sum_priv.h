/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared only by the files that make sums. */
#ifndef BPROF_REPORT_SUM_PRIV_H
#define BPROF_REPORT_SUM_PRIV_H

#include "report/report.h"

/* A row that is summed up. */
struct sum_source {
	const struct report_row *row;
	double factor; /* the number of runs, divided by the number of measured runs */
};

/*
 * Sets *to, an empty row, to the sum of at least two rows. The rows have the same events
 * (report_row__has_same_events()).
 */
void report_sum__merge_row(struct report_row *to, const struct sum_source *from, int cnt);

#endif
