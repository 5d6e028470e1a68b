// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the intervals of a session into one report, in which each interval is a block. Owns the
 * rules that say which documents belong together and how their numbers are merged; must not know
 * the fields of a document. Prints nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "base/util.h"
#include "report/report.h"

/*
 * Returns true if both rows have the same events in the same order. This is always so for two
 * intervals of one session.
 */
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
 * Returns true if *next continues the intervals in *merged: it is the next interval, or the total
 * of all intervals. Different intervals may have different programs only in a session that follows
 * programs.
 */
static bool is_next(struct report *merged, const struct report *next)
{
	if (next->started.tv_sec != merged->started.tv_sec || next->followed != merged->followed ||
	    merged->total ||
	    (next->total ? !next->followed : next->interval_ns <= merged->interval_ns))
		return false;
	if (!next->followed && next->prog_cnt != merged->prog_cnt)
		return false;
	for (int i = 0; i < next->prog_cnt; i++) {
		const struct report_prog *b = &next->prog[i];
		const struct report_prog *a = next->followed ? find_prog(merged, b)
							     : &merged->prog[i];

		if (!a && next->followed)
			continue;
		if (a->id != b->id || !text__is_same(a->func, b->func) ||
		    !has_same_events(&a->all, &b->all))
			return false;
	}
	return true;
}

/* ---- adding an interval to the merged report ---- */

static double minimum(const struct report_event *ev, enum stat_id id)
{
	return isnan(ev->low[id]) ? ev->stat[id] : ev->low[id];
}

static double maximum(const struct report_event *ev, enum stat_id id)
{
	return isnan(ev->high[id]) ? ev->stat[id] : ev->high[id];
}

/*
 * Sets the bounds of the merged statistics. For example, a merged percentile lies between the
 * smallest and the largest percentile of the intervals.
 */
static void join_bounds(struct report_event *to, const struct report_event *from)
{
	for (int i = 0; i < STAT_CNT; i++) {
		double low = fmin(minimum(to, i), minimum(from, i));
		double high = fmax(maximum(to, i), maximum(from, i));

		if (isnan(stat_specs[i].quantile))
			continue;
		if (i == STAT_MIN)
			high = fmin(maximum(to, i), maximum(from, i));
		if (i == STAT_MAX)
			low = fmax(minimum(to, i), minimum(from, i));
		to->low[i] = low;
		to->high[i] = high;
	}
}

/* Sets the bounds of an event that had no runs in the earlier intervals. */
static void begin_bounds(struct report_event *to, const struct report_event *from)
{
	for (int i = 0; i < STAT_CNT; i++) {
		if (isnan(stat_specs[i].quantile))
			continue;
		to->low[i] = minimum(from, i);
		to->high[i] = maximum(from, i);
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

/* Moves the program *from, which no earlier interval has, to the merged report. */
static int move_prog(struct report *merged, struct report_prog *from)
{
	struct report_prog *to = report__add_prog(merged);

	if (!to)
		return -ENOMEM;
	*to = *from;
	memset(from, 0, sizeof(*from));
	/* Copy the strings that the interval's report owns, because that report will be freed. */
	to->method = report__keep_string(merged, to->method);
	for (int e = 0; to->method && e < to->all.event_cnt; e++) {
		const char **read = &to->all.event[e].read;

		if (*read && !(*read = report__keep_string(merged, *read)))
			return -ENOMEM;
	}
	return to->method ? add_blocks(&to->all, &to->all) : -ENOMEM;
}

static int add_prog(struct report *merged, int i, struct report_prog *from)
{
	struct report_prog *to = merged->followed ? find_prog(merged, from) : &merged->prog[i];

	if (!to)
		return move_prog(merged, from);
	add_row(&to->all, &from->all);
	to->version = from->version; /* a later interval knows more about the version */
	return add_blocks(&to->all, &from->all);
}

static int add_interval(struct report *merged, struct report *next)
{
	int err = 0;

	merged->elapsed_ns += next->elapsed_ns;
	merged->interval_ns = next->interval_ns;
	for (int i = 0; !err && i < next->prog_cnt; i++)
		err = add_prog(merged, i, &next->prog[i]);
	return err;
}

/* Replaces *merged by the total, and moves the blocks of the intervals to the total. */
static void replace_by_total(struct report **merged, struct report *total)
{
	for (int i = 0; i < total->prog_cnt; i++) {
		struct report_row *to = &total->prog[i].all;
		struct report_prog *from = find_prog(*merged, &total->prog[i]);

		for (int e = 0; from && e < to->event_cnt; e++) {
			struct report_event *ev = &from->all.event[e];

			free(to->event[e].block);
			to->event[e].block = ev->block;
			to->event[e].block_cnt = ev->block_cnt;
			ev->block = NULL;
			ev->block_cnt = 0;
		}
	}
	report__free(*merged);
	*merged = total;
}

/* ---- statistics of the merged report, from its blocks ---- */

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

/*
 * The functions that merge the values of the blocks. NULL means the median. The mean is computed
 * from the sums later.
 */
static int (*const join[STAT_CNT])(const double *v, int cnt, double *out) = {
	[STAT_MIN] = find_smallest,
	[STAT_MAX] = find_largest,
};

/* Sets a merged statistic, which is known only if all blocks have the statistic. */
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

static int finish(struct report *merged)
{
	int err = 0;

	merged->interval_ns = 0;
	for (int i = 0; i < merged->prog_cnt; i++)
		for (int e = 0; !err && e < merged->prog[i].all.event_cnt; e++)
			err = set_stats(&merged->prog[i].all.event[e]);
	return err;
}

/* ---- reading ---- */

static int read_next(struct report_source *src, struct report **merged, struct report_error *err)
{
	struct report *next;
	int ret = report__read(src, &next, err);

	if (ret)
		return ret;
	if ((*merged)->interval_ns && is_next(*merged, next)) {
		if (next->total) {
			replace_by_total(merged, next);
			return 0;
		}
		ret = add_interval(*merged, next);
	} else {
		snprintf(err->text, sizeof(err->text),
			 "a second report follows: give one report, or the intervals of one "
			 "session (-I)");
		ret = -EINVAL;
	}
	report__free(next);
	return ret;
}

int report__read_all(FILE *in, struct report **out, struct report_error *err)
{
	struct report_source src = {.in = in};
	struct report *merged;
	bool intervals;
	int ret = report__read(&src, &merged, err);

	*out = NULL;
	if (ret)
		return ret;
	intervals = merged->interval_ns;
	for (int i = 0; intervals && !ret && i < merged->prog_cnt; i++)
		ret = add_blocks(&merged->prog[i].all, &merged->prog[i].all);
	while (!ret)
		ret = read_next(&src, &merged, err);
	if (ret == -ENODATA)
		ret = intervals && !merged->total ? finish(merged) : 0;
	if (ret)
		report__free(merged);
	else
		*out = merged;
	return ret;
}
