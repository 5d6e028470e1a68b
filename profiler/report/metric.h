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

/* True if the row has both events with status ok, even if there has been no run yet. */
bool metric__applies(const struct metric *m, const struct report_row *row);
/*
 * The ratio of the row's values (report_row__value()). NaN if one event has none, or if the
 * denominator is not positive: the net cost of an almost empty program can be 0 or less. Both
 * events must count the same privilege levels (cycles:k goes with instructions:k). The first such
 * pair counts.
 */
double metric__value(const struct metric *m, const struct report_row *row);
/* Like metric__value() with num as the numerator; NaN if m has another numerator. */
double metric__value_of(const struct metric *m, const struct report_row *row,
			const struct report_event *num);

#endif
