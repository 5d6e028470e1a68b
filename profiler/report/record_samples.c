// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the result of sampling an event as JSON and as text, for all commands that sample. Must
 * not know whose samples were taken.
 */
#include "base/text.h"
#include "base/util.h"
#include "report/report.h"
#include "report/report_head.h"

#define SAMPLES(field) offsetof(struct record_samples, field)

static int check_samples(struct json_reader *rd, json_t *v, void *to)
{
	const struct record_samples *s = to;

	if (s->in_targets > s->taken || s->in_calls > s->taken - s->in_targets)
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
	FIELD("lost", u64, SAMPLES(lost), .required = true),
	FIELD("throttled", u64, SAMPLES(throttled)),
	FIELD("enabled_ns", u64, SAMPLES(enabled_ns)),
	FIELD("running_ns", u64, SAMPLES(running_ns)),
	FIELD("cost_ns", amount, SAMPLES(cost_ns)),
	{},
};

const struct json_field record_samples_rows[] = {
	FIELD(NULL, object, 0, .arg = sum_rows, .check = check_samples),
	{},
};

void record_samples__print_losses(const struct record_samples *s, FILE *out)
{
	char n[NUMBER_SZ], part[NUMBER_SZ];

	if (s->lost)
		fprintf(out,
			"lost: about %s sample%s due but not taken (in code that cannot "
			"be sampled, or too close together)\n",
			number__group_u64(n, s->lost), s->lost == 1 ? " was" : "s were");
	if (s->throttled)
		fprintf(out,
			"throttled: the kernel paused sampling %s time%s because samples came too "
			"fast (kernel.perf_event_max_sample_rate)\n",
			number__group_u64(n, s->throttled), s->throttled == 1 ? "" : "s");
	if (s->running_ns < s->enabled_ns)
		fprintf(out,
			"shared: the event had a counter for %s%% of the time; the rest has no "
			"samples\n",
			number__percent(part, s->running_ns, s->enabled_ns, 1));
}

void record_samples__print_cost(const struct record_samples *s, double time_ns, FILE *out)
{
	char cost[QUANTITY_SZ], share[NUMBER_SZ];

	if (!(s->cost_ns > 0) || !(time_ns > 0)) {
		fputs("the cost of a sample is not known: it could not be measured before the "
		      "start\n",
		      out);
		return;
	}
	fprintf(out, "a sample takes %s: sampling added %s%% to the CPUs' work\n",
		number__quantity(cost, s->cost_ns, "ns", true),
		number__group(share, 100 * s->cost_ns * s->taken / time_ns, 2));
}
