/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What trace_output.c and trace_json.c share. Nobody else includes it.
 */
#ifndef BPROF_TRACE_JSON_H
#define BPROF_TRACE_JSON_H

#include "kernel/ksyms.h"
#include "trace/trace_output.h"

/* Each writes one line: 0 or -ENOMEM; whether it has arrived, the stream knows. */
int trace_json__record(const struct trace_output *o, int cpu, const struct bprof_record *r);
/* So many "held_back" or "lost" (what); cpu -1: of all CPUs. */
int trace_json__missing(const struct trace_output *o, const char *what, int cpu, __u64 cnt);
int trace_json__summary(const struct trace_output *o, const struct trace_summary *sum);

/* Whose names a target's return values have: a program's type, or none's. */
const char *trace_output__type(const struct target *t);
/* Is it a reason for that record? */
bool trace_output__is_true(const struct trace_output *o, const struct bprof_record *r,
			   const struct trace_bound *b);
const __u8 *trace_output__packet(const struct trace_output *o, const struct bprof_record *r);
/* The stack: how many addresses, a symbol, and the first that is not the probe's own. */
int trace_output__stack_cnt(const struct bprof_record *r);
const char *trace_output__frame(const struct trace_output *o, const struct bprof_record *r, int i,
				char *buf, size_t sz);
int trace_output__first_frame(const struct trace_output *o, const struct bprof_record *r);

#endif
