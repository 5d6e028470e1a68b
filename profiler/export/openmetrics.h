/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes the syntax of metrics: OpenMetrics 1.0 text, or Prometheus text 0.0.4. Prometheus text
 * lacks units, the time of creation, and the type "info". The caller must not mix samples of
 * different families, or within a family samples of different metrics: OpenMetrics demands this.
 * Errors of the stream stay in it (ferror()).
 */
#ifndef BPROF_OPENMETRICS_H
#define BPROF_OPENMETRICS_H

#include <stdio.h>
#include <time.h>

#include "base/util.h"

enum metrics_format { METRICS_PROMETHEUS, METRICS_OPENMETRICS, METRICS_FORMAT_CNT };

/* The media type of each format, for HTTP. */
extern const char *const metrics_types[METRICS_FORMAT_CNT];

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_INFO };

struct metric_family {
	const char *name; /* ends with the unit if there is a unit, but not with _total */
	enum metric_type type;
	const char *unit; /* NULL: no unit */
	const char *help;
};

struct metrics_writer {
	FILE *out;
	enum metrics_format format;
	const struct metric_family *family; /* the current family */
};

void metrics__begin(struct metrics_writer *w, const struct metric_family *family);
/*
 * Write one sample. labels: from metrics__add_label(), or "". The name of the sample follows from
 * the type of the family; "suffix" is for the samples of a histogram.
 */
void metrics__write_u64(struct metrics_writer *w, const char *labels, __u64 v);
void metrics__write_double(struct metrics_writer *w, const char *labels, double v);
/*
 * Writes the time of creation. Call it after the other samples of a counter or histogram. Writes
 * nothing in Prometheus text.
 */
void metrics__write_created(struct metrics_writer *w, const char *labels,
			    const struct timespec *created);

/* A histogram: bucket[i] counts the values above bound[i - 1] and up to bound[i]. */
struct metric_histogram {
	const double *bound;
	const __u64 *bucket; /* bound_cnt + 1 numbers */
	int bound_cnt;
	double divisor; /* the bounds and the sum are divided by this number */
	double sum;
};
void metrics__write_histogram(struct metrics_writer *w, const char *labels,
			      const struct metric_histogram *h);

/* Ends the document. */
void metrics__end(struct metrics_writer *w);

/*
 * Writes a label to out: name="value", after a comma unless it is the first label. Different values
 * stay different (text__label()). An empty value means the same as no label, so writes nothing for
 * an empty value.
 */
void metrics__add_label(FILE *out, bool *first, const char *name, const char *value);

#endif
