/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of a trace's JSON that the timeline also has.
 */
#ifndef BPROF_TRACE_JSON_H
#define BPROF_TRACE_JSON_H

#include <jansson.h>

#include "trace/trace_output.h"

/* Adds the conditions that were true for the run, its packet and its stack to a JSON object. */
void trace_json__set_details(json_t *obj, const struct trace_output *o,
			     const struct bprof_record *r);
/* Makes the JSON of the counts of the whole trace. */
json_t *trace_json__make_summary(const struct trace_output *o, const struct trace_summary *sum);

#endif
