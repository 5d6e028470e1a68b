/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What bprof trace writes: a line for each record, for what is missing between them, and one at the
 * end; as text or as JSON.
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
	const char *path; /* out's, for messages; NULL: standard output */
	bool json;
	bool bytes;		 /* show the packets' */
	const struct session *s; /* whose targets and events they are */
	const struct trace_probe *probe;
	const struct ksyms *ksyms; /* or NULL: stacks are addresses */
	/* CLOCK_REALTIME of CLOCK_MONOTONIC 0; ns */
	__u64 epoch_ns;
	/* By target, from trace_output__prepare() on. */
	char **label;
	int label_width;
};

/* How it all ended. */
struct trace_summary {
	__u64 elapsed_ns;
	__u64 invocations, measured; /* only measured ones have costs, and conditions */
	struct trace_counts counts;
};

/* Formats the targets' names, once; needs o->s. 0 or -ENOMEM (reported). */
int trace_output__prepare(struct trace_output *o);
void trace_output__free(struct trace_output *o); /* the names; before the session is closed */

/* Each 0 or -errno (reported): what is written is lost, or memory is short. */
int trace_output__begin(const struct trace_output *o);
/* r lies in the ring buffer, whole: its stack and its packet are there. */
int trace_output__record(const struct trace_output *o, int cpu, const struct bprof_record *r);
/* So many more were held back, or lost on that CPU. */
int trace_output__held(const struct trace_output *o, __u64 cnt);
int trace_output__lost(const struct trace_output *o, int cpu, __u64 cnt);
/* What there is so far. */
int trace_output__flush(const struct trace_output *o);
int trace_output__end(const struct trace_output *o, const struct trace_summary *sum);

#endif
