/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of bprof trace, as text or JSON: a line for each record, lines for missing records,
 * and a summary at the end.
 */
#ifndef BPROF_TRACE_OUTPUT_H
#define BPROF_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "backend/fentry/trace_probe.h"

struct ksyms;
struct session;

struct trace_output {
	FILE *out;
	const char *path; /* name of the output file, for messages; NULL: standard output */
	bool json;
	bool bytes;		 /* show packets as bytes, too */
	const struct session *s; /* has the targets and events of the records */
	const struct trace_probe *probe;
	const struct ksyms *ksyms; /* NULL: show stacks as addresses */
	/* CLOCK_REALTIME, in ns, at which CLOCK_MONOTONIC was 0 */
	__u64 epoch_ns;
	/* Names of the targets, indexed by target. Made by trace_output__prepare(). */
	char **label;
	int label_width;
};

/* Totals of the whole trace. */
struct trace_summary {
	__u64 elapsed_ns;
	/*
	 * number of runs, and number of measured runs; only measured runs are checked and recorded
	 */
	__u64 invocations, measured;
	struct trace_counts counts;
};

/* Formats the targets' names. o->s must be set. Returns 0 or -ENOMEM (reported). */
int trace_output__prepare(struct trace_output *o);
/* Frees the targets' names. Call it before the session is closed. */
void trace_output__free(struct trace_output *o);

/* Each of the following returns 0, or -errno (reported) if writing failed or memory is short. */
int trace_output__begin(const struct trace_output *o);
/* r must be the complete record in the ring buffer, with its stack and its packet. */
int trace_output__record(const struct trace_output *o, int cpu, const struct bprof_record *r);
/* Write that cnt more records were held back, or were lost on the CPU. */
int trace_output__held(const struct trace_output *o, __u64 cnt);
int trace_output__lost(const struct trace_output *o, int cpu, __u64 cnt);
int trace_output__flush(const struct trace_output *o);
int trace_output__end(const struct trace_output *o, const struct trace_summary *sum);

#endif
