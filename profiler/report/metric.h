/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ratios of two events, as one table: IPC, miss rates, … Pure.
 */
#ifndef BPROF_METRIC_H
#define BPROF_METRIC_H

#include <stdbool.h>

struct report_event;
struct report_row;

struct metric {
	const char *name;      /* JSON: "ipc" */
	const char *header;    /* table: "IPC" */
	const char *unit;      /* CSV metric unit, as perf words it: "insn per cycle" */
	const char *num, *den; /* base names of the events */
	double scale;	       /* 100: a percentage */
	int digits;	       /* after the point */
};

extern const struct metric metrics[];
extern const int metric_cnt;

/* Does the row have both events, counted, whether or not there has been a run yet? */
bool metric__applies(const struct metric *m, const struct report_row *row);
/*
 * The ratio of the values for that row (report_row__value()); NaN where one of the two has none, or
 * where there is nothing to divide by: net numbers of an (almost) empty program can be 0 or less.
 * Both events must count on the same levels (cycles:k goes with instructions:k). Of several such
 * pairs, the first.
 */
double metric__value(const struct metric *m, const struct report_row *row);
/* The same with this event of the row as the numerator; NaN where it is none of m. */
double metric__value_of(const struct metric *m, const struct report_row *row,
			const struct report_event *num);

#endif
