// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CPU shares (result_share.h). Must not know how counts are added up. */
#include <math.h>

#include "base/stats.h"
#include "result/result.h"
#include "result/result_range.h"
#include "result/result_retval.h"
#include "result/result_share.h"
#include "result/result_slices.h"

/* Returns the slot of the event from which CPU shares are calculated: the clock or the cycles. */
static __u32 share_slot(const struct session *s)
{
	return s->env.fds->clock ? BPROF_CLOCK_SLOT : s->env.fds->state[s->cycles_event].slot;
}

static __u64 count_measured(const struct counts *c, __u32 slot)
{
	return c->measured - c->event[slot].errors - c->event[slot].uncovered;
}

/*
 * Estimates the event's total over all runs from its total over the measured runs. "all" are the
 * counts of all runs of the target, and c those of the row. If there are no measured runs, uses
 * "mean", the row's mean cost per measured run of the target over all CPUs.
 */
static double estimate_total(const struct counts *c, const struct counts *all, __u32 slot,
			     double mean)
{
	__u64 runs = counts__runs(all), measured = count_measured(all, slot);

	if (runs == measured)
		return c->event[slot].total;
	return runs * (measured ? (double)c->event[slot].total / measured : mean);
}

/*
 * Returns the share of the session's i-th CPU that the target used. i is s->env.cpus.cnt for the
 * counts that belong to no CPU. Divides the target's time by the elapsed time or, if time was not
 * measured, its cycles by all cycles that the CPU executed. Returns NaN if neither is known.
 */
static double cpu_share(const struct range *g, int i, const struct counts *c,
			const struct counts *all, double mean)
{
	const struct session *s = g->s;
	const struct backend *b = g->t->backend;
	const struct snapshot *from = g->from, *to = g->to;
	double cycles;

	if (backend__has(b, BACKEND_ESTIMATES_EVENTS) && !s->env.fds->clock)
		return NAN;
	if (!backend__has(b, BACKEND_COUNTS_EVENTS) || s->env.fds->clock) {
		double ns = backend__has(b, BACKEND_COUNTS_EVENTS)
				    ? estimate_total(c, all, BPROF_CLOCK_SLOT, mean)
				    : c->event[BPROF_CLOCK_SLOT].total;

		return to->ns > from->ns ? ns / (to->ns - from->ns) : NAN;
	}
	if (!to->cycles || i == s->env.cpus.cnt)
		return to->cycles ? 0 : NAN;
	cycles = to->cycles[i] - from->cycles[i];
	return cycles > 0 ? estimate_total(c, all, share_slot(s), mean) / cycles : 0;
}

/*
 * Returns the time that all runs took by the kernel's mean of those while the probe was not attached,
 * or NaN if there were none.
 */
static double kernel_time(const struct range *g, const struct counts *all)
{
	const struct kernel_runs *k = &all->rested;

	if (!k->runs)
		return NAN;
	return fmax(0, (double)k->ns / k->runs - g->s->env.stats_cost.bias_ns) * counts__runs(all);
}

/*
 * Returns the error of a share that measured runs say, as a part of it: half the width of the 95 %
 * confidence interval. "all" are the counts of the target, and c those of the row. part_of_known: the
 * share of the target is known, and the runs only say which part of it the row has. NaN: distributions,
 * which have the squares, are off.
 */
static double relative_error(const struct range *whole, const struct counts *c,
			     const struct counts *all, __u32 slot, bool part_of_known)
{
	const struct event_counts *row = &c->event[slot], *sum = &all->event[slot];
	const struct slices_error e = slices__error(whole, all, slot);
	double n = count_measured(all, slot), mean = row->total / n;
	double runs = e.sampled ? e.runs : n, variance = row->squares / n - mean * mean;
	double part = (double)row->total / sum->total, t = e.t;

	/* Of a ratio. Runs of other values have 0 for this one. */
	if (part_of_known)
		variance = (row->squares * (1 - 2 * part) + part * part * sum->squares) / n;
	if (isnan(row->squares) || isnan(sum->squares))
		return NAN;
	if (!(runs >= 2) || !row->total)
		return INFINITY;
	if (!e.sampled)
		t = stats__student_quantile(fmin(runs - 1, STATS_MAX_DF));
	variance *= fmax(0, 1 - n / counts__runs(all)) / runs;
	return t * sqrt(fmax(0, variance)) / fabs(mean);
}

/* Sets the error of an estimated share. A share that may be wrong by more than a quarter is not known. */
static void limit_share(struct report_row *row, double error)
{
	row->share_error = error * row->cpu_share;
	if (error > 0.25)
		row->cpu_share = row->share_error = NAN;
	row->share_estimated = row->cpu_share > 0;
}

/* A row of one value has the part of the whole that it has of the measured runs. */
static void divide_share(struct report_row *row, const struct range *g, const struct range *whole,
			 const struct counts *runs)
{
	struct range part_events, events;
	struct counts all, part;
	__u32 slot;

	if (!g->s->env.fds->clock && g->s->cycles_event < 0) {
		row->cpu_share = NAN;
		return;
	}
	slot = share_slot(g->s);
	range__of_events(whole, runs, &events);
	range__sum(&events, &all);
	range__of_events(g, runs, &part_events);
	range__sum(&part_events, &part);
	row->cpu_share *= part.event[slot].total / (double)all.event[slot].total;
	limit_share(row, relative_error(&events, &part, &all, slot, true));
}

void result__set_share(struct report_row *row, const struct range *g, const struct range *total)
{
	struct range whole = *total;
	bool blind, estimated = false;
	struct counts all, c;
	double mean = NAN, share = 0;
	__u32 slot = 0;

	/* The shares of the values are estimates that include these runs. */
	if (g->part == UNMEASURED_PART)
		return;
	whole.part = ALL_PARTS;
	range__sum(&whole, &all);
	blind = all.blind_ns;
	if (g->last == g->to->cpu_cnt) {
		row->cpu_share = kernel_time(g, &all) / (g->to->ns - g->from->ns);
		if (!isnan(row->cpu_share)) {
			if (g->part != ALL_PARTS)
				divide_share(row, g, &whole, &all);
			return;
		}
	}
	range__sum(total, &c);
	if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS) &&
	    (g->s->env.fds->clock || g->s->cycles_event >= 0)) {
		slot = share_slot(g->s);
		if (count_measured(&all, slot))
			mean = (double)c.event[slot].total / count_measured(&all, slot);
		whole.first = g->first;
		whole.last = g->last;
		range__sum(&whole, &all);
		estimated = count_measured(&all, slot) < counts__runs(&all);
	}
	for (int i = g->first; i <= g->last; i++) {
		struct range one = *g;

		one.first = one.last = whole.first = whole.last = i;
		range__sum(&one, &c);
		range__sum(&whole, &all);
		share += cpu_share(&one, i, &c, &all, mean);
	}
	row->cpu_share = blind ? NAN : share;
	if (!estimated)
		return;
	whole.first = g->first;
	whole.last = g->last;
	range__sum(&whole, &all);
	range__sum(g, &c);
	limit_share(row, relative_error(&whole, &c, &all, slot, false));
}
