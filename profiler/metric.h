/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ratios of two events, as one table: IPC, miss rates, … Pure.
 */
#ifndef BPROF_METRIC_H
#define BPROF_METRIC_H

struct report_row;

struct metric {
	const char *name;   /* JSON: "ipc" */
	const char *header; /* table: "IPC" */
	const char *unit;   /* CSV metric unit, as perf words it: "insn per cycle" */
	const char *num, *den; /* base names of the events */
	double scale;	    /* 100 for a percentage */
	int digits;	    /* after the point */
};

extern const struct metric metrics[];
extern const int metric_cnt;

/* The ratio for that row; NaN where an event is missing, not ok, or the denominator is 0. */
double metric__value(const struct metric *m, const struct report_row *row);

#endif
