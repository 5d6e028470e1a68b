// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the counts and the events of rows into the counts and events of their sum. Owns the
 * arithmetic: weights, spreads, errors and distributions; must not know which rows are summed up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/report_sum_priv.h"

/*
 * If the mean of more than this share of a sum's runs is not known, the mean of the sum is not
 * known.
 */
#define MAX_UNKNOWN 0.01

/* An event whose mean is known, and the number of runs that this mean represents. */
struct source {
	const struct report_event *ev;
	double runs, mean;
};

/* The sources of one event of a sum. */
struct sources {
	struct source *v;
	int cnt;
	double runs;	/* runs of all sources */
	double unknown; /* runs whose mean is not known */
	bool complete;	/* all runs were measured */
	bool sampled;	/* only some of the runs of a program were measured (--max-overhead) */
	bool unsure;	/* such a program's sampling error is not known: JSON has only the mean's */
};

/*
 * Returns the number of runs that a row's measured runs represent, such as all runs if one in N was
 * measured; NaN: not known.
 */
static double runs_of(const struct sum_source *s)
{
	if (s->row->at_least)
		return NAN;
	return s->row->measured ? s->row->measured * s->factor : s->row->runs;
}

static double known_mean_of(const struct report_event *ev)
{
	if (ev->status != EVENT_OK || !ev->measured)
		return NAN;
	return ev->sampled ? ev->sampled->mean : ev->stat[STAT_MEAN];
}

static void find_sources(struct sources *s, const struct sum_source *from, int cnt, int event)
{
	*s = (struct sources){.v = xcalloc(cnt, sizeof(*s->v)), .complete = true};
	for (int i = 0; i < cnt; i++) {
		const struct report_event *ev = &from[i].row->event[event];
		double runs = runs_of(&from[i]), mean = known_mean_of(ev);

		if (isnan(runs) || isnan(mean)) {
			s->unknown += isnan(runs) ? INFINITY : runs;
			continue;
		}
		s->v[s->cnt++] = (struct source){ev, runs, mean};
		s->runs += runs;
		s->complete &= runs == ev->measured && !ev->sampled;
		s->sampled |= ev->sampled != NULL;
		s->unsure |= from[i].row->unprobed && !ev->sampled;
	}
}

/*
 * Returns the weighted average of a number that each source has; NaN if a source's number is not
 * known.
 */
static double average(const struct sources *s, double (*get)(const struct source *v))
{
	double sum = 0;

	for (int i = 0; i < s->cnt; i++)
		if (s->v[i].runs > 0)
			sum += s->v[i].runs * get(&s->v[i]);
	return sum / s->runs;
}

static double get_mean(const struct source *v)
{
	return v->mean;
}

static double get_self(const struct source *v)
{
	return v->ev->stat[STAT_SELF];
}

static double get_bias(const struct source *v)
{
	return v->ev->bias;
}

static double get_bias_stddev(const struct source *v)
{
	return v->ev->bias_stddev;
}

static double get_bias_uncertainty(const struct source *v)
{
	return v->ev->bias_uncertainty;
}

static double get_skew(const struct source *v)
{
	return v->ev->sampled ? v->ev->sampled->skew : 0;
}

/* The variance of all runs: the variance within the programs, plus the variance of their means. */
static double find_stddev(const struct sources *s, double mean)
{
	double squares = 0;

	for (int i = 0; i < s->cnt; i++) {
		double within = s->v[i].ev->stat[STAT_STDDEV], between = s->v[i].mean - mean;

		if (s->v[i].runs > 0)
			squares += s->v[i].runs * (within * within + between * between);
	}
	return sqrt(squares / s->runs);
}

/*
 * Returns the error of the sum's mean. The errors of different programs are independent. NaN: no
 * program has an error. The estimate of a program without samples is 0. Its error is unknown but
 * small, so it is left out.
 */
static double find_error(const struct sources *s)
{
	double squares = 0;
	bool any = false;

	for (int i = 0; i < s->cnt; i++) {
		const struct report_event *ev = s->v[i].ev;
		double error = s->v[i].runs * (ev->sampled ? ev->sampled->stddev : ev->mean_stddev);

		if (isnan(error))
			continue;
		any = true;
		squares += error * error;
	}
	return any ? sqrt(squares) / s->runs : NAN;
}

/* Returns the largest Student's t (report_sampled.t) of the sources. */
static double find_t(const struct sources *s)
{
	double t = 0;

	for (int i = 0; i < s->cnt; i++)
		if (s->v[i].ev->sampled)
			t = fmax(t, s->v[i].ev->sampled->t);
	return t;
}

/* ---- the smallest and the largest run ---- */

static void set_extreme(struct report_event *to, const struct sources *s, enum stat_id id)
{
	double (*pick)(double a, double b) = id == STAT_MIN ? fmin : fmax;
	double value = NAN, low = NAN, high = NAN;

	for (int i = 0; i < s->cnt; i++) {
		const struct report_event *ev = s->v[i].ev;

		if (isnan(ev->stat[id]))
			return;
		value = pick(value, ev->stat[id]);
		low = pick(low, report_event__low(ev, id));
		high = pick(high, report_event__high(ev, id));
	}
	to->stat[id] = value;
	if (low < high) {
		to->low[id] = low;
		to->high[id] = high;
	}
}

/* ---- distributions ---- */

/* A bucket, and the number of runs that it represents. */
struct weighted {
	struct report_bucket b;
	double runs;
};

struct distribution {
	struct weighted *v;
	int cnt;
	double runs;
};

static int compare_weighted(const void *a_ptr, const void *b_ptr)
{
	const struct weighted *a = a_ptr, *b = b_ptr;

	if (a->b.low != b->b.low)
		return a->b.low < b->b.low ? -1 : 1;
	return a->b.high < b->b.high ? -1 : a->b.high > b->b.high;
}

static void join_bucket(struct weighted *to, const struct weighted *from)
{
	if (from->runs > to->runs)
		to->b.value = from->b.value;
	to->b.known &= from->b.known;
	to->b.least = fmin(to->b.least, from->b.least);
	to->b.greatest = fmax(to->b.greatest, from->b.greatest);
	to->b.count += from->b.count;
	to->runs += from->runs;
}

static void add_event_buckets(struct distribution *d, const struct source *v)
{
	__u64 count = 0;

	for (int i = 0; i < v->ev->bucket_cnt; i++)
		count += v->ev->bucket[i].count;
	for (int i = 0; i < v->ev->bucket_cnt; i++) {
		const struct report_bucket *b = &v->ev->bucket[i];

		d->v[d->cnt++] = (struct weighted){
			*b, count == v->runs ? b->count : v->runs * b->count / count};
	}
}

/* Merges the buckets of all sources. If one source has no buckets, there is no distribution. */
static struct distribution find_distribution(const struct sources *s)
{
	struct distribution d = {};
	int cnt = 0, kept = 0;

	for (int i = 0; i < s->cnt; i++) {
		if (!s->v[i].ev->bucket_cnt)
			return d;
		cnt += s->v[i].ev->bucket_cnt;
	}
	d.v = xcalloc(cnt + 1, sizeof(*d.v));
	for (int i = 0; i < s->cnt; i++)
		add_event_buckets(&d, &s->v[i]);
	qsort(d.v, d.cnt, sizeof(*d.v), compare_weighted);
	for (int i = 0; i < d.cnt; i++) {
		d.runs += d.v[i].runs;
		if (kept && !compare_weighted(&d.v[kept - 1], &d.v[i]))
			join_bucket(&d.v[kept - 1], &d.v[i]);
		else
			d.v[kept++] = d.v[i];
	}
	d.cnt = kept;
	return d;
}

/*
 * Returns the bucket with the smallest value that a share q of the runs do not exceed, like
 * hist__quantile().
 */
static const struct weighted *find_bucket(const struct distribution *d, double q)
{
	double seen = 0;
	int i = 0;

	for (; i < d->cnt - 1; i++) {
		seen += d->v[i].runs;
		if (seen >= q * d->runs)
			break;
	}
	return &d->v[i];
}

static double least_of(const struct report_bucket *b, const struct report_event *limits)
{
	double low = report_event__low(limits, STAT_MIN);

	return b->known ? b->least : isnan(low) ? b->low : fmin(fmax(b->low, low), b->high);
}

static double greatest_of(const struct report_bucket *b, const struct report_event *limits)
{
	double high = report_event__high(limits, STAT_MAX);

	return b->known ? b->greatest : isnan(high) ? b->high : fmax(fmin(b->high, high), b->low);
}

/*
 * margin: the share of the runs by which the rank of the percentile may be wrong, as only some runs
 * were measured
 */
static void set_percentile(struct report_event *to, const struct distribution *d, enum stat_id id,
			   double margin)
{
	double q = stat_specs[id].quantile;
	const struct report_bucket *b = &find_bucket(d, q)->b;
	double low = least_of(&find_bucket(d, fmax(0, q - margin))->b, to);
	double high = greatest_of(&find_bucket(d, fmin(1, q + margin))->b, to);
	double value = b->known ? b->value : (least_of(b, to) + greatest_of(b, to)) / 2;

	if (margin > 0 && stat__is_too_inexact(value, (high - low) / 2))
		return;
	to->stat[id] = value;
	if (low < high) {
		to->low[id] = low;
		to->high[id] = high;
	}
}

/*
 * Returns how many independent runs of one program would give the same error as the sampled runs of
 * all programs. Programs whose runs were all measured add no error.
 */
static double independent_runs(const struct sources *s)
{
	double sum = 0;

	for (int i = 0; i < s->cnt; i++)
		if (s->v[i].ev->sampled && s->v[i].runs > 0)
			sum += s->v[i].runs * s->v[i].runs / s->v[i].ev->sampled->runs;
	return s->runs * s->runs / sum;
}

static void set_distribution(struct report_event *to, const struct sources *s)
{
	struct distribution d = find_distribution(s);
	double t = find_t(s), n = s->sampled ? independent_runs(s) : INFINITY;

	for (int i = 0; d.runs > 0 && i < STAT_CNT; i++) {
		double q = stat_specs[i].quantile;

		if (stat__is_percentile(i) && !s->unsure)
			set_percentile(to, &d, i,
				       s->sampled ? t * sqrt(q * (1 - q) / n) + average(s, get_skew)
						  : 0);
	}
	for (int i = 0; i < d.cnt; i++)
		*report_event__add_bucket(to) = d.v[i].b;
	free(d.v);
}

/* ---- events ---- */

static void set_sum_stats(struct report_event *to, const struct sources *s)
{
	/*
	 * "unknown" may be infinite. The quotient is then NaN, for which the condition is true,
	 * too.
	 */
	if (!s->cnt || !(s->runs > 0) || !(s->unknown / (s->runs + s->unknown) <= MAX_UNKNOWN))
		return;
	to->stat[STAT_MEAN] = s->complete ? to->total / to->measured : average(s, get_mean);
	to->stat[STAT_STDDEV] = find_stddev(s, to->stat[STAT_MEAN]);
	to->stat[STAT_SELF] = average(s, get_self);
	to->bias = average(s, get_bias);
	to->bias_stddev = average(s, get_bias_stddev);
	to->bias_uncertainty = average(s, get_bias_uncertainty);
	to->raw_per_run = to->stat[STAT_MEAN] + to->bias;
	to->mean_stddev = find_error(s);
	set_extreme(to, s, STAT_MIN);
	set_extreme(to, s, STAT_MAX);
	set_distribution(to, s);
	if (!s->sampled || !stat__is_too_inexact(to->stat[STAT_MEAN], find_t(s) * to->mean_stddev))
		return;
	for (int i = 0; i < STAT_CNT; i++)
		to->stat[i] = to->low[i] = to->high[i] = NAN;
	to->raw_per_run = NAN;
}

static void add_event_counts(struct report_event *to, const struct report_event *ev)
{
	if (ev->status != EVENT_OK)
		return;
	if (!isnan(ev->total))
		to->total = isnan(to->total) ? ev->total : to->total + ev->total;
	to->measured += ev->measured;
	to->exact &= ev->exact;
	if (!to->read)
		to->read = ev->read;
	if (ev->estimate) {
		struct report_estimate *e = report_event__add_estimate(to);
		double error = ev->estimate->total_stddev;

		e->samples += ev->estimate->samples;
		if (!isnan(error))
			e->total_stddev = isnan(e->total_stddev) ? error
								 : hypot(e->total_stddev, error);
	}
}

/*
 * Makes the blocks of the sum, if all programs have the same number of blocks. Only the mean of a
 * block is known, not its distribution.
 */
static void merge_blocks(struct report_event *to, const struct sources *s)
{
	int cnt = s->cnt && s->complete ? s->v[0].ev->block_cnt : 0;

	for (int i = 0; i < s->cnt; i++)
		cnt = s->v[i].ev->block_cnt == cnt ? cnt : 0;
	for (int b = 0; b < cnt; b++) {
		struct report_block *block = report_event__add_block(to);
		double total = 0;

		for (int i = 0; i < s->cnt; i++) {
			const struct report_block *from = &s->v[i].ev->block[b];

			total += from->measured * from->stat[STAT_MEAN];
			block->measured += from->measured;
		}
		block->stat[STAT_MEAN] = total / block->measured;
	}
}

static void add_sum_event(struct report_row *row, const struct sum_source *from, int cnt, int event)
{
	const struct report_event *first = &from->row->event[event];
	struct report_event *to = report_row__add_event(row);
	struct sources s;

	to->name = text__dup(first->name);
	to->base = text__dup(first->base);
	to->unit = text__dup(first->unit);
	to->exact = true;
	to->status = first->status;
	for (int i = 0; i < cnt; i++) {
		/*
		 * The sum's event has status ok if the event of at least one program has status ok.
		 */
		if (from[i].row->event[event].status == EVENT_OK)
			to->status = EVENT_OK;
		add_event_counts(to, &from[i].row->event[event]);
	}
	to->detail = to->status == EVENT_OK ? NULL : text__dup(first->detail);
	to->exact &= to->measured > 0;
	find_sources(&s, from, cnt, event);
	set_sum_stats(to, &s);
	merge_blocks(to, &s);
	free(s.v);
}

/* ---- rows ---- */

void report_sum__merge_row(struct report_row *to, const struct sum_source *from, int cnt)
{
	to->cpu_share = to->likely_runs = 0;
	for (int i = 0; i < cnt; i++) {
		const struct report_row *row = from[i].row;

		to->runs += row->runs;
		to->measured += row->measured;
		to->thinned_out += row->thinned_out;
		to->unprobed += row->unprobed;
		to->likely_runs += row->likely_runs;
		to->at_least |= row->at_least;
		for (int l = 0; l < LOST_CNT; l++)
			to->lost[l] += row->lost[l];
		if (row->period_max && (!to->period_min || row->period_min < to->period_min))
			to->period_min = row->period_min;
		if (row->period_max > to->period_max)
			to->period_max = row->period_max;
		to->cpu_share += row->cpu_share;
		if (!row->share_estimated)
			continue;
		/*
		 * The errors of shares are independent. If the error of an estimated share is not
		 * known, the error of the sum is not known.
		 */
		to->share_error = to->share_estimated ? hypot(to->share_error, row->share_error)
						      : row->share_error;
		to->share_estimated = true;
	}
	if (isnan(to->cpu_share))
		to->share_estimated = false;
	for (int i = 0; i < from->row->event_cnt; i++)
		add_sum_event(to, from, cnt, i);
}
