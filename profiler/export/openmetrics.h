/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes the syntax of metrics: OpenMetrics 1.0 text, or Prometheus text 0.0.4, which lacks units,
 * the time of creation, and the type "info". The caller writes the samples of each family one after
 * the other, and those of each metric too, as OpenMetrics demands. Errors of the stream stay in it
 * (ferror()).
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
	const char *name; /* ends with the unit, if there is one, but not with _total */
	enum metric_type type;
	const char *unit; /* NULL: none */
	const char *help;
};

struct metrics_writer {
	FILE *out;
	enum metrics_format format;
	const struct metric_family *family; /* the current one */
};

void metrics__begin(struct metrics_writer *w, const struct metric_family *family);
/*
 * Write one sample. labels: as metrics__add_label() makes them, or "". The name of the sample
 * follows from the type of the family; "suffix" is for the samples of a histogram.
 */
void metrics__write_u64(struct metrics_writer *w, const char *labels, __u64 v);
void metrics__write_double(struct metrics_writer *w, const char *labels, double v);
/* The time of creation ends a counter or a histogram. Not written in Prometheus text. */
void metrics__write_created(struct metrics_writer *w, const char *labels,
			    const struct timespec *created);

/* A histogram: bucket[i] counts the values above bound[i - 1] and up to bound[i] * scale. */
struct metric_histogram {
	const double *bound;
	const __u64 *bucket; /* bound_cnt + 1 numbers */
	int bound_cnt;
	double divisor; /* the bounds and the sum are divided by it */
	double sum;
};
void metrics__write_histogram(struct metrics_writer *w, const char *labels,
			      const struct metric_histogram *h);

/* Ends the document. */
void metrics__end(struct metrics_writer *w);

/*
 * Writes a label to out: name="value", after a comma unless it is the first one. Different values
 * stay different (text__label()). An empty value is the same as no label, so nothing is written
 * then.
 */
void metrics__add_label(FILE *out, bool *first, const char *name, const char *value);

#endif
