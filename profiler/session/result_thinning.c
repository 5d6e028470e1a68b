// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From snapshots to what the report says of --sample. Pure arithmetic on what the backends counted.
 */
#include "session/result_thinning.h"
#include "base/thinning.h"

/* What the probes did on a CPU between two snapshots. */
struct added {
	double ns, counting_ns;
};

/* Runs that were measured or lost have been through all of the probe. */
static void add_target(struct added *sum, const struct probe_cost *cost, const struct counts *from,
		       const struct counts *to)
{
	__u64 whole = to->measured - from->measured, skipped = to->thinned_out - from->thinned_out;

	for (int i = 0; i < LOST_CNT; i++)
		whole += to->lost[i] - from->lost[i];
	sum->counting_ns += (double)skipped * cost->skipped_ns;
	sum->ns += (double)whole * cost->measured_ns + (double)skipped * cost->skipped_ns;
}

/* What a backend adds to a run on that CPU; NULL: nothing, or that is not known. */
static const struct probe_cost *find_cost(const struct backend *b, int cpu)
{
	return b->ops->probe_cost ? b->ops->probe_cost(b->state, cpu) : NULL;
}

void result__set_periods(struct report_row *row, const struct session *s,
			 const struct snapshot *from, const struct snapshot *to, int target,
			 int first, int last)
{
	for (int i = first; s->env.opts.thin_share && i <= last; i++) {
		const struct counts *a = snapshot__before(from, target, i);
		const struct counts *b = snapshot__at(to, target, i);

		/* Where it did not run the period means nothing; it is 0 without a probe. */
		if (b->measured + b->thinned_out == a->measured + a->thinned_out || !b->period)
			continue;
		if (!row->period_min || b->period < row->period_min)
			row->period_min = b->period;
		if (b->period > row->period_max)
			row->period_max = b->period;
	}
}

void result__set_thinning(struct report *r, const struct session *s, const struct snapshot *from,
			  const struct snapshot *to)
{
	struct added most = {};

	r->thin_period = s->env.opts.thin_share ? 0 : s->env.opts.thin_period;
	if (!s->env.opts.thin_share)
		return;
	for (int i = 0; i < s->env.cpus.cnt; i++) {
		struct added sum = {};

		for (int t = 0; t < s->targets.cnt; t++) {
			const struct probe_cost *cost =
				find_cost(s->targets.v[t].backend, s->env.cpus.id[i]);

			if (cost && snapshot__has(to, t))
				add_target(&sum, cost, snapshot__before(from, t, i),
					   snapshot__at(to, t, i));
		}
		if (sum.ns > most.ns)
			most = sum;
	}
	r->thin_auto.share = (double)s->env.opts.thin_share / THINNING_FULL_SHARE;
	if (to->ns > from->ns) {
		r->thin_auto.added = most.ns / (to->ns - from->ns);
		r->thin_auto.counting = most.counting_ns / (to->ns - from->ns);
	}
}
