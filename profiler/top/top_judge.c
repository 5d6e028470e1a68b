// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The verdicts of bprof top on changes. Owns how certain a change must be to get a mark; must not
 * know where the costs come from, or how a mark looks.
 *
 * Users watch every row each second, for hours. Successive intervals are not independent: something
 * that slows down one interval often slows down the next ones, too. So the error of a mean is
 * computed from the autocorrelation of the intervals, at the upper end of its confidence interval.
 * A change must also be larger than the changes of untouched programs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "top/top_judge.h"

/* The smallest change that gets a mark: 2 %. */
#define LIMIT 0.02
/*
 * A mark needs a p-value of at most this. So a row that is tested each second has at most one false
 * mark in 1,000 minutes, with a margin for noise that is not as simple as assumed here.
 */
#define MAX_P 1e-6
/*
 * A program counts as changed together with the machine only if the p-value of its change is below
 * this.
 */
#define MAX_MACHINE_P 1e-3
/* A mark needs at least this many intervals: before the baseline, since then, and together. */
#define MIN_BEFORE 10
#define MIN_SINCE 30
#define MIN_BOTH 60
/* The fewest untouched programs from which the machine's change is calculated. */
#define MIN_UNTOUCHED 4
/*
 * A mark needs a change that is farther than this from the median change of the untouched programs,
 * in standard deviations of their changes.
 */
#define MIN_DISTANCE 5
#define MAD_TO_STDDEV 1.4826
/* The error of a mean is at least this share of the mean. */
#define MIN_ERROR 1e-3
#define MAX_CORRELATION 0.97
#define NO_NOISE 1e-12 /* a sum of squares that is at most this is a rounding error */
/*
 * The correlation of adjacent intervals may not show noise that lasts for several intervals, if
 * there is other noise, too. The correlation of intervals at this distance shows it. Averages over
 * this distance, one less and one more. Otherwise, noise that comes every five intervals would seem
 * to last.
 */
#define FAR_LAG 5

/* Values computed from the intervals before the baseline, or from those since the baseline. */
struct side {
	int cnt;
	double cost[TOP_SERIES_MAX];
	/*
	 * squares, near and far are sums over pairs of intervals that are 0, 1 or about FAR_LAG
	 * apart: the product of their differences from the mean.
	 */
	double mean, squares, near, far;
};

static void sum_up_side(struct side *s, const struct top_series *from, int max)
{
	double sorted[TOP_SERIES_MAX], low, high, width;

	*s = (struct side){.cnt = from->cnt < max ? from->cnt : max};
	memcpy(s->cost, from->cost + from->cnt - s->cnt, s->cnt * sizeof(*s->cost));
	/* Move single outliers closer: costs farther from the inner 80 % than these are wide. */
	memcpy(sorted, s->cost, s->cnt * sizeof(*sorted));
	qsort(sorted, s->cnt, sizeof(*sorted), compare_doubles);
	low = sorted[s->cnt / 10];
	high = sorted[s->cnt - 1 - s->cnt / 10];
	width = high - low;
	for (int i = 0; i < s->cnt; i++)
		s->cost[i] = fmin(fmax(s->cost[i], low - width), high + width);
	s->mean = stats__mean(s->cost, s->cnt);
	for (int i = 0; i < s->cnt; i++) {
		double d = s->cost[i] - s->mean;

		s->squares += d * d;
		s->near += i ? d * (s->cost[i - 1] - s->mean) : 0;
		for (int lag = FAR_LAG - 1; lag <= FAR_LAG + 1 && lag <= i; lag++)
			s->far += d * (s->cost[i - lag] - s->mean) / 3;
	}
}

/*
 * Returns how many intervals have the weight of one independent interval. Assumes that the
 * correlation of the noise falls by the same factor with each interval. Corrects the bias of the
 * correlation, which is computed from few values around their own mean. Uses the upper end of its
 * confidence interval.
 */
static double find_inflation(const struct side *a, const struct side *b)
{
	double n = a->cnt + b->cnt, all = fmax(NO_NOISE, a->squares + b->squares);
	double near = (a->near + b->near) / all, far = (a->far + b->far) / all, bias;

	bias = (1 + 3 * near) * 2 / n;
	near += bias;
	near += 2 * sqrt(fmax(0, 1 - near * near) / n);
	far = far + bias > 0 ? pow(far + bias, 1. / FAR_LAG) : 0;
	near = fmin(fmax(fmax(near, far), 0), MAX_CORRELATION);
	return (1 + near) / (1 - near);
}

/*
 * Returns the squared error of the mean. Corrects the variance, because values vary less around
 * their own mean than around the long-term mean.
 */
static double squared_error(const struct side *s, double pooled, double inflation)
{
	double variance = fmax(pooled, s->cnt > 1 ? s->squares / (s->cnt - 1) : 0);
	double share = inflation / s->cnt;

	return variance * share / (1 - fmin(share, 0.75));
}

/* Returns true if each third of the intervals since the baseline has at least half of the shift. */
static bool is_shift_steady(const struct side *since, double before, double shift)
{
	for (int i = 0; i < 3; i++) {
		int from = i * since->cnt / 3, to = (i + 1) * since->cnt / 3;
		double part = stats__mean(since->cost + from, to - from) - before;

		if (!(copysign(1, shift) * part >= fabs(shift) / 2))
			return false;
	}
	return true;
}

static void judge_measure(struct top_judged *row)
{
	struct side before, since;
	double inflation, pooled;
	int n;

	sum_up_side(&before, row->before, TOP_SERIES_MAX);
	sum_up_side(&since, row->since, TOP_SINCE_MAX);
	n = before.cnt + since.cnt;
	row->shift = since.mean - before.mean;
	row->share = expm1(row->shift);
	row->change = exp(since.mean) - exp(before.mean);
	row->verdict = VERDICT_INCONCLUSIVE;
	row->ready = before.cnt >= MIN_BEFORE && since.cnt >= MIN_SINCE && n >= MIN_BOTH;
	if (!row->ready)
		return;
	inflation = find_inflation(&before, &since);
	pooled = (before.squares + since.squares) / (n - 2);
	row->error = fmax(MIN_ERROR, sqrt(squared_error(&before, pooled, inflation) +
					  squared_error(&since, pooled, inflation)));
	row->df = fmax(1, n / inflation - 2);
	row->steady = is_shift_steady(&since, before.mean, row->shift);
}

/*
 * The change that untouched programs (top_judged.untouched) have in common: the machine probably
 * caused it.
 */
struct machine {
	double shift;  /* the median of their shifts; 0: there are too few programs */
	double spread; /* how much their shifts differ, in units of their errors */
	bool moved;    /* most of them changed in the same way */
};

/* Returns the median of v. Sorts v. */
static double sort_median(double *v, int cnt)
{
	qsort(v, cnt, sizeof(*v), compare_doubles);
	return (v[(cnt - 1) / 2] + v[cnt / 2]) / 2;
}

static bool moved_alike(const struct top_judged *row, double shift)
{
	return fabs(row->shift - shift) <= fabs(shift) / 2 &&
	       stats__student_p(row->shift / row->error, row->df) < MAX_MACHINE_P;
}

/* Fills in *m. Uses "value", which must have room for cnt values. */
static void find_machine(const struct top_judged *row, int cnt, double *value, struct machine *m)
{
	int voters = 0, alike = 0;

	*m = (struct machine){};
	for (int i = 0; i < cnt; i++)
		if (row[i].ready && row[i].untouched)
			value[voters++] = row[i].shift;
	if (voters < MIN_UNTOUCHED)
		return;
	m->shift = sort_median(value, voters);
	voters = 0;
	for (int i = 0; i < cnt; i++) {
		if (!row[i].ready || !row[i].untouched)
			continue;
		value[voters++] = fabs(row[i].shift - m->shift) / row[i].error;
		alike += moved_alike(&row[i], m->shift);
	}
	m->spread = MAD_TO_STDDEV * sort_median(value, voters);
	m->moved = fabs(expm1(m->shift)) > LIMIT && 2 * alike > voters;
}

static enum verdict find_verdict(const struct top_judged *row, const struct machine *m)
{
	double own = row->shift - m->shift, t = fmin(fabs(own), fabs(row->shift)) / row->error;
	double margin = row->error * stats__student_quantile(row->df);

	if (!row->ready)
		return VERDICT_INCONCLUSIVE;
	if (fabs(row->shift) + margin <= LIMIT)
		return VERDICT_SAME;
	if (!row->steady || own * row->shift <= 0 || fabs(own) <= LIMIT ||
	    fabs(row->share) <= LIMIT || (m->moved && moved_alike(row, m->shift)) ||
	    t <= MIN_DISTANCE * m->spread || stats__student_p(t, row->df) > MAX_P)
		return VERDICT_INCONCLUSIVE;
	return row->shift > 0 ? VERDICT_WORSE : VERDICT_BETTER;
}

void top_judge__changes(struct top_judged *row, int cnt, double *machine)
{
	double *value = xcalloc(cnt + 1, sizeof(*value));
	struct machine m;

	*machine = 0;
	for (int i = 0; i < cnt; i++)
		judge_measure(&row[i]);
	find_machine(row, cnt, value, &m);
	free(value);
	for (int i = 0; i < cnt; i++)
		row[i].verdict = find_verdict(&row[i], &m);
	if (m.moved)
		*machine = expm1(m.shift);
}
