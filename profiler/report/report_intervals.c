// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the reports of a file into one report. If they are the intervals of a session (-I), each
 * interval becomes a block. If they are reports of several sessions (--append), the blocks of all
 * reports are put together. Owns the rules which documents belong together, and how their numbers
 * are merged. Must not know the JSON fields. Prints nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spread.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/util.h"
#include "report/report.h"
#include "report/report_head.h"

static struct report_prog *find_same_prog(struct report *r, const struct report_prog *p)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		struct report_prog *own = &r->prog[i];

		if (own->id == p->id && text__is_same(own->func, p->func) &&
		    own->version.load_time_ns == p->version.load_time_ns &&
		    report_prog__is_same_part(own, p))
			return own;
	}
	return NULL;
}

/*
 * Like find_same_prog(), for row i of next. A kernel function has several rows of the same name if
 * it is called with several maps of the same name: the nth of these rows in next continues the nth
 * one in r.
 */
static struct report_prog *find_same_row(struct report *r, const struct report *next, int i)
{
	struct report_prog *own = find_same_prog(r, &next->prog[i]);

	for (int k = 0; own && next->prog[i].called && k < i; k++) {
		if (next->prog[k].id != own->id || !text__is_same(next->prog[k].func, own->func))
			continue;
		do
			own = ++own < r->prog + r->prog_cnt ? own : NULL;
		while (own && (own->id != next->prog[i].id ||
			       !text__is_same(own->func, next->prog[i].func)));
	}
	return own;
}

/* Returns true if a later interval may have rows that an earlier interval lacks, or the reverse. */
static bool may_grow(const struct report *r)
{
	/* a kernel function that was not called has no row (--calls) */
	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].called)
			return true;
	return r->followed || r->by_retval;
}

/*
 * Returns true if *next continues the intervals in *merged: it is the next interval, or the total
 * of all intervals. Two intervals may have different programs only in a session that follows
 * programs. They may have different return values or other keys only with --by.
 */
static bool is_next(struct report *merged, const struct report *next)
{
	bool grows = may_grow(merged) || may_grow(next);

	if (next->started.tv_sec != merged->started.tv_sec || next->followed != merged->followed ||
	    merged->total || next->scope_cnt ||
	    (next->total ? !next->followed : next->interval_ns <= merged->interval_ns))
		return false;
	if (!grows && next->prog_cnt != merged->prog_cnt)
		return false;
	for (int i = 0; i < next->prog_cnt; i++) {
		const struct report_prog *b = &next->prog[i];
		const struct report_prog *a = grows ? find_same_row(merged, next, i)
						    : &merged->prog[i];

		if (!a && grows)
			continue;
		if (a->id != b->id || !text__is_same(a->func, b->func) ||
		    !report_row__has_same_events(&a->all, &b->all))
			return false;
	}
	return true;
}

/* ---- adding an interval to the merged report ---- */

/*
 * Sets the bounds of the merged statistics. For example, a merged percentile lies between the
 * smallest and the largest percentile of the intervals.
 */
static void join_bounds(struct report_event *to, const struct report_event *from)
{
	for (int i = 0; i < STAT_CNT; i++) {
		double low = fmin(report_event__low(to, i), report_event__low(from, i));
		double high = fmax(report_event__high(to, i), report_event__high(from, i));

		if (isnan(stat_specs[i].quantile))
			continue;
		if (i == STAT_MIN)
			high = fmin(report_event__high(to, i), report_event__high(from, i));
		if (i == STAT_MAX)
			low = fmax(report_event__low(to, i), report_event__low(from, i));
		to->low[i] = low;
		to->high[i] = high;
	}
}

/*
 * Sets the first bounds of an event that had no runs in earlier intervals. With the statistics, the
 * event has a value from now on, so that later intervals widen these bounds.
 */
static void begin_bounds(struct report_event *to, const struct report_event *from)
{
	memcpy(to->stat, from->stat, sizeof(to->stat));
	to->raw_per_run = from->raw_per_run;
	for (int i = 0; i < STAT_CNT; i++) {
		if (isnan(stat_specs[i].quantile))
			continue;
		to->low[i] = report_event__low(from, i);
		to->high[i] = report_event__high(from, i);
	}
}

static void add_interval_event(struct report_event *to, const struct report_event *from)
{
	if (from->status != EVENT_OK)
		return;
	if (to->status != EVENT_OK) {
		to->status = EVENT_OK;
		to->exact = from->exact;
		to->measured = 0;
		to->total = 0;
		if (to->estimate)
			to->estimate->samples = 0;
	}
	to->exact &= from->exact;
	if (report_event__has_value(from) && report_event__has_value(to)) {
		join_bounds(to, from);
		/* a mean of net costs with different biases has no raw mean */
		if (from->bias != to->bias)
			to->raw_per_run = NAN;
	} else if (report_event__has_value(from)) {
		begin_bounds(to, from);
	}
	/* The bias of the merged event is that of the first interval with measured runs. */
	if (isnan(to->bias)) {
		to->bias = from->bias;
		to->bias_stddev = from->bias_stddev;
	}
	to->bias_uncertainty = fmax(to->bias_uncertainty, from->bias_uncertainty);
	/* Without this, the merged event would have the buckets of the first report only. */
	to->bucket_cnt = 0;
	if (!isnan(from->repeat_stddev))
		to->repeat_stddev = from->repeat_stddev; /* set_stats() computes it anew */
	to->measured += from->measured;
	to->total += from->total;
	if (from->estimate)
		report_event__add_estimate(to)->samples += from->estimate->samples;
}

/* If the mean of more than this share of the runs is not known, the merged mean is not known. */
#define MAX_UNKNOWN 0.01

/*
 * Returns true if not all runs of the row were measured, because its probe was attached for slices of
 * time only (--max-overhead).
 */
static bool has_slices(const struct report_row *row)
{
	return row->unprobed || row->at_least;
}

/*
 * Adds the mean of an event to *sum. The weight of the mean is the number of all runs of the row,
 * also of those that were not measured.
 */
static void add_mean(struct report_sampled *sum, const struct report_row *row,
		     const struct report_event *ev)
{
	double runs = row->at_least ? INFINITY : row->runs, mean = NAN;

	if (ev->status == EVENT_OK && ev->measured)
		mean = has_slices(row) ? ev->stat[STAT_MEAN] : ev->total / ev->measured;
	if (isnan(mean) || row->at_least) {
		sum->skew += runs;
		return;
	}
	sum->mean += runs * mean;
	sum->runs += runs;
	if (has_slices(row))
		sum->stddev = hypot(sum->stddev, runs * ev->mean_stddev);
}

/*
 * With slices, the number of measured runs is not the weight of an interval's mean. So this
 * function adds up the means in to->sampled, until all intervals are merged: "mean" is the sum of
 * the costs of "runs" runs, "stddev" its error, and "skew" the number of runs whose mean is not
 * known.
 */
static void add_means(const struct report_row *to, const struct report_row *from, int event)
{
	struct report_event *ev = &to->event[event];

	if (!ev->sampled && !has_slices(to) && !has_slices(from))
		return;
	if (!ev->sampled)
		add_mean(report_event__add_sampled(ev), to, ev);
	add_mean(ev->sampled, from, &from->event[event]);
}

/* Sets the mean and its error from the sums of add_means(). */
static void set_mean(struct report_event *ev)
{
	const struct report_sampled *sum = ev->sampled;

	ev->stat[STAT_MEAN] = sum->mean / sum->runs;
	ev->mean_stddev = sum->stddev / sum->runs;
	/* The condition is also true if skew is infinite, because the quotient is then NaN. */
	if (!(sum->skew / (sum->runs + sum->skew) <= MAX_UNKNOWN))
		for (int i = 0; i < STAT_CNT; i++)
			ev->stat[i] = ev->low[i] = ev->high[i] = NAN;
	free(ev->sampled);
	ev->sampled = NULL;
}

/*
 * Adds the blocks of each event in *from to the same event in *to. An event without blocks becomes
 * a block.
 */
static void add_interval_blocks(struct report_row *to, const struct report_row *from)
{
	for (int e = 0; e < to->event_cnt; e++) {
		const struct report_event *ev = &from->event[e];

		if (!ev->block_cnt)
			report_event__copy_block(&to->event[e], ev);
		for (int i = 0; i < ev->block_cnt; i++)
			*report_event__add_block(&to->event[e]) = ev->block[i];
	}
}

/* If an event has no blocks, makes its statistics its first block, so that other blocks can be added. */
static void make_block(struct report_row *row)
{
	for (int e = 0; e < row->event_cnt; e++)
		if (!row->event[e].block_cnt)
			report_event__copy_block(&row->event[e], &row->event[e]);
}

static void make_blocks(struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		make_block(&r->prog[i].all);
}

/* Moves the program *from, which is in no earlier report, to the merged report. */
static void move_prog(struct report *merged, struct report_prog *from)
{
	struct report_prog *to = report__add_prog(merged);

	*to = *from;
	memset(from, 0, sizeof(*from));
	/* Copy the strings that the interval's report owns, because that report will be freed. */
	to->method = report__keep_string(merged, to->method);
	for (int e = 0; e < to->all.event_cnt; e++) {
		const char **read = &to->all.event[e].read;

		if (*read)
			*read = report__keep_string(merged, *read);
	}
	make_block(&to->all);
}

/*
 * Moves the last row, which no earlier report has, behind row "before": the rows of a call tree
 * follow one another. Returns the row's new index.
 */
static int place_row(struct report *merged, int before)
{
	int last = merged->prog_cnt - 1;
	struct report_prog p = merged->prog[last];

	memmove(&merged->prog[before + 2], &merged->prog[before + 1],
		(last - before - 1) * sizeof(p));
	merged->prog[before + 1] = p;
	return before + 1;
}

/*
 * Returns the number of runs to which calls_per_run of row i refers: those of all rows of its root
 * (result_funcs.c, set_calls_per_run()).
 */
static double runs_of_root(const struct report *r, int i)
{
	const struct report_prog *p = &r->prog[i];
	const bool of_measured = p->by_retval || (p->called && r->thin_period != 1);
	double runs = 0;
	int root = i;

	while (root && r->prog[root].subprog && r->prog[root].depth)
		root--;
	while (!report__is_first_row(r, root))
		root--;
	do
		runs += of_measured ? r->prog[root].all.measured : r->prog[root].all.runs;
	while (++root < r->prog_cnt && !report__is_first_row(r, root));
	return runs;
}

/* Makes calls_per_run of all rows a number of calls, so that it can be added up. */
static void count_calls(struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		double runs = runs_of_root(r, i);

		/* without runs there were no calls, even if nothing is known of calls per run */
		if (runs)
			r->prog[i].calls_per_run *= runs;
		else if (!r->prog[i].unmeasured)
			r->prog[i].calls_per_run = 0;
	}
}

/* The members of a budget that are shares of the time. */
static const size_t budget_shares[] = {
	offsetof(struct report_budget, added),
	offsetof(struct report_budget, counting),
	offsetof(struct report_budget, attaching),
	offsetof(struct report_budget, stats),
};

static double *budget_share(struct report *r, size_t i)
{
	return (double *)((char *)r->budget + budget_shares[i]);
}

/*
 * Prepares adding the CPU shares of *next to those of *merged: multiplies each share by its
 * report's part of the total time. A program that is in only one of the reports took no CPU time in
 * the other report's time. Also adds up the overhead.
 */
static void weigh_shares(struct report *merged, struct report *next)
{
	double all = (double)merged->elapsed_ns + next->elapsed_ns;

	for (int side = 0; side < 2; side++) {
		struct report *r = side ? next : merged;

		for (int i = 0; i < r->prog_cnt; i++) {
			r->prog[i].all.cpu_share *= all > 0 ? r->elapsed_ns / all : NAN;
			r->prog[i].all.share_error *= all > 0 ? r->elapsed_ns / all : NAN;
		}
		for (size_t k = 0; r->budget && k < ARRAY_SIZE(budget_shares); k++)
			*budget_share(r, k) *= all > 0 ? r->elapsed_ns / all : NAN;
	}
	for (size_t k = 0; merged->budget && next->budget && k < ARRAY_SIZE(budget_shares); k++)
		*budget_share(merged, k) += *budget_share(next, k);
}

/* The most notes of a program. A note with a number may differ in each interval. */
#define MAX_NOTES 64

/*
 * Adds the notes that the program does not have yet: a caveat about one interval also applies to
 * the sum of all intervals.
 */
static void add_notes(struct report_notes *to, const struct report_notes *from)
{
	for (int i = 0; i < from->cnt && to->cnt < MAX_NOTES; i++) {
		bool known = false;

		for (int k = 0; k < to->cnt && !known; k++)
			known = !strcmp(to->text[k], from->text[i]);
		if (!known)
			report_notes__add(to, "%s", from->text[i]);
	}
}

static bool is_same_skip(const struct report_skip *a, const struct report_skip *b)
{
	return a->id == b->id && text__is_same(a->name, b->name) &&
	       text__is_same(a->reason, b->reason);
}

/* Adds the targets that were not measured only in a later report. */
static void add_skips(struct report *merged, const struct report *next)
{
	for (int i = 0; i < next->skip_cnt; i++) {
		const struct report_skip *s = &next->skip[i];
		/* usually, both reports have the same skips in the same order */
		int k = i < merged->skip_cnt && is_same_skip(&merged->skip[i], s) ? i : 0;

		while (k < merged->skip_cnt && !is_same_skip(&merged->skip[k], s))
			k++;
		if (k == merged->skip_cnt)
			*report__add_skip(merged) = (struct report_skip){
				.id = s->id,
				.name = text__dup(s->name),
				.reason = report__keep_string(merged, text__or_empty(s->reason)),
				.detail = text__dup(s->detail)};
		if (s->more > merged->skip[k].more)
			merged->skip[k].more = s->more;
	}
}

/*
 * Adds *from to the program *to of the merged report. If to is NULL, the merged report does not
 * have the program yet.
 */
static void merge_into_prog(struct report *merged, struct report_prog *to, struct report_prog *from)
{
	const struct report_row *row = &from->all;

	if (!to) {
		move_prog(merged, from);
		return;
	}
	to->all.cpu_share += row->cpu_share;
	if (row->share_estimated)
		to->all.share_error = to->all.share_estimated
					      ? hypot(to->all.share_error, row->share_error)
					      : row->share_error;
	to->all.share_estimated |= row->share_estimated;
	report_prog__drop_cpus(to);
	to->calls_per_run += from->calls_per_run;
	for (int i = 0; i < to->all.event_cnt; i++)
		add_means(&to->all, row, i);
	to->all.runs += row->runs;
	to->all.measured += row->measured;
	to->all.thinned_out += row->thinned_out;
	to->all.unprobed += row->unprobed;
	to->all.at_least |= row->at_least;
	for (int i = 0; i < LOST_CNT; i++)
		to->all.lost[i] += row->lost[i];
	for (int i = 0; i < to->all.event_cnt; i++)
		add_interval_event(&to->all.event[i], &row->event[i]);
	report_prog__add_properties(to, from);
	add_notes(&to->notes, &from->notes);
	/* retval is the value that all runs returned: unknown if the two reports differ. */
	if (report_prog__has_retval(to) && report_prog__has_retval(from) &&
	    !report_prog__returns_alike(to, from)) {
		to->retval = NAN;
		to->retval_varies = true;
		free(to->retvals);
		to->retvals = NULL;
		to->retvals_cnt = 0;
	}
	to->version = from->version; /* the later report has newer data on the version */
	add_interval_blocks(&to->all, row);
}

static void add_interval(struct report *merged, struct report *next)
{
	struct report_sampling *sampling = merged->sampling;
	bool grows = may_grow(merged) || may_grow(next);
	int before = -1; /* the index of the row to which the last row was added */

	/* the samples are those since the start of the session: keep the newer numbers */
	if (next->sampling) {
		merged->sampling = next->sampling;
		next->sampling = sampling;
	}
	weigh_shares(merged, next);
	add_skips(merged, next);
	merged->elapsed_ns += next->elapsed_ns;
	merged->interval_ns = next->interval_ns;
	count_calls(next);
	for (int i = 0; i < next->prog_cnt; i++) {
		struct report_prog *to = grows ? find_same_row(merged, next, i) : &merged->prog[i];
		bool called = next->prog[i].called;

		before = to ? to - merged->prog : before;
		merge_into_prog(merged, to, &next->prog[i]);
		if (!to)
			before = called ? place_row(merged, before) : merged->prog_cnt - 1;
	}
}

/* Replaces *merged by the total, and moves the blocks of the intervals to the total. */
static void replace_by_total(struct report **merged, struct report *total)
{
	for (int i = 0; i < total->prog_cnt; i++) {
		struct report_row *to = &total->prog[i].all;
		struct report_prog *from = find_same_prog(*merged, &total->prog[i]);

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

/* Returns the mean of a statistic over the runs of all blocks. */
static double mean_of_blocks(const struct report_event *ev, enum stat_id id)
{
	double sum = 0, runs = 0;

	for (int i = 0; i < ev->block_cnt; i++) {
		sum += ev->block[i].measured * ev->block[i].stat[id];
		runs += ev->block[i].measured;
	}
	return sum / runs;
}

/*
 * Returns the standard deviation of the runs of all blocks. It includes the deviations within the
 * blocks and the differences between the blocks' means.
 */
static double stddev_of_blocks(const struct report_event *ev)
{
	double mean = mean_of_blocks(ev, STAT_MEAN), squares = 0, runs = 0;

	for (int i = 0; i < ev->block_cnt; i++) {
		const struct report_block *b = &ev->block[i];
		double within = b->stat[STAT_STDDEV], between = b->stat[STAT_MEAN] - mean;

		squares += b->measured * (within * within + between * between);
		runs += b->measured;
	}
	return sqrt(squares / runs);
}

/* Returns the standard deviation of the mean over the blocks, as report__set_repeats() sets it. */
static double error_of_blocks(const struct report_event *ev)
{
	struct spread means = {};

	for (int i = 0; i < ev->block_cnt; i++)
		spread__add(&means, ev->block[i].stat[STAT_MEAN]);
	return spread__stddev(&means);
}

/*
 * Merges the values of a statistic in the blocks. The result is known only if all blocks have a value.
 * The mean is computed from the sums later.
 */
static void set_stat(struct report_event *ev, enum stat_id id, double *v)
{
	ev->stat[id] = NAN;
	for (int i = 0; i < ev->block_cnt; i++) {
		v[i] = ev->block[i].stat[id];
		if (isnan(v[i])) {
			ev->low[id] = ev->high[id] = NAN;
			return;
		}
	}
	if (id != STAT_MIN && id != STAT_MAX) {
		ev->stat[id] = stat__is_percentile(id) ? stats__median(v, ev->block_cnt)
			       : id == STAT_STDDEV     ? stddev_of_blocks(ev)
						       : mean_of_blocks(ev, id);
		return;
	}
	ev->stat[id] = v[0];
	for (int i = 1; i < ev->block_cnt; i++)
		ev->stat[id] = id == STAT_MIN ? fmin(ev->stat[id], v[i]) : fmax(ev->stat[id], v[i]);
}

static void set_stats(struct report_event *ev)
{
	double *v = ev->block_cnt ? xcalloc(ev->block_cnt, sizeof(*v)) : NULL;

	for (int i = 0; ev->block_cnt && i < STAT_CNT; i++)
		set_stat(ev, i, v);
	if (ev->measured && !isnan(ev->total))
		ev->stat[STAT_MEAN] = ev->total / ev->measured;
	ev->mean_stddev = NAN;
	if (ev->sampled)
		set_mean(ev);
	if (!isnan(ev->raw_per_run))
		ev->raw_per_run = ev->stat[STAT_MEAN] + ev->bias;
	if (!isnan(ev->repeat_stddev))
		ev->repeat_stddev = error_of_blocks(ev);
	if (ev->estimate) {
		ev->estimate->total_stddev =
			stats__sampled_stddev(ev->total, ev->estimate->samples);
		if (ev->measured)
			ev->mean_stddev = ev->estimate->total_stddev / ev->measured;
	}
	free(v);
}

/*
 * Returns true if a and b are rows of the same function, and a ("other" or "not measured") must come after b.
 */
static bool comes_after(const struct report_prog *a, const struct report_prog *b)
{
	return report_prog__is_same_target(a, b) && report_prog__is_rest(a) &&
	       (!report_prog__is_rest(b) || (a->unmeasured && !b->unmeasured));
}

/* Moves each row that a later interval added behind the earlier rows of its function. */
static void group_parts(struct report *r)
{
	for (int i = 1; i < r->prog_cnt; i++) {
		struct report_prog p = r->prog[i];
		int at = i;

		while (at && !report_prog__is_same_target(&r->prog[at - 1], &p))
			at--;
		if (!at)
			continue;
		/* "other" and "not measured" stay last */
		while (at && comes_after(&r->prog[at - 1], &p))
			at--;
		memmove(&r->prog[at + 1], &r->prog[at], (i - at) * sizeof(p));
		r->prog[at] = p;
	}
}

static void finish_merging(struct report *merged)
{
	merged->interval_ns = 0;
	group_parts(merged);
	for (int i = 0; i < merged->prog_cnt; i++) {
		struct report_prog *p = &merged->prog[i];
		double runs = runs_of_root(merged, i);

		p->calls_per_run = runs ? p->calls_per_run / runs : NAN; /* undoes count_calls() */
		for (int e = 0; e < p->all.event_cnt; e++)
			set_stats(&p->all.event[e]);
	}
	report__update_changes(merged);
}

/* ---- reports of several sessions ---- */

/* The search for the rows of merged that the rows of next continue. */
struct twins {
	const struct report *merged, *next;
	int *of;     /* of[i]: the index in merged of the row that row i of next continues, or -1 */
	bool *taken; /* taken[j]: a row of next continues row j of merged */
};

/*
 * What two rows must have in common, besides their names, to be taken for the same program: the id
 * and the tag, the tag, or nothing.
 */
enum likeness { SAME_ID, SAME_CODE, SAME_NAME, LIKENESS_CNT };

static bool is_like(const struct report_prog *a, const struct report_prog *b, enum likeness like)
{
	return report_prog__is_same(a, b) && (like == SAME_NAME || !strcmp(a->tag, b->tag)) &&
	       (like != SAME_ID || a->id == b->id);
}

/* Returns true if next has another row with the same name as row i that has no twin yet, either. */
static bool has_rival(const struct twins *t, int i)
{
	for (int k = 0; k < t->next->prog_cnt; k++)
		if (k != i && t->of[k] < 0 &&
		    is_like(&t->next->prog[k], &t->next->prog[i], SAME_NAME))
			return true;
	return false;
}

/* Returns the first row of merged, from "from" on, that is like row i of next and not taken, or -1. */
static int find_twin(const struct twins *t, int from, int i, enum likeness like)
{
	for (int j = from; j < t->merged->prog_cnt; j++)
		if (!t->taken[j] && is_like(&t->merged->prog[j], &t->next->prog[i], like))
			return j;
	return -1;
}

/*
 * Takes all programs with the same name and tag as row i. Returns true if all of them that are in
 * one of the two reports are also in the other report, with the same ids. Otherwise these programs
 * were loaded again, for example after a reboot, and some have the id of another program only by
 * chance.
 */
static bool has_kept_ids(const struct twins *t, int i)
{
	const struct report_prog *p = &t->next->prog[i];
	int next = 0, both = 0, merged = 0;

	for (int k = 0; k < t->next->prog_cnt; k++) {
		bool like = is_like(&t->next->prog[k], p, SAME_CODE);

		next += like;
		both += like && t->of[k] >= 0;
	}
	for (int j = 0; j < t->merged->prog_cnt; j++)
		merged += is_like(&t->merged->prog[j], p, SAME_CODE);
	return both == next || both == merged;
}

/* Drops the twins with ids that are the same by chance. */
static void drop_chance_ids(struct twins *t)
{
	bool *kept = xcalloc(t->next->prog_cnt, sizeof(*kept));

	for (int i = 0; i < t->next->prog_cnt; i++)
		kept[i] = t->of[i] < 0 || has_kept_ids(t, i);
	for (int i = 0; i < t->next->prog_cnt; i++) {
		if (kept[i])
			continue;
		t->taken[t->of[i]] = false;
		t->of[i] = -1;
	}
	free(kept);
}

/*
 * A program gets a new id when it is loaded again, perhaps in another order than before, and a new
 * tag if its code changes. Of several programs with the same name and the same code, the nth one of
 * next continues the nth one of merged. If only the name is the same, a row continues another row
 * only if neither report has a further row of this name to choose from.
 */
static void find_twins(struct twins *t)
{
	for (int i = 0; i < t->next->prog_cnt; i++)
		t->of[i] = -1;
	for (enum likeness like = 0; like < LIKENESS_CNT; like++) {
		for (int i = 0; i < t->next->prog_cnt; i++) {
			int j = t->of[i] < 0 ? find_twin(t, 0, i, like) : -1;

			if (j < 0 || (like == SAME_NAME &&
				      (has_rival(t, i) || find_twin(t, j + 1, i, like) >= 0)))
				continue;
			t->of[i] = j;
			t->taken[j] = true;
		}
		if (like == SAME_ID)
			drop_chance_ids(t);
	}
}

/*
 * A size that differs between the sessions becomes "not known" in the merged report. The times of
 * all loads are kept.
 */
static void add_sizes(struct report_prog *to, const struct report_prog *from)
{
	int cnt = to->verification_cnt + from->verification_cnt;
	double *all = xcalloc(cnt, sizeof(*all));

	for (int id = 0; id < SIZE_CNT; id++)
		if (to->size[id] != from->size[id])
			to->size[id] = NAN;
	for (int i = 0; i < cnt; i++)
		all[i] = i < to->verification_cnt ? to->verification[i]
						  : from->verification[i - to->verification_cnt];
	if (cnt)
		report_prog__set_verification(to, all, cnt);
	free(all);
}

/* Returns the first condition in which the two measurements differ, such as "kernels", or NULL. */
static const char *find_difference(const struct report *a, const struct report *b)
{
	const struct {
		bool differs;
		const char *what;
	} checks[] = {
		{!text__is_same(a->host.kernel, b->host.kernel), "kernels"},
		{!text__is_same(a->host.arch, b->host.arch), "architectures"},
		{!text__is_same(a->host.cpu_model, b->host.cpu_model), "CPUs"},
		{a->calibrated != b->calibrated, "kinds of numbers, net and raw"},
		{a->driven != b->driven || a->of_scopes != b->of_scopes, "commands"},
		{a->by_retval != b->by_retval || a->by != b->by, "rows (--by)"},
		{!text__is_same(a->sum, b->sum), "rows (--sum)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].differs)
			return checks[i].what;
	return NULL;
}

/* Adds the report of another session, so that its blocks follow those of the merged report. */
static int add_session(struct report *merged, struct report *next, struct report_error *err)
{
	const char *difference = find_difference(merged, next);
	struct twins twins = {merged, next};
	int ret = 0;

	if (merged->scope_cnt || next->scope_cnt)
		return report_error__set(err, err->line,
					 "this is a further report on the system: only reports on "
					 "programs can be merged");
	twins.of = xcalloc(next->prog_cnt, sizeof(*twins.of));
	twins.taken = xcalloc(merged->prog_cnt, sizeof(*twins.taken));
	make_blocks(merged);
	/* Find the programs of all rows first: adding a program changes both reports. */
	find_twins(&twins);
	for (int i = 0; !difference && i < next->prog_cnt; i++) {
		const struct report_prog *p = &next->prog[i],
					 *own = twins.of[i] < 0 ? NULL : &merged->prog[twins.of[i]];

		if (own && !report_row__has_same_events(&own->all, &p->all))
			difference = "events";
		else if (own && !text__is_same(own->method, p->method))
			difference = "methods";
	}
	if (difference)
		ret = report_error__set(
			err, err->line,
			"this report and the one before have different %s; reports in "
			"one file must be of the same measurement",
			difference);
	weigh_shares(merged, next);
	merged->elapsed_ns += next->elapsed_ns;
	merged->repeats += next->repeats;
	add_skips(merged, next);
	count_calls(next);
	for (int i = 0; !ret && i < next->prog_cnt; i++) {
		struct report_prog *own = twins.of[i] < 0 ? NULL : &merged->prog[twins.of[i]];
		bool called = next->prog[i].called;

		if (own)
			add_sizes(own, &next->prog[i]);
		merge_into_prog(merged, own, &next->prog[i]);
		if (own)
			continue;
		twins.of[i] = merged->prog_cnt - 1;
		if (!called || !i)
			continue;
		twins.of[i] = place_row(merged, twins.of[i - 1]);
		for (int k = i + 1; k < next->prog_cnt; k++)
			twins.of[k] += twins.of[k] >= twins.of[i];
	}
	free(twins.of);
	free(twins.taken);
	return ret;
}

/* ---- reading ---- */

struct session_reader {
	struct report_source src;
	/* the report that was read last if it belongs to the next session; or NULL */
	struct report *ahead;
};

/*
 * Reads the report of one session: a single document, or all of its intervals. Returns -ENODATA at
 * the end of the file.
 */
static int read_session(struct session_reader *rd, struct report **out, struct report_error *err)
{
	struct report *merged = rd->ahead, *next;
	int ret = merged ? 0 : report__read(&rd->src, &merged, err);
	bool intervals;

	rd->ahead = NULL;
	*out = merged;
	if (ret)
		return ret;
	intervals = merged->interval_ns;
	if (intervals) {
		make_blocks(merged);
		count_calls(merged);
	}
	while (!(ret = report__read(&rd->src, &next, err))) {
		if (!intervals || !is_next(merged, next)) {
			rd->ahead = next;
			break;
		}
		if (next->total) {
			replace_by_total(out, next);
			merged = next;
			continue;
		}
		add_interval(merged, next);
		report__free(next);
	}
	if (ret == -ENODATA)
		ret = 0;
	if (!ret && intervals && !merged->total)
		finish_merging(merged);
	return ret;
}

int report__read_all(FILE *in, struct report **out, struct report_error *err)
{
	struct session_reader rd = {.src.in = in};
	struct report *merged, *next;
	int ret = read_session(&rd, &merged, err), cnt = 1;

	*out = NULL;
	for (; !ret && rd.ahead; cnt++) {
		if (cnt == 1)
			count_calls(merged);
		ret = read_session(&rd, &next, err) ?: add_session(merged, next, err);
		report__free(next);
	}
	if (!ret && cnt > 1)
		finish_merging(merged);
	report__free(rd.ahead);
	if (ret)
		report__free(merged);
	else
		(*out = merged)->sessions = cnt;
	return ret;
}
