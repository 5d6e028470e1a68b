// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fills in the fields of a report that describe thinning (--sample), from snapshots. Pure
 * arithmetic.
 */
#include "base/thinning.h"
#include "result/result_thinning.h"
#include "session/session_thinning.h"

/*
 * The time that the probes added to the runs on a CPU between two snapshots. counting_ns is the
 * part that was added to runs that were counted, but not measured.
 */
struct added {
	double ns, counting_ns;
	double runs; /* the runs that the kernel has timed */
};

/*
 * Adds to *sum the time that a target's probe took. In runs that were measured or lost, the
 * complete probe was executed.
 */
static void add_target(struct added *sum, const struct probe_cost *cost, const struct counts *from,
		       const struct counts *to)
{
	__u64 complete = to->measured - from->measured,
	      skipped = to->thinned_out - from->thinned_out;

	for (int i = 0; i < LOST_CNT; i++)
		complete += to->lost[i] - from->lost[i];
	sum->counting_ns += (double)skipped * cost->skipped_ns;
	sum->ns += probe_cost__added_ns(cost, complete, skipped);
}

/* Returns the runs of a target on one CPU, or those whose CPU is not known (row cpu_cnt). */
static __u64 count_runs(const struct snapshot *from, const struct snapshot *to, int t, int row)
{
	return counts__runs(snapshot__at(to, t, row)) -
	       counts__runs(snapshot__before(from, t, row));
}

/* Divides the runs whose CPU is not known as the others: the runs in slices are a fair sample. */
static double count_timed(const struct snapshot *from, const struct snapshot *to, int t, int cpu)
{
	double here = count_runs(from, to, t, cpu), all = 0;
	__u64 elsewhere = count_runs(from, to, t, to->cpu_cnt);

	if (!elsewhere)
		return here;
	for (int i = 0; i < to->cpu_cnt; i++)
		all += count_runs(from, to, t, i);
	return here + elsewhere * (all > 0 ? here / all : 1);
}

/*
 * Returns the time that a backend's probe adds to a run on that CPU. NULL: the backend has no
 * probe, or the time is not known.
 */
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

		/*
		 * Ignore the period of a target that did not run. The period is 0 if there is no
		 * probe.
		 */
		if (b->measured + b->thinned_out == a->measured + a->thinned_out || !b->period)
			continue;
		if (!row->period_min || b->period < row->period_min)
			row->period_min = b->period;
		if (b->period > row->period_max)
			row->period_max = b->period;
	}
}

/* Returns what all targets' probes and the run statistics added to a CPU. */
static struct added add_targets(const struct session *s, const struct snapshot *from,
				const struct snapshot *to, int cpu)
{
	struct added sum = {};

	for (int t = 0; t < s->targets.cnt; t++) {
		const struct probe_cost *cost =
			find_cost(s->targets.v[t].backend, s->env.cpus.id[cpu]);

		if (!snapshot__has(to, t) || snapshot__shares(from, to, t))
			continue;
		if (cost)
			add_target(&sum, cost, snapshot__before(from, t, cpu),
				   snapshot__at(to, t, cpu));
		if (s->runs_counted && !s->targets.v[t].subprog)
			sum.runs += count_timed(from, to, t, cpu);
	}
	return sum;
}

void result__set_thinning(struct report *r, const struct session *s, const struct snapshot *from,
			  const struct snapshot *to)
{
	/* The others may all run on the CPU where the most is added. */
	double stats_ns = s->env.stats_cost.added_ns, most_runs = 0;
	double others = to->other_per_ns * stats_ns;
	struct added max = {};

	r->thin_period = s->env.opts.thin_share ? 0 : s->env.opts.thin_period;
	if (!s->env.opts.thin_share)
		return;
	for (int i = 0; i < s->env.cpus.cnt; i++) {
		struct added sum = add_targets(s, from, to, i);

		if (sum.runs > most_runs)
			most_runs = sum.runs;
		if (sum.ns + sum.runs * stats_ns > max.ns + max.runs * stats_ns)
			max = sum;
	}
	r->thin_auto.share = (double)s->env.opts.thin_share / THINNING_FULL_SHARE;
	r->thin_auto.turns = session_thinning__turns(s->thinning);
	r->thin_auto.stats_run_ns = stats_ns;
	if (to->ns > from->ns) {
		r->thin_auto.stats = most_runs * stats_ns / (to->ns - from->ns) + others;
		r->thin_auto.attaching =
			(double)(to->attach_ns - from->attach_ns) / (to->ns - from->ns);
		r->thin_auto.added = (max.ns + max.runs * stats_ns) / (to->ns - from->ns) +
				     r->thin_auto.attaching + others;
		r->thin_auto.counting = max.counting_ns / (to->ns - from->ns);
	}
}
