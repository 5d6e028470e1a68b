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
#include "base/turns.h"
#include "base/util.h"
#include "btf/func_table.h"
#include "result/result.h"
#include "result/result_clock.h"
#include "result/result_common.h"
#include "result/result_follow.h"
#include "result/result_head.h"
#include "result/result_notes.h"
#include "result/result_range.h"
#include "result/result_retval.h"
#include "result/result_share.h"
#include "result/result_slices.h"
#include "result/result_thinning.h"
#include "target/relations.h"

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
			     const struct slices_error *error, double scale)
{
	struct hist h = {};
	int err = range__add_hists(g, slot, &h);

	for (int i = 0; !err && i < STAT_CNT; i++) {
		struct hist_value v;

		if (!stat__is_percentile(i))
			continue;
		v = slices__quantile(error, &h, stat_specs[i].quantile);
		if (!error->sampled || !slices_error__is_too_large(v.value, (v.high - v.low) / 2))
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

/* Sets the sampling error of a mean. If the mean is not known, leaves out all statistics. */
static void limit_error(struct report_event *re, const struct slices_error *error, double scale)
{
	if (!error->sampled)
		return;
	re->stat[STAT_MEAN] = error->mean * scale;
	re->raw_per_run = re->stat[STAT_MEAN] + re->bias;
	re->mean_stddev = error->stddev * scale;
	if (!slices_error__is_too_large(error->mean, error->half_width))
		return;
	for (int i = 0; i < STAT_CNT; i++)
		re->stat[i] = re->low[i] = re->high[i] = NAN;
	re->raw_per_run = NAN;
}

static int fill_values(struct report_event *re, const struct range *g, __u32 slot,
		       const struct counts *c, const struct slices_error *error, double scale)
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
	return fill_distribution(re, g, slot, error, scale);
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
	struct slices_error error;
	int err;

	if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
		re->read = ev->kind == EVENT_TIME	? "clock"
			   : g->s->env.fds->multiplexed ? "multiplexed"
							: "pinned";
	if (detail)
		return result__set_status(re, EVENT_NOT_COUNTED, detail);
	error = slices__error(g, c, slot);
	err = fill_values(re, g, slot, c, &error, ev->scale);
	limit_error(re, &error, ev->scale);
	return err;
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
	struct counts sum, event_sum, *c = &sum;
	struct range of_events;
	int err = 0;

	range__sum(g, &sum);
	range__of_events(g, &sum, &of_events);
	range__sum(&of_events, &event_sum);
	for (int i = 0; !err && i < s->env.events->cnt; i++) {
		struct report_event *re;

		if (is_unwanted(g, i))
			continue;
		err = result__add_event(row, &s->env.events->v[i], &s->env.fds->state[i], &re);
		if (!err && re)
			err = fill_event(re, i, &of_events, &event_sum);
	}
	if (!err && !s->env.fds->clock &&
	    !backend__has(g->t->backend, BACKEND_COUNTS_EVENTS | BACKEND_ESTIMATES_EVENTS))
		err = add_time_event(row, c);
	if (err)
		return err;
	memcpy(row->lost, c->lost, sizeof(row->lost));
	row->measured = c->measured;
	row->thinned_out = c->thinned_out;
	row->unprobed = c->unprobed;
	row->at_least = c->blind_ns;
	row->runs = counts__runs(c);
	result__set_periods(row, s, g->from, g->to, g->target, g->first, g->last);
	return 0;
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
		range__sum(&one, &c);
		if (!has_cpu_row(one.s, one.t, i, &c))
			continue;
		row = report_prog__add_cpu(p, one.s->env.cpus.id[i]);
		err = row ? fill_row(row, &one) : -ENOMEM;
		if (err)
			return err;
		result__set_share(row, &one, total);
		/* The kernel does not say on which CPU the others ran. */
		if (p->all.unprobed) {
			row->at_least = true;
			row->cpu_share = row->share_error = NAN;
			row->share_estimated = false;
		}
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

/* Returns how many runs by bprof itself the target's probe has left out. */
static __u64 own_runs(const struct range *g)
{
	__u64 own = 0;

	for (int i = 0; i < g->to->cpu_cnt; i++)
		own += snapshot__at(g->to, g->target, i)->own -
		       snapshot__before(g->from, g->target, i)->own;
	return own;
}

/* Returns true if some runs of the row may have been set off by bprof itself. */
static bool may_have_own(const struct report_row *row, const struct session *s,
			 const struct target *t)
{
	return s->env.opts.others_only && target__is_on_syscalls(t) && row->runs &&
	       (!t->others_only || row->unprobed);
}

/* Returns how many of the target's runs may have been slowed down (report_prog.slowed_runs). */
static __u64 slowed_runs(const struct range *g)
{
	struct range all = *g;
	int no_cpu = g->s->env.cpus.cnt;
	struct counts runs;
	__u64 slowed;

	all.part = ALL_PARTS;
	range__sum(&all, &runs);
	slowed = snapshot__at(g->to, g->target, no_cpu)->slowed -
		 snapshot__before(g->from, g->target, no_cpu)->slowed;
	/* The kernel also timed the probe in runs that it did not measure. */
	return slowed < runs.measured ? slowed : runs.measured;
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

/* The JIT of x86-64 takes one instruction for each constant, whatever its value. */
static bool is_x86_64(void)
{
#ifdef __x86_64__
	return true;
#else
	return false;
#endif
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
			      .slices_from = span->slices_from,
			      .target = index,
			      .last = s->env.cpus.cnt,
			      .part = part,
			      .buckets = o->buckets,
			      .intervals = o->intervals};
	struct report_prog *p = report__add_prog(r);
	int err;

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
	p->root_index = t->root_index;
	p->is_root = t->root_index == t->func_index;
	p->runs_elsewhere = t->runs_elsewhere;
	prog__tag(t->prog, p->tag);
	p->version_name = t->version_name ? strdup(t->version_name) : NULL;
	if (!p->name || !p->func || !p->type || (t->version_name && !p->version_name))
		return -ENOMEM;
	result__set_retval(p, span->to, index, part);
	if (first)
		p->recursion_misses = recursion_misses(&total);
	p->slowed_runs = slowed_runs(&total);
	if (first)
		p->own_runs = own_runs(&total);
	p->uncalibrated = p->probed && s->env.opts.calibrate && !backend__is_net(t->backend);
	p->blinded = t->blinded;
	p->random_code = t->blinded && !is_x86_64();
	if (s->env.opts.follow)
		result__set_version(p, s, t);
	if (!t->subprog)
		set_sizes(p, &t->prog->info);
	if (!o->driven)
		result__set_share(&p->all, &total, &total);
	err = (o->per_cpu ? fill_cpu_rows(p, &total) : 0) ?: fill_row(&p->all, &total);
	p->with_own_runs = first && !err && may_have_own(&p->all, s, t);
	return err ?:
	       result__note_stopped_counters(p, t->prog->info.type) ?:
	       first ? result__add_notes(p, s, index, span)
		     : 0;
}

/* Adds a target's rows: one, or one for each return value, or both. */
static int fill_target(struct report *r, const struct session *s, int index,
		       const struct result_span *span, const struct result_opts *o)
{
	int parts[MAX_PART_ROWS], cnt = result__list_parts(s, index, span->to, parts), err = 0;
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
