// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a report from snapshots: first the rows of targets with their notes, then the values for
 * the whole report. Pure arithmetic; must not know how the counts of a row are added up, nor how
 * rows of functions depend on one another.
 */
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/snapshot.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/func_table.h"
#include "btf/reason.h"
#include "report/report.h"
#include "report/report_per.h"
#include "report/report_sum.h"
#include "result/key_names.h"
#include "result/result.h"
#include "result/result_common.h"
#include "result/result_counts.h"
#include "result/result_funcs.h"
#include "session/foreign_probes.h"
#include "session/session.h"
#include "target/relations.h"

/* by how much merged runs (counts.merged) may change a total, or the rank of a percentile from above */
#define MERGED_ERROR_MAX 0.01

static void add_hist_buckets(struct report_event *re, const struct hist *h, double scale)
{
	for (int i = 0; i < h->cnt; i++) {
		struct report_bucket *b = report_event__add_bucket(re);
		__u64 low, high;

		hist__bounds(h->bucket[i].last, &low, &high);
		hist__bounds(h->bucket[i].index, &low, &(__u64){0});
		b->low = low * scale;
		b->high = high * scale;
		b->count = h->bucket[i].count;
		b->known = true;
		b->least = h->bucket[i].low * scale;
		b->greatest = h->bucket[i].high * scale;
		b->value = h->bucket[i].value * scale;
	}
}

static void set_bounded_stat(struct report_event *re, enum stat_id id, const struct hist_value *v,
			     double scale)
{
	re->stat[id] = v->value * scale;
	if (v->low < v->high) {
		re->low[id] = v->low * scale;
		re->high[id] = v->high * scale;
	}
}

static void fill_distribution(struct report_event *re, const struct range *g, __u32 slot,
			      const struct slices_error *error, double scale)
{
	struct hist_value min, max;
	struct hist h = {};

	range__add_hists(g, slot, &h);
	for (int i = 0; i < STAT_CNT; i++) {
		struct hist_value v;

		if (!stat__is_percentile(i))
			continue;
		v = slices__quantile(error, &h, stat_specs[i].quantile);
		if (!error->sampled || !slices_error__is_too_large(v.value, (v.high - v.low) / 2))
			set_bounded_stat(re, i, &v, scale);
	}
	/*
	 * In an interval, the minimum is the lower edge of the lowest bucket that has runs, and the
	 * maximum is the upper edge of the highest bucket that has runs.
	 */
	if (isnan(re->stat[STAT_MIN])) {
		min = hist__quantile(&h, 0);
		max = hist__quantile(&h, 1);
		min.value = min.low;
		max.value = max.high;
		set_bounded_stat(re, STAT_MIN, &min, scale);
		set_bounded_stat(re, STAT_MAX, &max, scale);
	}
	if (g->buckets)
		add_hist_buckets(re, &h, scale);
	hist__free(&h);
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

/* Sets the sampling error of a mean. If the mean is not known, removes all statistics. */
static void limit_error(struct report_event *re, const struct slices_error *error, double scale)
{
	if (!error->sampled)
		return;
	*report_event__add_sampled(re) = (struct report_sampled){.mean = error->mean * scale,
								 .stddev = error->stddev * scale,
								 .t = error->t,
								 .runs = error->runs,
								 .skew = error->skew};
	re->stat[STAT_MEAN] = error->mean * scale;
	re->raw_per_run = re->stat[STAT_MEAN] + re->bias;
	re->mean_stddev = error->stddev * scale;
	if (!slices_error__is_too_large(error->mean, error->half_width))
		return;
	for (int i = 0; i < STAT_CNT; i++)
		re->stat[i] = re->low[i] = re->high[i] = NAN;
	re->raw_per_run = NAN;
}

static void fill_values(struct report_event *re, const struct range *g, __u32 slot,
			const struct counts *c, const struct slices_error *error, double scale)
{
	const struct event_counts *e = &c->event[slot];
	double mean, variance;

	re->measured = c->measured - e->errors - e->uncovered;
	re->total = e->total * scale;
	if (backend__has(g->t->backend, BACKEND_ESTIMATES_EVENTS)) {
		report_event__add_estimate(re)->samples = e->samples;
		re->estimate->total_stddev = stats__sampled_stddev(re->total, e->samples);
	}
	if (!re->measured)
		return;
	re->stat[STAT_MEAN] = re->total / re->measured;
	if (re->estimate)
		re->mean_stddev = re->estimate->total_stddev / re->measured;
	if (!backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
		return;
	fill_bias(re, g, slot, e, scale);
	if (g->s->env.nested)
		re->stat[STAT_SELF] = e->self * scale / re->measured;
	/*
	 * Without distributions, leave out the minimum and the maximum of intervals: they would be
	 * known only for the first interval (see subtract_counts()).
	 */
	if (e->min <= e->max && e->max != INT64_MAX && (g->s->env.opts.hist || !g->intervals)) {
		re->stat[STAT_MIN] = e->min * scale;
		re->stat[STAT_MAX] = e->max * scale;
	}
	if (!g->s->env.opts.hist)
		return;
	mean = (double)e->total / re->measured;
	/* Not fmax(): it would make 0 of the NaN of a sum that is not known. */
	variance = e->squares / re->measured - mean * mean;
	re->stat[STAT_STDDEV] = scale * sqrt(variance < 0 ? 0 : variance);
	fill_distribution(re, g, slot, error, scale);
}

/* Returns why an open event has no value in this row, or NULL if it has one. */
static const char *not_counted(const struct range *g, int index, __u32 slot, const struct counts *c)
{
	const struct backend *b = g->t->backend;
	const char *why = b->ops->not_counted
				  ? b->ops->not_counted(b->state, g->t, index, &c->event[slot])
				  : NULL;

	if (why)
		return why;
	if (c->measured && c->event[slot].uncovered == c->measured)
		return "no run had a counter for it from entry to exit; measure fewer events at "
		       "once";
	return NULL;
}

/* Returns counts.merged of the range's target. */
static double count_merged(const struct range *g)
{
	int no_cpu = g->s->env.cpus.cnt;
	__u64 to = snapshot__at(g->to, g->target, no_cpu)->merged,
	      from = snapshot__before(g->from, g->target, no_cpu)->merged;

	return to > from ? to - from : 0;
}

/* Returns true if merged runs may make the total of the event in the range too high by more than 1 %. */
static bool is_total_doubtful(const struct range *g, __u32 slot, __s64 total)
{
	__s64 max = 0;

	for (int i = 0; i < g->s->env.cpus.cnt; i++) {
		const struct counts *c = snapshot__at(g->to, g->target, i);

		if (c->measured && c->event[slot].max > max)
			max = c->event[slot].max;
	}
	return count_merged(g) * max > MERGED_ERROR_MAX * fabs((double)total);
}

/* Removes the values that merged runs may have changed too much. */
static void leave_out_doubtful(struct report_event *re, const struct range *g, __u32 slot,
			       __s64 total)
{
	double merged = count_merged(g);

	for (int i = 0; i < STAT_CNT; i++)
		if (merged > MERGED_ERROR_MAX * (1 - stat_specs[i].quantile) * re->measured)
			re->stat[i] = re->low[i] = re->high[i] = NAN;
	if (!is_total_doubtful(g, slot, total))
		return;
	re->total = re->raw_per_run = re->mean_stddev = NAN;
	re->stat[STAT_MEAN] = re->stat[STAT_STDDEV] = re->stat[STAT_SELF] = NAN;
}

static void fill_event(struct report_event *re, int index, const struct range *g,
		       const struct counts *c)
{
	const struct event *ev = &g->s->env.events->v[index];
	__u32 slot = g->s->env.fds->state[index].slot;
	const char *detail = not_counted(g, index, slot, c);
	struct slices_error error;

	if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
		re->read = ev->kind == EVENT_TIME	? "clock"
			   : g->s->env.fds->multiplexed ? "multiplexed"
							: "pinned";
	if (detail) {
		result__set_status(re, EVENT_NOT_COUNTED, detail);
		return;
	}
	error = slices__error(g, c, slot);
	fill_values(re, g, slot, c, &error, ev->scale);
	limit_error(re, &error, ev->scale);
	leave_out_doubtful(re, g, slot, c->event[slot].total);
}

/*
 * Adds the event `time` to a row. A backend that counts no events reports the time, even if -e does
 * not name it.
 */
static void add_time_event(struct report_row *row, const struct counts *c)
{
	struct report_event *re = report_row__add_event(row);

	report_event__set_names(re, "time", "time", "ns");
	re->status = EVENT_OK;
	re->measured = c->measured;
	re->total = c->event[BPROF_CLOCK_SLOT].total;
	if (re->measured)
		re->stat[STAT_MEAN] = re->total / re->measured;
}

/*
 * Returns true if the user did not ask for the event, and the backend of the target cannot count
 * it.
 */
static bool is_unwanted(const struct range *g, int index)
{
	const struct backend *b = g->t->backend;

	return g->s->env.events->is_default && b->ops->not_counted &&
	       !backend__has(b, BACKEND_ESTIMATES_EVENTS) &&
	       b->ops->not_counted(b->state, g->t, index, NULL);
}

static void fill_target_row(struct report_row *row, const struct range *g)
{
	const struct session *s = g->s;
	struct counts sum, event_sum, *c = &sum;
	struct range of_events;

	range__sum(g, &sum);
	range__of_events(g, &sum, &of_events);
	range__sum(&of_events, &event_sum);
	for (int i = 0; i < s->env.events->cnt; i++) {
		struct report_event *re;

		if (is_unwanted(g, i))
			continue;
		re = result__add_event(row, &s->env.events->v[i], &s->env.fds->state[i]);
		if (re)
			fill_event(re, i, &of_events, &event_sum);
	}
	if (!s->env.fds->clock &&
	    !backend__has(g->t->backend, BACKEND_COUNTS_EVENTS | BACKEND_ESTIMATES_EVENTS))
		add_time_event(row, c);
	if (is_total_doubtful(&of_events, BPROF_CLOCK_SLOT,
			      event_sum.event[BPROF_CLOCK_SLOT].total)) {
		row->cpu_share = row->share_error = NAN;
		row->share_estimated = false;
	}
	memcpy(row->lost, c->lost, sizeof(row->lost));
	row->measured = c->measured;
	row->thinned_out = c->thinned_out;
	row->unprobed = c->unprobed;
	row->at_least = c->blind_ns;
	row->runs = counts__runs(c);
	result__set_periods(row, s, g->from, g->to, g->target, g->first, g->last);
}

/*
 * Returns true if CPU i gets a row. A CPU that was offline at the start gets a row only if the
 * target ran there later.
 */
static bool has_cpu_row(const struct session *s, const struct target *t, int i,
			const struct counts *c)
{
	if (i == s->env.cpus.cnt || !backend__has(t->backend, BACKEND_PER_CPU))
		return false;
	return counts__runs(c) || cpus__has(&s->env.online, s->env.cpus.id[i]);
}

/* Marks a row as a lower limit: there may be runs that it lacks. */
static void set_lower_limit(struct report_row *row)
{
	row->at_least = true;
	row->cpu_share = row->share_error = NAN;
	row->share_estimated = false;
}

static void fill_cpu_rows(struct report_prog *p, const struct range *total)
{
	for (int i = 0; i < total->s->env.cpus.cnt; i++) {
		struct range one = *total;
		struct report_row *row;
		struct counts c;

		one.first = one.last = i;
		range__sum(&one, &c);
		if (!has_cpu_row(one.s, one.t, i, &c))
			continue;
		row = report_prog__add_cpu(p, one.s->env.cpus.id[i]);
		result__set_share(row, &one, total);
		fill_target_row(row, &one);
		/* It is not known on which CPU the runs without a probe were. */
		if (p->all.unprobed || p->all.at_least)
			set_lower_limit(row);
	}
}

/*
 * Returns the number of recursion misses, or NaN if it was not read. If the target has a probe,
 * this number is read only when the session starts or stops. Otherwise it is read together with the
 * other counts.
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

/*
 * For a kernel function, sets the number of calls by other callers, and what the probe added to
 * them.
 */
static void set_others(struct report_prog *p, const struct range *g)
{
	const struct counts *to = snapshot__at(g->to, g->target, g->s->env.cpus.cnt);
	const struct counts *from = snapshot__before(g->from, g->target, g->s->env.cpus.cnt);

	p->others = to->others - from->others;
	p->others_ns = to->others_ns - from->others_ns;
}

/* Returns how many runs the probe has left out because bprof's system calls caused them. */
static __u64 own_runs(const struct range *g)
{
	__u64 own = 0;

	for (int i = 0; i < g->to->cpu_cnt; i++)
		own += snapshot__at(g->to, g->target, i)->own -
		       snapshot__before(g->from, g->target, i)->own;
	return own;
}

/* Returns true if some runs of the row may have been caused by bprof itself. */
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
	/* "slowed" may be larger: it includes runs that the probe did not measure. */
	return slowed < runs.measured ? slowed : runs.measured;
}

/* Returns true if programs of this type may run in the interrupt of any PMU. */
static bool runs_in_any_interrupt(enum bpf_prog_type type)
{
	return type == BPF_PROG_TYPE_PERF_EVENT || type == BPF_PROG_TYPE_KPROBE ||
	       type == BPF_PROG_TYPE_TRACEPOINT || type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       type == BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE || type == BPF_PROG_TYPE_TRACING;
}

/*
 * Adds notes on counters that stood still. No run can take much less than the run of an empty
 * program, so if a number without the bias is far below 0, the counter was stopped during the run.
 * The PMU of arm64 stops while the kernel handles the PMU's own interrupt, and programs on perf
 * events run in that interrupt (armv8pmu_handle_irq()). Clocks do not stop: if a time is far below
 * 0, the calibration was disturbed.
 */
static void note_stopped_counters(struct report_prog *p, enum bpf_prog_type type)
{
	for (int i = 0; runs_in_any_interrupt(type) && i < p->all.event_cnt; i++) {
		struct report_event *re = &p->all.event[i];
		double min = isnan(re->stat[STAT_MIN]) ? re->stat[STAT_MEAN] : re->stat[STAT_MIN];

		if (!strcmp(re->unit, "ns") || !(re->bias > 0 && min < -re->bias / 2))
			continue;
		re->bias_uncertainty = re->bias;
		report_notes__add(&p->notes,
				  "%s stood still in some runs, as a PMU's counters do in its "
				  "own interrupt: the cost of these runs is not known",
				  re->name);
	}
}

/*
 * Returns true if a PMU event counted nothing in all these runs, and also nothing in an empty
 * program.
 */
static bool is_zero(const struct event *ev, const struct report_event *re)
{
	return ev->kind == EVENT_PERF && ev->type != PERF_TYPE_SOFTWARE &&
	       ev->type != PERF_TYPE_TRACEPOINT && re->measured && re->bias == 0 &&
	       re->total == 0 && re->stat[STAT_MIN] == 0 && re->stat[STAT_MAX] == 0;
}

/* With --by, adds a note to a target whose runs cannot be divided. */
static void add_key_note(const struct session *s, const struct target *t, struct report_prog *p)
{
	enum run_key by = s->env.opts.by;

	if (!by || result__is_divided(s, t))
		return;
	if (by == BY_CPU)
		report_notes__add(
			&p->notes,
			"its runs are not divided by CPU: the method %s does not tell them "
			"apart",
			t->backend->ops->method);
	else if (by != BY_RETVAL)
		report_notes__add(&p->notes,
				  "its runs are not divided by %s: only a probe reads it",
				  run_key__spec(by)->name);
	else
		report_notes__add(&p->notes, "its runs are not divided by return value: %s",
				  backend__has(t->backend, BACKEND_PROBES)
					  ? "it returns no integer"
					  : "without a probe, return values are not known");
}

/*
 * If the target's times on some CPUs are wrong, adds a note: the target's time does not include
 * runs on these CPUs.
 */
static void add_clock_note(const struct session *s, int target, const struct result_span *span,
			   struct report_prog *p)
{
	struct cpus cpus = {xcalloc(s->env.cpus.cnt + 1, sizeof(int)), 0};
	unsigned long long runs = 0;
	char list[128];

	for (int i = 0; i < s->env.cpus.cnt; i++) {
		const struct counts *from = snapshot__before(span->from, target, i);
		const struct counts *to = snapshot__at(span->to, target, i);

		if (!result__has_wrong_clock(s, i, from, to))
			continue;
		cpus.id[cpus.cnt++] = s->env.cpus.id[i];
		runs += to->measured - from->measured;
	}
	if (cpus.cnt)
		report_notes__add(
			&p->notes,
			"time leaves out %llu runs on CPU%s %s: events could not always be read "
			"there (a CPU that was offline), or its kind was not known at the start, "
			"so their time is not net",
			runs, cpus.cnt > 1 ? "s" : "", cpus__format(&cpus, list, sizeof(list)));
	cpus__free(&cpus);
}

static void add_merged_note(struct report_prog *p, const struct session *s, int index,
			    const struct result_span *span)
{
	double merged = count_merged(
		&(struct range){.s = s, .target = index, .from = span->from, .to = span->to});

	if (merged)
		report_notes__add(
			&p->notes,
			"up to %.0f runs may be two runs taken for one: the kernel skipped the "
			"exit probe of one and the entry probe of a later one, in interrupts; "
			"values that this may change by more than 1%% are left out",
			merged);
}

/* Adds the notes on a target to p, which is the first of its rows. */
static void add_target_notes(struct report_prog *p, const struct session *s, int index,
			     const struct result_span *span)
{
	const struct target *t = &s->targets.v[index];
	bool estimated = backend__has(t->backend, BACKEND_ESTIMATES_EVENTS);

	target__add_notes(t, &s->targets, estimated, p);
	/*
	 * If an event counted nothing, not even in the probe's own code between the two readings,
	 * the event is rare, or its counter does not work on this machine.
	 */
	for (int i = 0; i < p->all.event_cnt && i < s->env.events->cnt; i++)
		if (is_zero(&s->env.events->v[i], &p->all.event[i]))
			report_notes__add(&p->notes,
					  "%s is 0 in every run, as it is in an empty "
					  "program with its probe: check that it counts in "
					  "the kernel here ('bprof system -a -e %s')",
					  p->all.event[i].name, p->all.event[i].name);
	add_key_note(s, t, p);
	add_merged_note(p, s, index, span);
	add_clock_note(s, index, span, p);
	foreign_probes__add_notes(&s->foreign, t, span->from->ns, p);
	if (t->backend->ops->add_notes)
		t->backend->ops->add_notes(t->backend->state, t, p);
}

/*
 * For a kernel function, leaves out the calls that the kernel skipped: it counts them for all
 * callers together.
 */
static __u64 runs_of_row(const struct target *t, const struct counts *c)
{
	return counts__runs(c) - (target__is_called(t) ? c->lost[LOST_RECURSION] : 0);
}

/*
 * Returns true if the report has a row for the target: its program was loaded for a part of the
 * time between the snapshots, or ran in that time.
 */
static bool has_target(const struct session *s, int target, const struct snapshot *from,
		       const struct snapshot *to)
{
	const struct target *t = &s->targets.v[target];

	if (!snapshot__has(to, target))
		return false;
	if (!t->called.unforeseen && (!t->life.ended_ns || t->life.ended_ns > from->ns))
		return true;
	/*
	 * An unforeseen target (struct called) has a row only if it ran. Any other target had ended
	 * at the time of *from, but its last counts may be from a moment later, and include further
	 * runs.
	 */
	for (int row = 0; row <= s->env.cpus.cnt; row++)
		if (runs_of_row(t, snapshot__at(to, target, row)) !=
		    runs_of_row(t, snapshot__before(from, target, row)))
			return true;
	return false;
}

static void set_version(struct report_prog *p, const struct session *s, const struct target *t)
{
	const struct target_life *life = &t->life;
	struct report_version *v = &p->version;

	v->followed = true;
	v->load_time_ns = t->prog->info.load_time;
	v->detach_cnt = life->detach_cnt;
	if (life->loaded_ns)
		v->loaded_ns = (double)(life->loaded_ns - s->stopwatch.started_ns);
	/*
	 * Without a probe, nothing is missed after the load, because the kernel counts the runs. So
	 * attached_ns is set only for probes.
	 */
	if (life->loaded_ns && backend__has(t->backend, BACKEND_PROBES))
		v->attached_ns = (double)(life->attached_ns - life->loaded_ns);
	if (life->unseen_known && (life->loaded_ns || life->detach_cnt))
		v->missed = life->unseen > life->unseen_before
				    ? (double)(life->unseen - life->unseen_before)
				    : 0;
	if (life->ended_ns)
		v->ended_ns = (double)life->ended_ns;
}

/*
 * Sets the program's sizes. The kernel reports 0 for sizes that it does not know (verified_insns
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

/*
 * On x86-64, blinding (t->blinded) does not change the size of code: the JIT uses one instruction
 * for a constant, whatever its value is.
 */
static bool is_x86_64(void)
{
#ifdef __x86_64__
	return true;
#else
	return false;
#endif
}

/* Sets the key that all runs of the row have in common. */
static void set_common_key(struct report_prog *p, const struct range *g)
{
	enum run_key by = g->s->env.opts.by;
	const struct counts *c = NULL;

	p->by_retval = g->part != ALL_PARTS || g->by_cpu;
	p->by_key = p->by_retval && by != BY_RETVAL;
	p->unmeasured = g->part == UNMEASURED_PART;
	if (g->part > 0)
		c = snapshot__at(g->to, g->target, snapshot__part_row(g->to, g->part, 0));
	if (c && by == BY_RETVAL)
		p->retval = (__u32)c->retval;
	else if (c || (g->by_cpu && g->part == ALL_PARTS))
		key_names__set(by, c, c ? -1 : g->s->env.cpus.id[g->first], p);
}

/* Returns true for a CPU's row if it is not known on which CPU some runs were that the probe did not measure. */
static bool is_cpu_row_limited(const struct range *g)
{
	const struct counts *to = snapshot__at(g->to, g->target, g->to->cpu_cnt);
	const struct counts *from = snapshot__before(g->from, g->target, g->to->cpu_cnt);

	return g->by_cpu && g->part != UNMEASURED_PART && g->to->cpu_cnt > 1 &&
	       (counts__runs(to) != counts__runs(from) || to->blind_ns != from->blind_ns);
}

/*
 * Adds the row of a part. Values that belong to the whole target are only in the target's first
 * row.
 */
static void fill_prog(struct report *r, const struct session *s, int index,
		      const struct part_list *list, const struct part_row *row, bool first,
		      const struct result_span *span, const struct result_opts *o)
{
	const struct target *t = &s->targets.v[index];
	struct range total = {.s = s,
			      .t = t,
			      .from = span->from,
			      .to = span->to,
			      .slices_from = span->slices_from,
			      .target = index,
			      .first = row->first,
			      .last = row->last,
			      .part = row->part,
			      .by_cpu = list->by_cpu,
			      .other = list->other,
			      .buckets = o->buckets || o->sum,
			      .intervals = o->intervals};
	struct range whole = total;
	struct report_prog *p = report__add_prog(r);

	whole.first = 0;
	whole.last = s->env.cpus.cnt;
	whole.part = ALL_PARTS;
	whole.by_cpu = false;
	p->input = span->input ? xstrdup(span->input) : NULL;
	p->id = t->id;
	p->name = xstrdup(prog__name(t->prog));
	p->func = xstrdup(t->func);
	p->type = xstrdup(prog_type__name(t->prog->info.type));
	p->method = t->backend->ops->method;
	p->probed = backend__has(t->backend, BACKEND_PROBES);
	p->depth = t->depth;
	p->subprog = t->subprog;
	p->called = target__is_called(t);
	p->map = t->called.map ? xstrdup(t->called.map) : NULL;
	p->map_type = t->called.map ? xstrdup(t->called.map_type) : NULL;
	p->site = text__dup(t->called.site);
	p->root_index = t->root_index;
	p->is_root = t->root_index == t->func_index;
	p->runs_elsewhere = t->runs_elsewhere;
	prog__tag(t->prog, p->tag);
	p->version_name = t->version_name ? xstrdup(t->version_name) : NULL;
	if (o->label)
		o->label(o->label_arg, p);
	set_common_key(p, &total);
	if (first)
		p->recursion_misses = recursion_misses(&total);
	p->slowed_runs = slowed_runs(&total);
	if (first)
		p->own_runs = own_runs(&total);
	if (first)
		set_others(p, &total);
	p->uncalibrated = p->probed && s->env.opts.calibrate && !backend__is_net(t->backend);
	p->blinded = t->blinded;
	p->random_code = t->blinded && !is_x86_64();
	if (s->env.opts.follow)
		set_version(p, s, t);
	if (!t->subprog)
		set_sizes(p, &t->prog->info);
	if (!o->driven)
		result__set_share(&p->all, &total, list->by_cpu ? &whole : &total);
	if (p->by_retval)
		result__set_likely_runs(&p->all, &total, &whole);
	fill_target_row(&p->all, &total);
	if (o->per_cpu && !list->by_cpu)
		fill_cpu_rows(p, &total);
	if (is_cpu_row_limited(&total))
		set_lower_limit(&p->all);
	p->with_own_runs = first && may_have_own(&p->all, s, t);
	note_stopped_counters(p, t->prog->info.type);
	if (first)
		add_target_notes(p, s, index, span);
}

/* Notes which of the rows from "first" on lack the first runs with their key. */
static void add_late_note(struct report *r, int first, const struct part_list *list)
{
	char names[256] = "";
	size_t len = 0;

	for (int i = 0; i < list->cnt; i++)
		if (list->row[i].late && len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					r->prog[r->prog_cnt - list->cnt + i].key_name);
	if (len)
		report_notes__add(
			&r->prog[first].notes,
			"%s: the first runs are in \"other\": the probe had no room to keep "
			"them apart",
			names);
}

/* Adds the rows of a target: one row, or one for each value of the key of --by, or both. */
static void fill_target(struct report *r, const struct session *s, int index,
			const struct result_span *span, const struct result_opts *o)
{
	const struct part_row all = {ALL_PARTS, 0, s->env.cpus.cnt};
	int first = r->prog_cnt;
	struct part_list list;

	part_list__make(s, index, span->from, span->to, o->all_keys || o->driven, o->late_keys,
			&list);
	if (o->with_whole && list.divided)
		fill_prog(r, s, index, &(struct part_list){}, &all, true, span, o);
	for (int i = 0; i < list.cnt; i++)
		fill_prog(r, s, index, &list, &list.row[i], r->prog_cnt == first, span, o);
	add_late_note(r, first, &list);
	if (list.cut)
		report_notes__add(
			&r->prog[first].notes,
			"\"other\" has runs of more values than a probe keeps apart: one of "
			"them may have cost more than a value with a row");
	part_list__free(&list);
}

static void fill_skipped(struct report *r, const struct session *s, const struct result_opts *o)
{
	char text[512];

	for (int i = 0; i < s->targets.skip_cnt; i++) {
		const struct skipped *skip = &s->targets.skip[i];

		if (o->wants && !o->wants(o->arg, skip->id, NULL))
			continue;
		report__skip(r, skip->id, skip->name, reason__spec(skip->reason.code)->name,
			     reason__advise(&skip->reason, text, sizeof(text)))
			->more = skip->more;
	}
}

/* Fills in all of r except its rows, which must be complete. There must be at least one span. */
static int fill_head(struct report *r, const struct session *s, const struct result_span *spans,
		     int cnt, const struct result_opts *o)
{
	int err = result__fill_host(r, o->command);

	if (err)
		return err;
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->fill_report)
			s->backend[i].ops->fill_report(s->backend[i].state, r);
	fill_skipped(r, s, o);
	result__check_lost(r, s);
	result__set_calls(r, s, o->with_whole);
	r->host.cpus = s->env.online.cnt;
	if (!s->targets.cnt)
		result__set_jit(r);
	for (int i = 0; i < s->targets.cnt; i++)
		r->host.jit |= prog__is_jited(s->targets.v[i].prog);
	r->started = o->started;
	r->calibrated = session__is_net(s);
	r->followed = s->env.opts.follow;
	r->by_retval = s->env.opts.by;
	r->by = s->env.opts.by == BY_RETVAL ? BY_NOTHING : s->env.opts.by;
	r->memory.counts = s->memory.used;
	r->memory.limit = s->memory.limit;
	r->memory.bucket_width = s->env.opts.hist ? hist__bucket_width(s->env.opts.hist_shift)
						  : NAN;
	r->driven = o->driven;
	result__set_thinning(r, s, spans[0].from, spans[0].to);
	for (int i = 0; i < cnt; i++)
		r->elapsed_ns += spans[i].to->ns - spans[i].from->ns;
	return 0;
}

int result__report(const struct session *s, const struct result_span *spans, int cnt,
		   const struct result_opts *o, struct report **out)
{
	struct report *r = report__new();
	int err;

	*out = NULL;
	for (int i = 0; i < s->targets.cnt; i++)
		for (int j = 0; j < cnt; j++)
			if ((!o->wants || o->wants(o->arg, s->targets.v[i].id, &spans[j])) &&
			    has_target(s, i, spans[j].from, spans[j].to))
				fill_target(r, s, i, &spans[j], o);
	err = fill_head(r, s, spans, cnt, o);
	if (err) {
		report__free(r);
		return result__fail(err);
	}
	if (o->sum) {
		report__sum(r, o->sum);
		if (!o->buckets)
			report__drop_buckets(r);
	}
	if (o->per)
		report__set_per(r, o->per);
	*out = r;
	return 0;
}
