// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What sampling an event came to, in JSON and in words, wherever it is shown. Must not know whose samples
 * they are.
 */
#include "json/json_make.h"
#include "report/report.h"
#include "report/report_head.h"
#include "report/report_read.h"
#include "base/text.h"
#include "base/util.h"

#define SAMPLES(field) offsetof(struct record_samples, field)

json_t *record_samples__to_json(const struct record_samples *s)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "taken", json__make_u64(s->taken));
	err |= json_object_set_new(obj, "in_targets", json__make_u64(s->in_targets));
	err |= json_object_set_new(obj, "weight", json__make_u64(s->weight));
	err |= json_object_set_new(obj, "weight_in_targets", json__make_u64(s->weight_in_targets));
	err |= json_object_set_new(obj, "lost", json__make_u64(s->lost));
	err |= json_object_set_new(obj, "throttled", json__make_u64(s->throttled));
	err |= json_object_set_new(obj, "enabled_ns", json__make_u64(s->enabled_ns));
	err |= json_object_set_new(obj, "running_ns", json__make_u64(s->running_ns));
	err |= json__set_number(obj, "cost_ns", s->cost_ns);
	return json__finish(obj, err);
}

int record_samples__read(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"taken", reader__u64, SAMPLES(taken), true},
		{"in_targets", reader__u64, SAMPLES(in_targets), true},
		{"weight", reader__u64, SAMPLES(weight), true},
		{"weight_in_targets", reader__u64, SAMPLES(weight_in_targets), true},
		{"lost", reader__u64, SAMPLES(lost), true},
		{"throttled", reader__u64, SAMPLES(throttled), false},
		{"enabled_ns", reader__u64, SAMPLES(enabled_ns), false},
		{"running_ns", reader__u64, SAMPLES(running_ns), false},
		{"cost_ns", reader__amount, SAMPLES(cost_ns), false},
	};
	struct record_samples *s = to;
	int err = reader__object(rd, v, fields, ARRAY_SIZE(fields), to);

	if (!err && s->in_targets > s->taken)
		err = reader__refuse(rd, "more in the targets than were taken");
	return err;
}

void record_samples__print_losses(const struct record_samples *s, FILE *out)
{
	char n[NUMBER_SZ], part[NUMBER_SZ];

	if (s->lost)
		fprintf(out,
			"lost: about %s samples were due and not taken: in code that keeps the "
			"kernel from sampling, or too fast\n",
			number__group_u64(n, s->lost));
	if (s->throttled)
		fprintf(out,
			"throttled: %s times samples came too fast and the kernel stopped them for "
			"a moment (kernel.perf_event_max_sample_rate)\n",
			number__group_u64(n, s->throttled));
	if (s->running_ns < s->enabled_ns)
		fprintf(out,
			"shared: the event had a counter for %s%% of the time, and no samples in "
			"the rest\n",
			number__percent(part, s->running_ns, s->enabled_ns, 1));
}

void record_samples__print_cost(const struct record_samples *s, double time_ns, FILE *out)
{
	char cost[NUMBER_SZ], share[NUMBER_SZ];

	if (!(s->cost_ns > 0) || !(time_ns > 0)) {
		fputs("what a sample costs could not be measured\n", out);
		return;
	}
	fprintf(out, "a sample takes %s us: sampling added %s%% to what the CPUs did\n",
		number__group(cost, s->cost_ns / 1000, 1),
		number__group(share, 100 * s->cost_ns * s->taken / time_ns, 2));
}
