// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds up the counts that make up a row, and calculates values from their sum: distributions and
 * errors, the share of the CPUs, and the effects of measuring only one run in N (thinning). Must
 * not know which of these values rows show.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "backend/snapshot.h"
#include "base/stats.h"
#include "budget/budget.h"
#include "budget/thinning.h"
#include "report/report.h"
#include "result/result_counts.h"
#include "session/session.h"

/*
 * Returns true if calibration on this CPU already took into account that the event cannot be read
 * on the CPU. This is so if the CPU was online at the start, but the event could not be opened on
 * it: with big.LITTLE, an event exists only on some CPUs.
 */
static bool is_expected(const struct session *s, int event, int cpu)
{
	return cpus__has(&s->env.online, cpu) && !event_fds__is_open(s->env.fds, event, cpu);
}

/* Returns true if it is not known whether the bias that is subtracted on the CPU is the right one. */
static bool is_of_unknown_kind(const struct session *s, int cpu)
{
	for (int i = 0; i < BACKEND_CNT; i++) {
		const struct backend *b = &s->backend[i];

		if (b->state && b->ops->is_of_unknown_kind &&
		    b->ops->is_of_unknown_kind(b->state, cpu))
			return true;
	}
	return false;
}

bool result__has_wrong_clock(const struct session *s, int i, const struct counts *from,
			     const struct counts *to)
{
	if (!s->env.fds->clock || !session__is_net(s) || i >= s->env.cpus.cnt)
		return false;
	for (int e = 0; e < s->env.events->cnt; e++) {
		__u32 slot = s->env.fds->state[e].slot;

		if (s->env.fds->state[e].status == EVENT_OK && slot != BPROF_CLOCK_SLOT &&
		    to->event[slot].errors != from->event[slot].errors &&
		    !is_expected(s, e, s->env.cpus.id[i]))
			return true;
	}
	return to->measured != from->measured && is_of_unknown_kind(s, s->env.cpus.id[i]);
}

/*
 * Sets *diff to *to minus *from. The minimum and maximum of the difference are known only if *from
 * counted no runs. Otherwise they are set to the widest range. When counts are added up, the sum
 * then has the widest range, too.
 */
static void subtract_counts(const struct counts *to, const struct counts *from, struct counts *diff)
{
	*diff = *to;
	counts__add(diff, from, -1);
	for (int i = 0; from->measured && i < BPROF_SLOTS; i++) {
		diff->event[i].min = diff->measured ? INT64_MIN : INT64_MAX;
		diff->event[i].max = diff->measured ? INT64_MAX : INT64_MIN;
	}
}

/* Returns true if sums for the slot must leave out the counts of the session's i-th CPU. */
static bool leaves_out_cpu(const struct range *g, int i, __u32 slot)
{
	return slot == BPROF_CLOCK_SLOT && backend__has(g->t->backend, BACKEND_COUNTS_EVENTS) &&
	       result__has_wrong_clock(g->s, i, snapshot__before(g->from, g->target, i),
				       snapshot__at(g->to, g->target, i));
}

/*
 * Sets *diff to the difference of a row of the session's i-th CPU between the two snapshots. Leaves
 * out times that would be wrong.
 */
static void subtract_row(const struct range *g, int i, int row, struct counts *diff)
{
	subtract_counts(snapshot__at(g->to, g->target, row),
			snapshot__before(g->from, g->target, row), diff);
	if (leaves_out_cpu(g, i, BPROF_CLOCK_SLOT))
		diff->event[BPROF_CLOCK_SLOT] = (struct event_counts){
			.min = INT64_MAX, .max = INT64_MIN, .errors = diff->measured};
}

/*
 * Returns the number of runs in which no event could be read. c must be the counts of one CPU,
 * because CPUs may differ in which events cannot be read (big.LITTLE).
 */
static __u64 count_unread(const struct session *s, const struct counts *c)
{
	__u64 unread = c->measured;

	for (int i = 0; i < s->env.events->cnt; i++)
		if (s->env.fds->state[i].status == EVENT_OK &&
		    c->event[s->env.fds->state[i].slot].errors < unread)
			unread = c->event[s->env.fds->state[i].slot].errors;
	return unread;
}

/*
 * Corrects the number of measured runs on the session's i-th CPU: runs in which no event could be
 * read are lost runs. If --by divides the runs, adds up the lost runs of the parts, so that the
 * parts and the whole agree.
 */
static void count_unread_as_lost(const struct range *g, int i, struct counts *c)
{
	__u64 unread = 0, divided = 0;
	struct counts diff;

	for (int part = 0; g->part == ALL_PARTS && part < g->to->part_cnt && i < g->to->cpu_cnt;
	     part++) {
		subtract_row(g, i, snapshot__part_row(g->to, part, i), &diff);
		divided += diff.measured;
		unread += count_unread(g->s, &diff);
	}
	if (!divided)
		unread = count_unread(g->s, c);
	c->measured -= unread;
	c->lost[LOST_READ] += unread;
	for (int i = 0; i < BPROF_SLOTS; i++)
		c->event[i].errors -= c->event[i].errors < unread ? 0 : unread;
}

/*
 * Returns the next row of counts of the session's i-th CPU that belongs to the range, or -1 if
 * there is none. *place is 0 before the first call. Counts that belong to no CPU, and unmeasured
 * runs, belong to no part.
 */
static int next_row(const struct range *g, int i, int *place)
{
	int at = *place;

	*place = at + 1;
	if (g->part == ALL_PARTS || g->by_cpu)
		return !at && (g->part == ALL_PARTS ||
			       (g->part == OTHER_PARTS && i < g->to->cpu_cnt && g->other[i]))
			       ? i
			       : -1;
	if (i == g->to->cpu_cnt || g->part == UNMEASURED_PART)
		return -1;
	if (g->part >= 0)
		return at ? -1 : snapshot__part_row(g->to, g->part, i);
	while (at < g->to->part_cnt && !g->other[at])
		at++;
	*place = at + 1;
	return at < g->to->part_cnt ? snapshot__part_row(g->to, at, i) : -1;
}

/* Adds the runs that were thinned out (--sample), lost or not probed. Their keys are not known. */
static void add_unmeasured_runs(const struct range *g, int i, struct counts *sum)
{
	const struct counts *to = snapshot__at(g->to, g->target, i);
	const struct counts *from = snapshot__before(g->from, g->target, i);

	sum->thinned_out += to->thinned_out - from->thinned_out;
	sum->unprobed += to->unprobed - from->unprobed;
	sum->blind_ns += to->blind_ns - from->blind_ns;
	for (int l = 0; l < LOST_CNT; l++)
		sum->lost[l] += to->lost[l] - from->lost[l];
}

/* Adds a row of counts of the session's i-th CPU. */
static void add_row_of(const struct range *g, int i, int row, struct counts *sum)
{
	struct counts diff;

	subtract_row(g, i, row, &diff);
	if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
		count_unread_as_lost(g, i, &diff);
	counts__add(sum, &diff, 1);
	counts__widen(sum, &diff);
}

void range__sum(const struct range *g, struct counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (int i = 0; i < BPROF_SLOTS; i++) {
		sum->event[i].min = INT64_MAX;
		sum->event[i].max = INT64_MIN;
	}
	for (int i = g->first; i <= g->last; i++) {
		if (g->part == UNMEASURED_PART)
			add_unmeasured_runs(g, i, sum);
		for (int place = 0, row; (row = next_row(g, i, &place)) >= 0;)
			add_row_of(g, i, row, sum);
	}
}

void range__of_events(const struct range *g, const struct counts *c, struct range *of_events)
{
	*of_events = *g;
	if (g->slices_from && (c->unprobed || c->blind_ns))
		of_events->from = g->slices_from;
}

void range__add_hists(const struct range *g, __u32 slot, struct hist *h)
{
	for (int i = g->first; i <= g->last; i++) {
		if (leaves_out_cpu(g, i, slot))
			continue;
		for (int place = 0, row; (row = next_row(g, i, &place)) >= 0;)
			hist__add(h, &snapshot__at(g->to, g->target, row)->event[slot].hist,
				  &snapshot__before(g->from, g->target, row)->event[slot].hist);
	}
}

/*
 * The error of a mean is known only if the effective number of slices (--max-overhead) is at least
 * this. Fewer slices do not show how much slices differ.
 */
#define MIN_SLICES 4
static const struct slice_sums *slices_at(const struct snapshot *snap, int target)
{
	return snap->slices && snapshot__has(snap, target) ? snap->slices[target] : NULL;
}

/* Returns one row of the sums over a target's slices between the two snapshots (slice_sums__rows()). */
static struct slice_event slice_row(const struct range *g, int row, __u32 slot)
{
	const struct slice_sums *to = slices_at(g->to, g->target);
	const struct slice_sums *from = slices_at(g->from, g->target);
	struct slice_event v = {};

	if (to)
		v = to[row].event[slot];
	if (from) {
		const struct slice_event *before = &from[row].event[slot];

		v.n -= before->n;
		v.nn -= before->nn;
		v.x -= before->x;
		v.xx -= before->xx;
		v.nx -= before->nx;
		v.n_all -= before->n_all;
		v.x_all -= before->x_all;
	}
	return v;
}

static bool has_all_cpus(const struct range *g)
{
	return !g->first && g->last >= g->to->cpu_cnt - 1;
}

static bool is_whole(const struct range *g)
{
	return g->part == ALL_PARTS && !g->by_cpu && has_all_cpus(g);
}

/*
 * Returns the next row of the sums over slices that belongs to the range, or -1 if there is none. *place
 * is 0 before the first call. Of the runs that one CPU did with one key (-A with --by), there are no sums.
 */
static int next_slice_row(const struct range *g, int *place)
{
	const bool of_cpus = g->part == ALL_PARTS || g->by_cpu;
	const int cnt = of_cpus ? g->to->cpu_cnt : has_all_cpus(g) ? g->to->part_cnt : 0;

	if (is_whole(g))
		return (*place)++ ? -1 : 0;
	while (*place < cnt) {
		int i = (*place)++;
		bool in_row = g->part == OTHER_PARTS ? g->other[i]
			      : of_cpus		     ? i >= g->first && i <= g->last
						     : i == g->part;

		if (in_row)
			return 1 + i + (of_cpus ? 0 : g->to->cpu_cnt);
	}
	return -1;
}

/* What is known of the runs that slices have measured, of one row of the report. */
struct slices {
	double n, x; /* number of runs, and their total */
	double nn;   /* the sum over slices of the square of the number of runs */
	/*
	 * The sum over slices of the squared differences between the slice's total and what it would be
	 * if all slices had the row's mean, or the row's part of the target's total; and of the
	 * differences between the number of runs and what the row's part of all runs would be.
	 */
	double mean_squares, part_squares, runs_squares;
};

/*
 * Sets *sum to what slices have measured of a range. If the range adds up several rows, it is only known
 * how each of them differs between slices. So assumes the worst case: that they differ in the same
 * direction. (Minkowski's inequality: the root of the sum of squares is at most the sum of the roots.)
 * whole: the sums of all runs.
 */
static void sum_slices(const struct range *g, const struct slice_event *whole, __u32 slot,
		       struct slices *sum)
{
	double size = 0, mean_root = 0, part_root = 0, runs_root = 0, mean, part;
	struct slice_event v;

	*sum = (struct slices){};
	for (int place = 0, row; (row = next_slice_row(g, &place)) >= 0;) {
		v = slice_row(g, row, slot);
		sum->n += v.n;
		sum->x += v.x;
	}
	mean = sum->x / sum->n;
	for (int place = 0, row; (row = next_slice_row(g, &place)) >= 0;) {
		v = slice_row(g, row, slot);
		part = v.x / whole->x;
		size += sqrt(v.nn);
		mean_root += sqrt(fmax(0, v.xx - 2 * mean * v.nx + mean * mean * v.nn));
		part_root += sqrt(fmax(0, v.xx - 2 * part * v.x_all + part * part * whole->xx));
		part = v.n / whole->n;
		runs_root += sqrt(fmax(0, v.nn - 2 * part * v.n_all + part * part * whole->nn));
	}
	sum->nn = size * size;
	sum->mean_squares = mean_root * mean_root;
	sum->part_squares = part_root * part_root;
	sum->runs_squares = runs_root * runs_root;
}

static __u64 count_measured(const struct counts *c, __u32 slot)
{
	return c->measured - c->event[slot].errors - c->event[slot].uncovered;
}

/*
 * How much a measured run counts. While the probe was attached without interruption, it has seen all
 * runs, so the measured runs stand for their number. The runs in slices stand for all other runs of the
 * program.
 */
struct weights {
	double steady, slices;
};

/* all: the counts of all the target's runs. n: how many of them slices have measured. */
static struct weights find_weights(const struct range *g, const struct counts *all, double n,
				   __u32 slot)
{
	const struct slice_sums *to = slices_at(g->to, g->target);
	const struct slice_sums *from = slices_at(g->from, g->target);
	double seen = (to ? to->seen : 0) - (from ? (double)from->seen : 0);
	double steady_runs = counts__runs(all) - all->unprobed - seen;
	double measured = count_measured(all, slot) - n;

	if (!(measured > 0 && steady_runs > 0))
		return (struct weights){.slices = 1};
	return (struct weights){steady_runs / measured, (all->unprobed + seen) / n};
}

/* Returns the sum of what the row's runs stand for. all: the sum of all measured runs. */
static double weigh(const struct weights *w, double all, double slices)
{
	return w->steady * (all - slices) + w->slices * slices;
}

/* Sets *whole to the range of all the target's runs, and *all to its counts. c: the counts of g. */
static void find_whole(const struct range *g, const struct counts *c, struct range *whole,
		       struct counts *all)
{
	*whole = *g;
	*all = *c;
	if (is_whole(g) && g->last == g->to->cpu_cnt)
		return;
	whole->part = ALL_PARTS;
	whole->by_cpu = false;
	whole->first = 0;
	whole->last = g->to->cpu_cnt;
	range__sum(whole, all);
}

struct slices_error slices__error(const struct range *g, const struct counts *c, __u32 slot)
{
	struct slices_error e = {.mean = NAN, .stddev = NAN};
	double cnt, mean, variance, measured = count_measured(c, slot), part;
	struct slice_event sums;
	struct range whole;
	struct weights w;
	struct counts all;
	struct slices v;

	if (!g->to->slices)
		return e;
	find_whole(g, c, &whole, &all);
	e.sampled = all.unprobed || all.blind_ns;
	if (!e.sampled)
		return e;
	sums = slice_row(&whole, 0, slot);
	sum_slices(g, &sums, slot, &v);
	/*
	 * The effective number of slices (L. Kish, Survey Sampling): large slices have more weight
	 * than small ones. Because the sizes vary, there is one degree of freedom less than with
	 * slices of equal size.
	 */
	cnt = e.slices = v.n * v.n / v.nn;
	if (!(cnt >= MIN_SLICES))
		return e;
	/*
	 * Slices are clusters of different sizes, so this is the variance of a ratio (Cochran,
	 * (6.13), (9A.11)).
	 */
	e.stddev = sqrt(v.mean_squares * cnt / (cnt - 1)) / v.n;
	e.t = stats__student_quantile(fmin(fmax(cnt - 2, 1), STATS_MAX_DF));
	mean = c->event[slot].total / measured;
	variance = c->event[slot].squares / measured - mean * mean;
	/*
	 * The number of independent runs that would give the same error. It is at least one for
	 * each slice.
	 */
	e.runs = e.stddev > 0 ? variance / (e.stddev * e.stddev) : v.n;
	e.runs = fmin(fmax(e.runs, cnt), v.n);
	w = find_weights(&whole, &all, sums.n, slot);
	e.mean = weigh(&w, c->event[slot].total, v.x) / weigh(&w, measured, v.n);
	part = w.slices * v.n / weigh(&w, measured, v.n);
	e.stddev *= part;
	e.skew = fabs(part - v.n / measured);
	e.half_width = e.t * e.stddev;
	return e;
}

/*
 * Sets *part to the row's part of the target's runs (of_runs) or of what they cost. Returns the error of
 * this part as relative_error() does. c, all: the counts of the row, and of the target.
 */
static double find_part(const struct range *g, const struct range *whole, const struct counts *c,
			const struct counts *all, __u32 slot, bool of_runs, double *part)
{
	const struct slice_event sums = slice_row(whole, 0, slot);
	const struct weights w = find_weights(whole, all, sums.n, slot);
	double total, cnt = sums.n * sums.n / sums.nn, squares;
	struct slices v;

	sum_slices(g, &sums, slot, &v);
	if (of_runs) {
		total = weigh(&w, count_measured(all, slot), sums.n);
		*part = weigh(&w, count_measured(c, slot), v.n) / total;
		squares = v.runs_squares;
	} else {
		total = weigh(&w, all->event[slot].total, sums.x);
		*part = weigh(&w, c->event[slot].total, v.x) / total;
		squares = v.part_squares;
	}
	/* Without a run in a slice, the row may still have runs between slices. */
	if (!(cnt >= MIN_SLICES) || !(v.n > 0))
		return INFINITY;
	return stats__student_quantile(fmin(fmax(cnt - 2, 1), STATS_MAX_DF)) *
	       sqrt(squares * cnt / (cnt - 1)) * w.slices / (*part * total);
}

bool slices_error__is_too_large(double value, double half_width)
{
	return stat__is_too_inexact(value, half_width);
}

struct hist_value slices__quantile(const struct slices_error *e, const struct hist *h, double q)
{
	struct hist_value v = hist__quantile(h, q);
	double margin;

	if (!e->sampled || isnan(e->stddev))
		return v;
	margin = e->t * sqrt(q * (1 - q) / e->runs) + e->skew;
	v.low = hist__quantile(h, fmax(0, q - margin)).low;
	v.high = hist__quantile(h, fmin(1, q + margin)).high;
	return v;
}

/* Returns the slot of the event from which CPU shares are calculated: the clock or the cycles. */
static __u32 share_slot(const struct session *s)
{
	return s->env.fds->clock ? BPROF_CLOCK_SLOT : s->env.fds->state[s->cycles_event].slot;
}

/*
 * Returns the number of a target's runs. In runs that the probe does not measure (--sample), calls
 * of a kernel function are not counted, so their number is estimated.
 */
static double estimate_runs(const struct range *g, const struct counts *all)
{
	const __u64 period = target__is_called(g->t) ? g->s->env.opts.thin_period : 0;

	return (double)counts__runs(all) * (period ?: 1);
}

/*
 * Estimates the event's total over all runs from its total over the measured runs. "all" has the
 * counts of all runs of the target g->t, and c has the counts of the row. If there are no measured
 * runs, uses "mean", the row's mean cost per measured run of the target over all CPUs.
 */
static double estimate_total(const struct range *g, const struct counts *c,
			     const struct counts *all, __u32 slot, double mean)
{
	double runs = estimate_runs(g, all);
	__u64 measured = count_measured(all, slot);

	if (runs == measured)
		return c->event[slot].total;
	return runs * (measured ? (double)c->event[slot].total / measured : mean);
}

/* Returns true if the event time has no value, for example because too many samples were lost. */
static bool is_time_refused(const struct range *g, const struct counts *c)
{
	const struct backend_env *env = &g->s->env;
	const struct backend *b = g->t->backend;

	for (int i = 0; b->ops->not_counted && i < env->events->cnt; i++)
		if (env->fds->state[i].slot == BPROF_CLOCK_SLOT &&
		    b->ops->not_counted(b->state, g->t, i, &c->event[BPROF_CLOCK_SLOT]))
			return true;
	return false;
}

/*
 * Returns the share of the session's i-th CPU that the target used. i is s->env.cpus.cnt for the
 * counts that belong to no CPU. Divides the target's time by the elapsed time or, if time was not
 * measured, its cycles by all cycles that the CPU executed. Returns NaN if neither time nor cycles
 * are known.
 */
static double cpu_share(const struct range *g, int i, const struct counts *c,
			const struct counts *all, double mean)
{
	const struct session *s = g->s;
	const struct backend *b = g->t->backend;
	const struct snapshot *from = g->from, *to = g->to;
	double cycles;

	if (backend__has(b, BACKEND_ESTIMATES_EVENTS) &&
	    (!s->env.fds->clock || is_time_refused(g, c)))
		return NAN;
	if (!backend__has(b, BACKEND_COUNTS_EVENTS) || s->env.fds->clock) {
		double ns = backend__has(b, BACKEND_COUNTS_EVENTS)
				    ? estimate_total(g, c, all, BPROF_CLOCK_SLOT, mean)
				    : c->event[BPROF_CLOCK_SLOT].total;

		return to->ns > from->ns ? ns / (to->ns - from->ns) : NAN;
	}
	if (!to->cycles || i == s->env.cpus.cnt)
		return to->cycles ? 0 : NAN;
	cycles = to->cycles[i] - from->cycles[i];
	return cycles > 0 ? estimate_total(g, c, all, share_slot(s), mean) / cycles : 0;
}

/*
 * Estimates the time of all runs from the kernel's mean time of the runs while the probe was not
 * attached. Returns NaN if there were no such runs.
 */
static double kernel_time(const struct range *g, const struct counts *all)
{
	const struct kernel_runs *k = &all->rested;

	if (!k->runs)
		return NAN;
	return fmax(0, (double)k->ns / k->runs - g->s->env.stats_cost.bias_ns) * counts__runs(all);
}

/*
 * Returns the error of a share that was estimated from measured runs, as a part of the share: half
 * the width of the 95 % confidence interval. "all" has the counts of the target, and c has those of
 * the row. NaN: the error is not known without distributions, because they have the squares.
 */
static double relative_error(const struct range *whole, const struct counts *c,
			     const struct counts *all, __u32 slot)
{
	const struct event_counts *row = &c->event[slot], *sum = &all->event[slot];
	const struct slices_error e = slices__error(whole, all, slot);
	double n = count_measured(all, slot), mean = row->total / n;
	double runs = e.sampled ? e.runs : n, variance = row->squares / n - mean * mean, t = e.t;

	if (isnan(row->squares) || isnan(sum->squares))
		return NAN;
	/* How a row's part of the runs differs between slices is not known here. */
	if (!(runs >= 2) || !row->total || (e.sampled && c->measured != all->measured))
		return INFINITY;
	if (!e.sampled)
		t = stats__student_quantile(fmin(runs - 1, STATS_MAX_DF));
	variance *= fmax(0, 1 - n / estimate_runs(whole, all)) / runs;
	return t * sqrt(fmax(0, variance)) / fabs(mean);
}

/*
 * Sets the error of an estimated share. If the share may be wrong by more than a quarter, it is not
 * known.
 */
static void limit_share(struct report_row *row, double error)
{
	row->share_error = error * row->cpu_share;
	if (error > 0.25)
		row->cpu_share = row->share_error = NAN;
	row->share_estimated = row->cpu_share > 0;
}

/*
 * For a row with one value of the key, multiplies the target's share by the row's part of what the
 * measured runs cost.
 */
static void divide_share(struct report_row *row, const struct range *g, const struct range *whole,
			 const struct counts *runs)
{
	struct range part_events, events;
	struct counts all, part;
	double share, error;
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
	error = find_part(&part_events, &events, &part, &all, slot, false, &share);
	row->cpu_share *= share;
	limit_share(row, error);
}

/*
 * Returns about how many of a target's runs belong to a row if the probe was attached all the time, but
 * measured only some of them (--sample). On each CPU, the measured runs stand for the others. Sets *error
 * to half the width of the 95 % confidence interval.
 */
static double count_likely(const struct range *g, const struct range *whole, double *error)
{
	double sum = 0, variance = 0;

	for (int i = g->first; i <= g->last; i++) {
		struct range one = *g, all_of_one = *whole;
		struct counts c, all;
		double runs, part;

		if (g->by_cpu && g->part == OTHER_PARTS && next_row(g, i, &(int){0}) < 0)
			continue;
		one.first = one.last = all_of_one.first = all_of_one.last = i;
		range__sum(&one, &c);
		range__sum(&all_of_one, &all);
		runs = counts__runs(&all);
		part = g->by_cpu ? 1 : (double)c.measured / all.measured;
		if (!runs || (!all.measured && !g->by_cpu))
			continue;
		sum += runs * part;
		variance +=
			runs * (runs - all.measured) * part * (1 - part) / fmax(all.measured, 1);
	}
	*error = stats__student_quantile(STATS_MAX_DF) * sqrt(variance);
	return sum;
}

void result__set_likely_runs(struct report_row *row, const struct range *g,
			     const struct range *whole)
{
	struct range part_events, events;
	struct counts c, all, event_counts;
	double error, part;

	if (g->part == UNMEASURED_PART)
		return;
	range__sum(whole, &all);
	range__of_events(whole, &all, &events);
	if (events.to->slices && (all.unprobed || all.blind_ns)) {
		range__of_events(g, &all, &part_events);
		range__sum(&events, &event_counts);
		range__sum(&part_events, &c);
		error = find_part(&part_events, &events, &c, &event_counts, BPROF_CLOCK_SLOT, true,
				  &part);
		row->likely_runs = part * counts__runs(&all);
		error *= row->likely_runs;
	} else {
		row->likely_runs = count_likely(g, whole, &error);
	}
	if (!(row->likely_runs > 0) || slices_error__is_too_large(row->likely_runs, error))
		row->likely_runs = NAN;
}

void result__set_share(struct report_row *row, const struct range *g, const struct range *total)
{
	struct range whole = *total;
	bool blind, estimated = false;
	struct counts all, c;
	double mean = NAN, share = 0;
	__u32 slot = 0;

	/*
	 * This row gets no share: the estimated shares of the other rows include the unmeasured
	 * runs.
	 */
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
		estimated = count_measured(&all, slot) < estimate_runs(g, &all);
	}
	for (int i = g->first; i <= g->last; i++) {
		struct range one = *g;

		/* If a CPU is not in the range, no share is estimated for it. */
		if (g->by_cpu && g->part == OTHER_PARTS && next_row(g, i, &(int){0}) < 0)
			continue;
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
	limit_share(row, relative_error(&whole, &c, &all, slot));
}

/*
 * The time that the probes added to the runs on a CPU between two snapshots. counting_ns is the
 * part of this time that was added to runs that were counted but not measured.
 */
struct added {
	double ns, counting_ns;
	double runs; /* the runs that the kernel has timed */
};

/*
 * Adds to *sum the time that a target's probe took. Runs that were measured or lost executed the
 * complete probe.
 */
static void add_probe_time(struct added *sum, const struct probe_cost *cost,
			   const struct counts *from, const struct counts *to)
{
	__u64 complete = to->measured - from->measured,
	      skipped = to->thinned_out - from->thinned_out;

	for (int i = 0; i < LOST_CNT; i++)
		complete += to->lost[i] - from->lost[i];
	sum->counting_ns += (double)skipped * cost->skipped_ns;
	sum->ns += probe_cost__added_ns(cost, complete, skipped);
}

/*
 * Returns the number of a target's runs on one CPU, or of the runs whose CPU is not known (row
 * cpu_cnt).
 */
static __u64 row_runs_between(const struct snapshot *from, const struct snapshot *to, int t,
			      int row)
{
	return counts__runs(snapshot__at(to, t, row)) -
	       counts__runs(snapshot__before(from, t, row));
}

/*
 * Returns the number of runs on a CPU. Distributes the runs whose CPU is not known over the CPUs
 * like the runs in slices of time, which are a fair sample.
 */
static double count_timed(const struct snapshot *from, const struct snapshot *to, int t, int cpu)
{
	double here = row_runs_between(from, to, t, cpu), all = 0;
	__u64 elsewhere = row_runs_between(from, to, t, to->cpu_cnt);

	if (!elsewhere)
		return here;
	for (int i = 0; i < to->cpu_cnt; i++)
		all += row_runs_between(from, to, t, i);
	return here + elsewhere * (all > 0 ? here / all : 1);
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
		const struct backend *b = s->targets.v[t].backend;
		/* NULL: the backend has no probe, or its time is not known. */
		const struct probe_cost *cost =
			b->ops->probe_cost ? b->ops->probe_cost(b->state, s->env.cpus.id[cpu])
					   : NULL;

		if (!snapshot__has(to, t) || snapshot__shares(from, to, t))
			continue;
		if (cost)
			add_probe_time(&sum, cost, snapshot__before(from, t, cpu),
				       snapshot__at(to, t, cpu));
		if (s->env.runs_counted && !s->targets.v[t].subprog)
			sum.runs += count_timed(from, to, t, cpu);
	}
	return sum;
}

void result__set_thinning(struct report *r, const struct session *s, const struct snapshot *from,
			  const struct snapshot *to)
{
	/*
	 * "others": the runs of programs that are not measured. All of these runs may be on the CPU
	 * to which the probes add most, so count them there.
	 */
	double stats_ns = s->env.stats_cost.added_ns, most_runs = 0;
	double others = to->other_per_ns * stats_ns;
	struct added max = {};
	struct report_budget *b;

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
	b = report__add_budget(r);
	b->share = (double)s->env.opts.thin_share / THINNING_FULL_SHARE;
	b->turns = budget__turns(s->budget);
	b->stats_run_ns = stats_ns;
	if (to->ns > from->ns) {
		b->stats = most_runs * stats_ns / (to->ns - from->ns) + others;
		b->attaching = (double)(to->attach_ns - from->attach_ns) / (to->ns - from->ns);
		b->added = (max.ns + max.runs * stats_ns) / (to->ns - from->ns) + b->attaching +
			   others;
		b->counting = max.counting_ns / (to->ns - from->ns);
	}
}
