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

/* Facts on bprof export itself. */
struct metrics_self {
	const char *version;
	struct timespec started;
	const struct report *last;	   /* the last report; NULL: there is none yet */
	const struct inventory *inventory; /* inventory of the programs; NULL: not known */
	__u64 looks;			   /* number of times that the counts were read */
	__u64 look_ns;			   /* total time that reading the counts took */
	__u64 requests;			   /* number of HTTP requests that were answered */
	__u64 cpu_ns;			   /* the CPU time of this process */
	__u64 memory;			   /* its resident memory, in bytes */
};

/* Writes a document with all metrics. The caller checks out for errors (ferror()). */
void metrics__write(const struct series *s, const struct metrics_self *self,
		    enum metrics_format format, FILE *out);

#endif
