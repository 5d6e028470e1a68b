/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the formats share (trace_output.c, trace_json.c, trace_timeline.c). No other
 * file uses it.
 */
#ifndef BPROF_TRACE_JSON_H
#define BPROF_TRACE_JSON_H

#include <jansson.h>

#include "trace/trace_output.h"

/*
 * A format. Its functions write a part of the output each, and return 0 or -ENOMEM. Their caller
 * checks the stream for write errors.
 */
struct trace_format {
	int (*begin)(struct trace_output *o); /* NULL: the output has no beginning */
	int (*record)(struct trace_output *o, int cpu, const struct bprof_record *r);
	/* cnt records were not written because of the limit; cnt records of a CPU were lost */
	int (*held)(struct trace_output *o, __u64 cnt);
	int (*lost)(struct trace_output *o, int cpu, __u64 cnt);
	int (*end)(struct trace_output *o, const struct trace_summary *sum);
};

/* Adds the conditions that the run met, its packet and its stack to a JSON object. */
int trace_json__set_details(json_t *obj, const struct trace_output *o,
			    const struct bprof_record *r);
/* Makes the counts of the whole trace. Returns NULL if out of memory. */
json_t *trace_json__make_summary(const struct trace_output *o, const struct trace_summary *sum);

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
