// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors of sampling by slices (result_slices.h). Must not know when slices are. */
#include <math.h>

#include "base/stats.h"
#include "result/result_range.h"
#include "result/result_retval.h"
#include "result/result_slices.h"
#include "session/session.h"

/* Of slices with runs, all of the same size; with fewer, too little is known about their differences. */
#define MIN_SLICES 4
/* Returns what the sums of a range's slices are for one slot. */
static struct slice_sums sum_slices(const struct range *g, __u32 slot)
{
	struct slice_sums sum = g->to->slices[g->target];
	const struct slice_sums *from;

	if (!g->from->slices || !snapshot__has(g->from, g->target))
		return sum;
	from = &g->from->slices[g->target];
	sum.seen -= from->seen;
	sum.n -= from->n;
	sum.nn -= from->nn;
	sum.event[slot].x -= from->event[slot].x;
	sum.event[slot].xx -= from->event[slot].xx;
	sum.event[slot].nx -= from->event[slot].nx;
	return sum;
}

/*
 * Sets the mean of all runs. While the probe was attached all the time, it has seen all of them: they
 * have the weight of their number, and those in slices that of all other runs.
 */
static void set_mean(struct slices_error *e, const struct counts *c, const struct slice_sums *sum,
		     __u32 slot)
{
	double runs = counts__runs(c), steady_runs = runs - c->unprobed - sum->seen;
	double measured = c->measured - sum->n, mean = sum->event[slot].x / sum->n;
	double part = measured > 0 && steady_runs > 0 ? steady_runs / runs : 0;

	e->mean = (1 - part) * mean;
	if (part)
		e->mean += part * (c->event[slot].total - sum->event[slot].x) / measured;
	e->stddev *= 1 - part;
	e->skew = fabs(part - fmax(0, measured / c->measured));
}

struct slices_error slices__error(const struct range *g, const struct counts *c, __u32 slot)
{
	struct slices_error e = {.mean = NAN, .stddev = NAN};
	double cnt, mean, squares, variance;
	struct slice_sums sum;

	e.sampled = g->to->slices && (c->unprobed || c->blind_ns);
	if (!e.sampled)
		return e;
	sum = sum_slices(g, slot);
	/*
	 * L. Kish, Survey Sampling: large slices say more than small ones. As their sizes vary, one degree
	 * of freedom less than with equal ones.
	 */
	cnt = sum.n * sum.n / sum.nn;
	if (!(cnt >= MIN_SLICES))
		return e;
	/* Slices are clusters of different sizes: the variance of a ratio (Cochran, (6.13), (9A.11)). */
	mean = sum.event[slot].x / sum.n;
	squares = sum.event[slot].xx - 2 * mean * sum.event[slot].nx + mean * mean * sum.nn;
	e.stddev = sqrt(fmax(0, squares) * cnt / (cnt - 1)) / sum.n;
	e.t = stats__student_quantile(fmin(fmax(cnt - 2, 1), STATS_MAX_DF));
	mean = (double)c->event[slot].total / c->measured;
	variance = c->event[slot].squares / c->measured - mean * mean;
	/* So many independent runs would have the same error: at least one in each slice. */
	e.runs = e.stddev > 0 ? variance / (e.stddev * e.stddev) : sum.n;
	e.runs = fmin(fmax(e.runs, cnt), sum.n);
	set_mean(&e, c, &sum, slot);
	e.half_width = e.t * e.stddev;
	return e;
}

bool slices_error__is_too_large(double value, double half_width)
{
	return isnan(value) || half_width > fmax(fabs(value) / 4, 1);
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
