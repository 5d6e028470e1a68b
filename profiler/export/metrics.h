/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The metrics of bprof export: their names, and their values from series.
 */
#ifndef BPROF_METRICS_H
#define BPROF_METRICS_H

#include "export/openmetrics.h"

struct inventory;
struct report;
struct series;

/* What bprof export tells of itself. */
struct metrics_self {
	const char *version;
	struct timespec started;
	const struct report *last;	   /* the last report; NULL: none yet */
	const struct inventory *inventory; /* of the programs; NULL: not known */
	__u64 looks;			   /* how often the counts were read */
	__u64 look_ns;			   /* how long that took, in total */
	__u64 requests;			   /* the HTTP requests that were answered */
	__u64 cpu_ns;			   /* the CPU time of this process */
	__u64 memory;			   /* its resident memory, in bytes */
};

/* Writes a document with all metrics. Errors of out stay in it. */
void metrics__write(const struct series *s, const struct metrics_self *self,
		    enum metrics_format format, FILE *out);

#endif
