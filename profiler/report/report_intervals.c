// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The intervals of a session as one report, whose blocks they are. Owns which documents belong
 * together and how their numbers are put together; must not know a document's fields. Prints
 * nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/util.h"

/* Have both rows the same events in the same order, as all intervals of a session have? */
static bool has_same_events(const struct report_row *a, const struct report_row *b)
{
	if (a->event_cnt != b->event_cnt)
		return false;
	for (int i = 0; i < a->event_cnt; i++)
		if (!text__is_same(a->event[i].name, b->event[i].name))
			return false;
	return true;
}

static struct report_prog *find_prog(struct report *r, const struct report_prog *p)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		struct report_prog *own = &r->prog[i];

		if (own->id == p->id && text__is_same(own->func, p->func) &&
		    own->version.load_time_ns == p->version.load_time_ns)
			return own;
	}
	return NULL;
}

/*
 * Is next the interval after those in whole, or the total of them? Where programs are followed each has
 * those that there were; else they are always the same.
 */
static bool is_next(struct report *whole, const struct report *next)
{
	if (next->started.tv_sec != whole->started.tv_sec || next->followed != whole->followed ||
	    whole->total ||
	    (next->total ? !next->followed : next->interval_ns <= whole->interval_ns))
		return false;
	if (!next->followed && next->prog_cnt != whole->prog_cnt)
		return false;
	for (int i = 0; i < next->prog_cnt; i++) {
		const struct report_prog *b = &next->prog[i];
		const struct report_prog *a = next->followed ? find_prog(whole, b)
							     : &whole->prog[i];

		if (!a && next->followed)
			continue;
		if (a->id != b->id || !text__is_same(a->func, b->func) ||
		    !has_same_events(&a->all, &b->all))
			return false;
	}
	return true;
}

/* ---- sums, as the intervals come ---- */

static double least_of(const struct report_event *ev, enum stat_id id)
{
	return isnan(ev->low[id]) ? ev->stat[id] : ev->low[id];
}

static double greatest_of(const struct report_event *ev, enum stat_id id)
{
	return isnan(ev->high[id]) ? ev->stat[id] : ev->high[id];
}

/*
 * What a statistic of both may be. A percentile of the whole is not below all of the intervals', nor
 * above all of them.
 */
static void join_bounds(struct report_event *to, const struct report_event *from)
{
	for (int i = 0; i < STAT_CNT; i++) {
		double low = fmin(least_of(to, i), least_of(from, i));
		double high = fmax(greatest_of(to, i), greatest_of(from, i));

		if (isnan(stat_specs[i].quantile))
			continue;
		if (i == STAT_MIN)
			high = fmin(greatest_of(to, i), greatest_of(from, i));
		if (i == STAT_MAX)
			low = fmax(least_of(to, i), least_of(from, i));
		to->low[i] = low;
		to->high[i] = high;
	}
}

/* In the intervals before it had no run. */
static void begin_bounds(struct report_event *to, const struct report_event *from)
{
	for (int i = 0; i < STAT_CNT; i++) {
		if (isnan(stat_specs[i].quantile))
			continue;
		to->low[i] = least_of(from, i);
		to->high[i] = greatest_of(from, i);
	}
}

static void add_event(struct report_event *to, const struct report_event *from)
{
	if (from->status != EVENT_OK)
		return;
	if (to->status != EVENT_OK) {
		to->status = EVENT_OK;
		to->measured = 0;
		to->samples = 0;
		to->total = 0;
	}
	if (report_event__has_value(from) && report_event__has_value(to))
		join_bounds(to, from);
	else if (report_event__has_value(from))
		begin_bounds(to, from);
	to->measured += from->measured;
	to->total += from->total;
	to->samples += from->samples;
	to->sampled |= from->sampled;
}

static void add_row(struct report_row *to, const struct report_row *from)
{
	to->runs += from->runs;
	to->measured += from->measured;
	to->thinned_out += from->thinned_out;
	for (int i = 0; i < LOST_CNT; i++)
		to->lost[i] += from->lost[i];
	for (int i = 0; i < to->event_cnt; i++)
		add_event(&to->event[i], &from->event[i]);
}

static int add_blocks(struct report_row *to, const struct report_row *from)
{
	int err = 0;

	for (int e = 0; !err && e < to->event_cnt; e++)
		err = report_event__copy_block(&to->event[e], &from->event[e]);
	return err;
}

/* One that was not there in the intervals before. */
static int move_prog(struct report *whole, struct report_prog *from)
{
	struct report_prog *to = report__add_prog(whole);

	if (!to)
		return -ENOMEM;
	*to = *from;
	memset(from, 0, sizeof(*from));
	/* what is the other report's, and goes with it */
	to->method = report__keep_string(whole, to->method);
	for (int e = 0; to->method && e < to->all.event_cnt; e++) {
		const char **read = &to->all.event[e].read;

		if (*read && !(*read = report__keep_string(whole, *read)))
			return -ENOMEM;
	}
	return to->method ? add_blocks(&to->all, &to->all) : -ENOMEM;
}

static int add_prog(struct report *whole, int i, struct report_prog *from)
{
	struct report_prog *to = whole->followed ? find_prog(whole, from) : &whole->prog[i];

	if (!to)
		return move_prog(whole, from);
	add_row(&to->all, &from->all);
	to->version = from->version; /* later more is known */
	return add_blocks(&to->all, &from->all);
}

static int add_interval(struct report *whole, struct report *next)
{
	int err = 0;

	whole->elapsed_ns += next->elapsed_ns;
	whole->interval_ns = next->interval_ns;
	for (int i = 0; !err && i < next->prog_cnt; i++)
		err = add_prog(whole, i, &next->prog[i]);
	return err;
}

/* The total has everything but the intervals' blocks: it takes these, and the place of whole. */
static void take_total(struct report **whole, struct report *total)
{
	for (int i = 0; i < total->prog_cnt; i++) {
		struct report_row *to = &total->prog[i].all;
		struct report_prog *from = find_prog(*whole, &total->prog[i]);

		for (int e = 0; from && e < to->event_cnt; e++) {
			struct report_event *ev = &from->all.event[e];

			free(to->event[e].block);
			to->event[e].block = ev->block;
			to->event[e].block_cnt = ev->block_cnt;
			ev->block = NULL;
			ev->block_cnt = 0;
		}
	}
	report__free(*whole);
	*whole = total;
}

/* ---- statistics of the whole, from its blocks ---- */

static int find_smallest(const double *v, int cnt, double *out)
{
	*out = v[0];
	for (int i = 1; i < cnt; i++)
		*out = fmin(*out, v[i]);
	return 0;
}

static int find_largest(const double *v, int cnt, double *out)
{
	*out = v[0];
	for (int i = 1; i < cnt; i++)
		*out = fmax(*out, v[i]);
	return 0;
}

/* What is not here is the median of the blocks'; the mean is then made of the sums. */
static int (*const join[STAT_CNT])(const double *v, int cnt, double *out) = {
	[STAT_MIN] = find_smallest,
	[STAT_MAX] = find_largest,
};

/* Unless each block knows it, it is not known of the whole. */
static int set_stat(struct report_event *ev, enum stat_id id, double *v)
{
	ev->stat[id] = NAN;
	for (int i = 0; i < ev->block_cnt; i++) {
		v[i] = ev->block[i].stat[id];
		if (isnan(v[i])) {
			ev->low[id] = ev->high[id] = NAN;
			return 0;
		}
	}
	return (join[id] ?: stats__median)(v, ev->block_cnt, &ev->stat[id]);
}

static int set_stats(struct report_event *ev)
{
	double *v = ev->block_cnt ? calloc(ev->block_cnt, sizeof(*v)) : NULL;
	int err = 0;

	if (ev->block_cnt && !v)
		return -ENOMEM;
	for (int i = 0; !err && ev->block_cnt && i < STAT_CNT; i++)
		err = set_stat(ev, i, v);
	if (ev->measured && !isnan(ev->total))
		ev->stat[STAT_MEAN] = ev->total / ev->measured;
	ev->total_stddev = stats__sampled_stddev(ev->total, ev->samples);
	ev->mean_stddev = ev->measured ? ev->total_stddev / ev->measured : NAN;
	free(v);
	return err;
}

static int finish(struct report *whole)
{
	int err = 0;

	whole->interval_ns = 0;
	for (int i = 0; i < whole->prog_cnt; i++)
		for (int e = 0; !err && e < whole->prog[i].all.event_cnt; e++)
			err = set_stats(&whole->prog[i].all.event[e]);
	return err;
}

/* ---- reading ---- */

static int read_next(struct report_source *src, struct report **whole, struct report_error *err)
{
	struct report *next;
	int ret = report__read(src, &next, err);

	if (ret)
		return ret;
	if ((*whole)->interval_ns && is_next(*whole, next)) {
		if (next->total) {
			take_total(whole, next);
			return 0;
		}
		ret = add_interval(*whole, next);
	} else {
		snprintf(err->text, sizeof(err->text),
			 "another report follows: give one, or the lines of one session with -I");
		ret = -EINVAL;
	}
	report__free(next);
	return ret;
}

int report__read_whole(FILE *in, struct report **out, struct report_error *err)
{
	struct report_source src = {.in = in};
	struct report *whole;
	bool intervals;
	int ret = report__read(&src, &whole, err);

	*out = NULL;
	if (ret)
		return ret;
	intervals = whole->interval_ns;
	for (int i = 0; intervals && !ret && i < whole->prog_cnt; i++)
		ret = add_blocks(&whole->prog[i].all, &whole->prog[i].all);
	while (!ret)
		ret = read_next(&src, &whole, err);
	if (ret == -ENODATA)
		ret = intervals && !whole->total ? finish(whole) : 0;
	if (ret)
		report__free(whole);
	else
		*out = whole;
	return ret;
}
