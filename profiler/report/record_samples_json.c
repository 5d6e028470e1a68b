// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the result of sampling an event as JSON and reads it back, for reports and recordings.
 */
#include "base/util.h"
#include "report/record_samples.h"
#include "report/report_head.h"

#define SAMPLES(field) offsetof(struct record_samples, field)

static int check_sample_counts(struct json_reader *rd, json_t *v, void *to)
{
	const struct record_samples *s = to;

	if (s->in_targets > s->taken || s->in_calls > s->taken - s->in_targets ||
	    s->interrupting > s->taken - s->in_targets - s->in_calls)
		return json_reader__refuse(rd, "more samples in the targets than in total");
	return 0;
}

static const struct json_field sum_rows[] = {
	FIELD("taken", u64, SAMPLES(taken), .required = true),
	FIELD("in_targets", u64, SAMPLES(in_targets), .required = true),
	FIELD("weight", u64, SAMPLES(weight), .required = true),
	FIELD("weight_in_targets", u64, SAMPLES(weight_in_targets), .required = true),
	FIELD("in_calls", u64, SAMPLES(in_calls), .omit = true),
	FIELD("weight_in_calls", u64, SAMPLES(weight_in_calls), .omit = true),
	FIELD("interrupting", u64, SAMPLES(interrupting), .omit = true),
	FIELD("weight_interrupting", u64, SAMPLES(weight_interrupting), .omit = true),
	FIELD("no_room", u64, SAMPLES(no_room), .omit = true),
	FIELD("lost", u64, SAMPLES(lost), .required = true),
	FIELD("throttled", u64, SAMPLES(throttled)),
	FIELD("enabled_ns", u64, SAMPLES(enabled_ns)),
	FIELD("running_ns", u64, SAMPLES(running_ns)),
	FIELD("cost_ns", amount, SAMPLES(cost_ns)),
	{},
};

const struct json_field record_samples_rows[] = {
	FIELD(NULL, object, 0, .arg = sum_rows, .check = check_sample_counts),
	{},
};
