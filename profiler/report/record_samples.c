// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the result of sampling an event as text, for all commands that sample. Must not know which
 * programs were sampled.
 */
#include "base/text.h"
#include "report/record_samples.h"

__u64 record_samples__outside(const struct record_samples *s)
{
	return s->taken - s->in_targets - s->in_calls - s->interrupting;
}

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
	if (s->no_room)
		fprintf(out,
			"callees: those of %s samples are not known, as there are too many "
			"different ones; sample fewer programs, or with a smaller --depth\n",
			number__group_u64(n, s->no_room));
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
