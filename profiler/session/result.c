// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a report from snapshots. Pure arithmetic on the backends' counts; must not know what is
 * reported besides the rows of targets.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/util.h"
#include "btf/func_table.h"
#include "engine/result_common.h"
#include "session/result.h"
#include "session/result_clock.h"
#include "session/result_follow.h"
#include "session/result_head.h"
#include "session/result_notes.h"
#include "session/result_retval.h"
#include "session/result_thinning.h"
#include "target/relations.h"

/*
 * The counts that one row of the report adds up: those of target t between two snapshots, on the
 * session's CPUs with indexes "first" to "last", of all runs (ALL_PARTS) or of one part of them.
 * The part 0 also has the runs that were not measured.
 */
struct range {
	const struct session *s;
	const struct target *t;
	const struct snapshot *from, *to;
	int target, first, last, part;
	bool buckets; /* --hist was given */
	bool intervals;
};

/*
 * Sets *diff to *to minus *from. The minimum and maximum of the difference are known only if *from
 * counted no runs. Otherwise they are set to the widest range, which remains when counts are added
 * up.
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
 * read are lost runs. If the runs are divided, adds up those of the parts, so that the parts and
 * the whole agree.
 */
static void count_unread_as_lost(const struct range *g, int i, struct counts *c)
{
	__u64 unread = 0, divided = 0;
	struct counts diff;

	for (int part = 0; g->part == ALL_PARTS && part < g->to->part_cnt && i < g->to->cpu_cnt;
	     part++) {
		int row = snapshot__part_row(g->to, part, i);

		subtract_counts(snapshot__at(g->to, g->target, row),
				snapshot__before(g->from, g->target, row), &diff);
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

/* Returns true if sums for the slot must leave out the counts of the session's i-th CPU. */
static bool is_left_out(const struct range *g, int i, __u32 slot)
{
	return slot == BPROF_CLOCK_SLOT && backend__has(g->t->backend, BACKEND_COUNTS_EVENTS) &&
	       result__has_wrong_clock(g->s, i, snapshot__before(g->from, g->target, i),
				       snapshot__at(g->to, g->target, i));
}

/* Returns false for the counts that belong to no CPU, if the range is a part. */
static bool has_row(const struct range *g, int i)
{
	return g->part == ALL_PARTS || i < g->to->cpu_cnt;
}

static int row_of(const struct range *g, int i)
{
	return g->part == ALL_PARTS ? i : snapshot__part_row(g->to, g->part, i);
}

/* Adds the runs that were thinned out or lost: their return values are not known. */
static void add_unmeasured(const struct range *g, int i, struct counts *sum)
{
	const struct counts *to = snapshot__at(g->to, g->target, i);
	const struct counts *from = snapshot__before(g->from, g->target, i);

	sum->thinned_out += to->thinned_out - from->thinned_out;
	for (int l = 0; l < LOST_CNT; l++)
		sum->lost[l] += to->lost[l] - from->lost[l];
}

static void sum_range(const struct range *g, struct counts *sum)
{
	struct counts diff;

	memset(sum, 0, sizeof(*sum));
	for (int i = 0; i < BPROF_SLOTS; i++) {
		sum->event[i].min = INT64_MAX;
		sum->event[i].max = INT64_MIN;
	}
	for (int i = g->first; i <= g->last; i++) {
		if (!g->part)
			add_unmeasured(g, i, sum);
		if (!has_row(g, i))
			continue;
		subtract_counts(snapshot__at(g->to, g->target, row_of(g, i)),
				snapshot__before(g->from, g->target, row_of(g, i)), &diff);
		if (is_left_out(g, i, BPROF_CLOCK_SLOT))
			counts__drop_clock(&diff);
		if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
			count_unread_as_lost(g, i, &diff);
		counts__add(sum, &diff, 1);
		counts__widen(sum, &diff);
	}
}

static int add_buckets(struct report_event *re, const struct hist *h, double scale)
{
	for (int i = 0; i < h->cnt; i++) {
		struct report_bucket *b = report_event__add_bucket(re);
		__u64 low, high;

		if (!b)
			return -ENOMEM;
		hist__bounds(h->bucket[i].index, &low, &high);
		b->low = low * scale;
		b->high = high * scale;
		b->count = h->bucket[i].count;
	}
	return 0;
}

static void set_stat(struct report_event *re, enum stat_id id, const struct hist_value *v,
		     double scale)
{
	re->stat[id] = v->value * scale;
	if (v->low < v->high) {
		re->low[id] = v->low * scale;
		re->high[id] = v->high * scale;
	}
}

/*
 * Sets the minimum and maximum of an interval from its histogram: the lower edge of the lowest
 * bucket and the upper edge of the highest bucket in use.
 */
static void set_extremes(struct report_event *re, const struct hist *h, double scale)
{
	struct hist_value min = hist__quantile(h, 0), max = hist__quantile(h, 1);

	min.value = min.low;
	max.value = max.high;
	set_stat(re, STAT_MIN, &min, scale);
	set_stat(re, STAT_MAX, &max, scale);
}

static int fill_distribution(struct report_event *re, const struct range *g, __u32 slot,
			     double scale)
{
	struct hist h = {};
	int err = 0;

	for (int i = g->first; !err && i <= g->last; i++) {
		if (is_left_out(g, i, slot) || !has_row(g, i))
			continue;
		err = hist__add(
			&h, &snapshot__at(g->to, g->target, row_of(g, i))->event[slot].hist,
			&snapshot__before(g->from, g->target, row_of(g, i))->event[slot].hist);
	}
	for (int i = 0; !err && i < STAT_CNT; i++) {
		struct hist_value v;

		if (!stat__is_percentile(i))
			continue;
		v = hist__quantile(&h, stat_specs[i].quantile);
		set_stat(re, i, &v, scale);
	}
	if (!err && isnan(re->stat[STAT_MIN]))
		set_extremes(re, &h, scale);
	if (!err && g->buckets)
		err = add_buckets(re, &h, scale);
	hist__free(&h);
	return err;
}

static void fill_bias(struct report_event *re, const struct range *g, __u32 slot,
		      const struct event_counts *c, double scale)
{
	const struct backend *b = g->t->backend;

	if (!backend__is_net(b))
		return;
	re->bias = c->bias * scale / re->measured;
	re->bias_stddev =
		scale * b->ops->bias_stddev(b->state, g->t, g->s->env.cpus.id[g->first], slot);
	re->raw_per_run = re->stat[STAT_MEAN] + re->bias;
	re->bias_uncertainty = scale * b->ops->bias_uncertainty(b->state, g->t, slot);
}

static int fill_values(struct report_event *re, const struct range *g, __u32 slot,
		       const struct counts *c, double scale)
{
	const struct event_counts *e = &c->event[slot];
	double mean;

	re->measured = c->measured - e->errors - e->uncovered;
	re->total = e->total * scale;
	if (backend__has(g->t->backend, BACKEND_ESTIMATES_EVENTS)) {
		re->sampled = true;
		re->samples = e->samples;
		re->total_stddev = stats__sampled_stddev(re->total, re->samples);
	}
	if (!re->measured)
		return 0;
	re->stat[STAT_MEAN] = re->total / re->measured;
	re->mean_stddev = re->total_stddev / re->measured;
	if (!backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
		return 0;
	fill_bias(re, g, slot, e, scale);
	if (g->s->env.nested)
		re->stat[STAT_SELF] = e->self * scale / re->measured;
	/*
	 * Without distributions, leave out the minimum and maximum of intervals: only the first
	 * interval would have them (see subtract_counts()).
	 */
	if (e->min <= e->max && e->max != INT64_MAX && (g->s->env.opts.hist || !g->intervals)) {
		re->stat[STAT_MIN] = e->min * scale;
		re->stat[STAT_MAX] = e->max * scale;
	}
	if (!g->s->env.opts.hist)
		return 0;
	mean = (double)e->total / re->measured;
	re->stat[STAT_STDDEV] = scale * sqrt(fmax(0, e->squares / re->measured - mean * mean));
	return fill_distribution(re, g, slot, scale);
}

/* Returns why an open event has no value in this row, or NULL if it has one. */
static const char *not_counted(const struct range *g, int index, __u32 slot, const struct counts *c)
{
	const struct backend *b = g->t->backend;

	if (b->ops->not_counted)
		return b->ops->not_counted(b->state, index);
	if (c->measured && c->event[slot].uncovered == c->measured)
		return "no run had a counter for it from entry to exit; measure fewer events at "
		       "once";
	return NULL;
}

static int fill_event(struct report_event *re, int index, const struct range *g,
		      const struct counts *c)
{
	const struct event *ev = &g->s->env.events->v[index];
	__u32 slot = g->s->env.fds->state[index].slot;
	const char *detail = not_counted(g, index, slot, c);

	if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
		re->read = ev->kind == EVENT_TIME	? "clock"
			   : g->s->env.fds->multiplexed ? "multiplexed"
							: "pinned";
	return detail ? result__set_status(re, EVENT_NOT_COUNTED, detail)
		      : fill_values(re, g, slot, c, ev->scale);
}

/*
 * Adds the event `time` to a row. A backend that counts no events reports the time even if it is
 * not among the events of -e.
 */
static int add_time_event(struct report_row *row, const struct counts *c)
{
	struct report_event *re = report_row__add_event(row);

	if (!re || report_event__set_names(re, "time", "time", "ns"))
		return -ENOMEM;
	re->status = EVENT_OK;
	re->measured = c->measured;
	re->total = c->event[BPROF_CLOCK_SLOT].total;
	if (re->measured)
		re->stat[STAT_MEAN] = re->total / re->measured;
	return 0;
}

/* Returns true if nobody asked for an event that the backend of the target cannot count. */
static bool is_unwanted(const struct range *g, int index)
{
	const struct backend *b = g->t->backend;

	return g->s->env.events->is_default && b->ops->not_counted &&
	       !backend__has(b, BACKEND_ESTIMATES_EVENTS) && b->ops->not_counted(b->state, index);
}

static int fill_row(struct report_row *row, const struct range *g)
{
	const struct session *s = g->s;
	struct counts sum, *c = &sum;
	int err = 0;

	sum_range(g, &sum);
	for (int i = 0; !err && i < s->env.events->cnt; i++) {
		struct report_event *re;

		if (is_unwanted(g, i))
			continue;
		err = result__add_event(row, &s->env.events->v[i], &s->env.fds->state[i], &re);
		if (!err && re)
			err = fill_event(re, i, g, c);
	}
	if (!err && !s->env.fds->clock &&
	    !backend__has(g->t->backend, BACKEND_COUNTS_EVENTS | BACKEND_ESTIMATES_EVENTS))
		err = add_time_event(row, c);
	if (err)
		return err;
	memcpy(row->lost, c->lost, sizeof(row->lost));
	row->measured = c->measured;
	row->thinned_out = c->thinned_out;
	row->runs = c->measured + c->thinned_out;
	for (int i = 0; i < LOST_CNT; i++)
		row->runs += row->lost[i];
	result__set_periods(row, s, g->from, g->to, g->target, g->first, g->last);
	return 0;
}

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

static void set_share(struct report_row *row, const struct range *g, const struct range *total)
{
	struct range whole = *total;
	struct counts all, c;
	double mean = NAN, share = 0;

	whole.part = ALL_PARTS;
	sum_range(&whole, &all);
	sum_range(total, &c);
	if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS) &&
	    (g->s->env.fds->clock || g->s->cycles_event >= 0)) {
		__u32 slot = share_slot(g->s);

		if (count_measured(&all, slot))
			mean = (double)c.event[slot].total / count_measured(&all, slot);
		whole.first = g->first;
		whole.last = g->last;
		sum_range(&whole, &all);
		row->share_estimated = count_measured(&all, slot) < counts__runs(&all);
	}
	for (int i = g->first; i <= g->last; i++) {
		struct range one = *g;

		one.first = one.last = whole.first = whole.last = i;
		sum_range(&one, &c);
		sum_range(&whole, &all);
		share += cpu_share(&one, i, &c, &all, mean);
	}
	row->cpu_share = share;
	row->share_estimated &= share > 0;
}

/*
 * Returns true if CPU i gets a row. A CPU that was offline at the start gets one only if the target
 * ran there later.
 */
static bool has_cpu_row(const struct session *s, const struct target *t, int i,
			const struct counts *c)
{
	__u64 seen = c->measured;

	if (i == s->env.cpus.cnt || !backend__has(t->backend, BACKEND_PER_CPU))
		return false;
	for (int l = 0; l < LOST_CNT; l++)
		seen += c->lost[l];
	return seen || cpus__has(&s->env.online, s->env.cpus.id[i]);
}

static int fill_cpu_rows(struct report_prog *p, const struct range *total)
{
	for (int i = 0; i < total->s->env.cpus.cnt; i++) {
		struct range one = *total;
		struct report_row *row;
		struct counts c;
		int err;

		one.first = one.last = i;
		sum_range(&one, &c);
		if (!has_cpu_row(one.s, one.t, i, &c))
			continue;
		row = report_prog__add_cpu(p, one.s->env.cpus.id[i]);
		err = row ? fill_row(row, &one) : -ENOMEM;
		if (err)
			return err;
		set_share(row, &one, total);
	}
	return 0;
}

/*
 * Returns the number of recursion misses, or NaN if it was not read. If the target has a probe, it
 * is read only when the session starts or stops; otherwise it is read with all other counts.
 */
static double recursion_misses(const struct range *g)
{
	int no_cpu = g->s->env.cpus.cnt;

	if (g->t->subprog ||
	    !(g->to->edge || g->s->env.opts.follow || !backend__has(g->t->backend, BACKEND_PROBES)))
		return NAN;
	return snapshot__at(g->to, g->target, no_cpu)->recursion_misses -
	       snapshot__before(g->from, g->target, no_cpu)->recursion_misses;
}

static bool is_wanted(const struct result_opts *o, __u32 prog_id, const struct result_span *span)
{
	return !o->wants || o->wants(o->arg, prog_id, span);
}

/*
 * Sets the program's sizes. The kernel reports 0 for values that it does not know (verified_insns
 * before Linux 5.16).
 */
static void set_sizes(struct report_prog *p, const struct bpf_prog_info *info)
{
	const struct {
		enum size_id id;
		__u32 value;
	} sizes[] = {
		{SIZE_VERIFIED_INSNS, info->verified_insns},
		{SIZE_XLATED, info->xlated_prog_len},
		{SIZE_JITED, info->jited_prog_len},
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (sizes[i].value)
			p->size[sizes[i].id] = sizes[i].value;
}

/* Adds the row of a part. What is known of the whole target is only in its first row. */
static int fill_prog(struct report *r, const struct session *s, int index, int part, bool first,
		     const struct result_span *span, const struct result_opts *o)
{
	const struct target *t = &s->targets.v[index];
	struct range total = {.s = s,
			      .t = t,
			      .from = span->from,
			      .to = span->to,
			      .target = index,
			      .last = s->env.cpus.cnt,
			      .part = part,
			      .buckets = o->buckets,
			      .intervals = o->intervals};
	struct report_prog *p = report__add_prog(r);

	if (!p)
		return -ENOMEM;
	p->input = span->input ? strdup(span->input) : NULL;
	if (span->input && !p->input)
		return -ENOMEM;
	p->id = t->id;
	p->name = strdup(prog__name(t->prog));
	p->func = strdup(t->func);
	p->type = strdup(prog_type__name(t->prog->info.type));
	p->method = t->backend->ops->method;
	p->probed = backend__has(t->backend, BACKEND_PROBES);
	p->depth = t->depth;
	p->subprog = t->subprog;
	prog__tag(t->prog, p->tag);
	p->version_name = t->version_name ? strdup(t->version_name) : NULL;
	if (!p->name || !p->func || !p->type || (t->version_name && !p->version_name))
		return -ENOMEM;
	result__set_retval(p, span->to, index, part);
	if (first)
		p->recursion_misses = recursion_misses(&total);
	if (s->env.opts.follow)
		result__set_version(p, s, t);
	if (!t->subprog)
		set_sizes(p, &t->prog->info);
	if (!o->driven)
		set_share(&p->all, &total, &total);
	return (o->per_cpu ? fill_cpu_rows(p, &total) : 0) ?:
	       fill_row(&p->all, &total) ?:
	       result__note_stopped_counters(p) ?:
	       first ? result__add_notes(p, s, index, span)
		     : 0;
}

/* Adds a target's rows: one, or one for each return value, or both. */
static int fill_target(struct report *r, const struct session *s, int index,
		       const struct result_span *span, const struct result_opts *o)
{
	int parts[BPROF_PARTS], cnt = result__list_parts(s, index, span->to, parts), err = 0;
	bool whole = o->with_whole && parts[0] != ALL_PARTS;

	if (whole)
		err = fill_prog(r, s, index, ALL_PARTS, true, span, o);
	for (int i = 0; !err && i < cnt; i++)
		err = fill_prog(r, s, index, parts[i], !i && !whole, span, o);
	return err;
}

int result__report(const struct session *s, const struct result_span *spans, int cnt,
		   const struct result_opts *o, struct report **out)
{
	struct report *r = report__new();
	int err = r ? 0 : -ENOMEM;

	*out = NULL;
	for (int i = 0; !err && i < s->targets.cnt; i++)
		for (int j = 0; !err && j < cnt; j++)
			if (is_wanted(o, s->targets.v[i].id, &spans[j]) &&
			    result__has_target(s, i, spans[j].from, spans[j].to))
				err = fill_target(r, s, i, &spans[j], o);
	err = err ?: result__fill_head(r, s, spans, cnt, o);
	if (err) {
		report__free(r);
		return result__fail(err);
	}
	*out = r;
	return 0;
}
