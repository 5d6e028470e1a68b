/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics: ratios of two events, such as IPC and miss rates.
 */
#ifndef BPROF_METRIC_H
#define BPROF_METRIC_H

struct report_event;
struct report_row;

struct metric {
	const char *name;   /* the name in JSON: "ipc" */
	const char *header; /* the header in tables: "IPC" */
	/* the unit of the metric in CSV, as perf calls it: "insn per cycle" */
	const char *unit;
	const char *num, *den; /* the canonical names of the two events */
	double scale;	       /* 100 for a percentage, else 1 */
	int digits;	       /* the number of digits after the decimal point */
};

extern const struct metric metrics[];
extern const int metric_cnt;

/*
 * Returns the metric: the ratio of the values (report_row__value()) of two events that count the
 * same privilege levels (cycles:k goes with instructions:k). If the row has several such pairs of
 * events, uses the first pair whose ratio is known. Returns NaN if an event has no value. Also
 * returns NaN if the denominator is not positive, because the net cost of an almost empty program
 * can be 0 or less.
 */
double metric__value(const struct metric *m, const struct report_row *row);
/*
 * Like metric__value(), but uses the event num as numerator. Returns NaN if m has another
 * numerator.
 */
double metric__value_of(const struct metric *m, const struct report_row *row,
			const struct report_event *num);

#endif
