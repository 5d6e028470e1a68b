/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions that trace_output.c and trace_json.c share. No other file uses them.
 */
#ifndef BPROF_TRACE_JSON_H
#define BPROF_TRACE_JSON_H

#include "host/ksyms.h"
#include "trace/trace_output.h"

/*
 * The trace_json__ functions write one line each. They return 0 or -ENOMEM. The caller checks the
 * stream for write errors.
 */
int trace_json__record(const struct trace_output *o, int cpu, const struct bprof_record *r);
/*
 * Writes that cnt records are missing. The argument "what" is "held_back" or "lost"; cpu is -1 for
 * all CPUs.
 */
int trace_json__missing(const struct trace_output *o, const char *what, int cpu, __u64 cnt);
int trace_json__summary(const struct trace_output *o, const struct trace_summary *sum);

/*
 * Returns the program type whose return values have names (such as XDP_DROP) that apply to the
 * target; "" for a subprogram, whose return values have no names.
 */
const char *trace_output__type(const struct target *t);
/*
 * Returns true if the run of this record satisfies the condition b, which is then one of the
 * reasons for which the run was recorded.
 */
bool trace_output__is_true(const struct trace_output *o, const struct bprof_record *r,
			   const struct trace_bound *b);
const __u8 *trace_output__packet(const struct trace_output *o, const struct bprof_record *r);
/*
 * The next three functions concern the record's stack. They return the number of its frames, the
 * symbol of frame i, and the index of the first frame that does not belong to the probe.
 */
int trace_output__stack_cnt(const struct bprof_record *r);
const char *trace_output__frame(const struct trace_output *o, const struct bprof_record *r, int i,
				char *buf, size_t sz);
int trace_output__first_frame(const struct trace_output *o, const struct bprof_record *r);

#endif
