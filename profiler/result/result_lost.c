// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What lost runs do to the numbers of the functions in whose runs they happened. A probe subtracts from
 * these what its run took, and its own overhead; for a lost run, nothing is subtracted. Owns the rule for
 * when the own cost of a function is not known any more; must not know why runs are lost.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "result/result.h"
#include "result/result_common.h"
#include "result/result_lost.h"

/* The share of a function's cost from which on what lost runs may add to it matters. */
#define ERROR_MAX 0.01
/*
 * The probe of a lost run adds less than five times its bias to the callers. On arm64 and x86-64, 1.5 to
 * 2.3 times the bias were measured.
 */
#define PROBE_MAX 5

/* A function with lost runs, in one input case. */
struct lost_func {
	struct report *r;
	const struct report_prog *first; /* the first of its rows */
	const struct target *t;
};

/* Marks the functions of the program that a function calls, directly or not, before it returns. */
static void reach(const struct prog *prog, __u32 from, bool *reached)
{
	for (__u32 i = 0; i < prog->funcs->cnt; i++) {
		if (reached[i] || !(prog__when_calls(prog, from, i) & CALL_NOW))
			continue;
		reached[i] = true;
		reach(prog, i, reached);
	}
}

static bool calls(const struct prog *prog, __u32 from, __u32 to)
{
	bool *reached = prog->funcs ? calloc(prog->funcs->cnt, sizeof(*reached)) : NULL,
	     found = true;

	if (reached) {
		reach(prog, from, reached);
		found = reached[to];
	}
	free(reached);
	return found;
}

/* Returns true if runs of "inner" may happen in those of "outer". */
static bool may_contain(const struct target *outer, const struct target *inner)
{
	if (outer->tail_calls != TAIL_CALLS_NO)
		return true;
	if (outer == inner)
		return false; /* BPF functions do not call themselves. */
	if (outer->id == inner->id)
		return calls(outer->prog, outer->func_index, inner->func_index);
	return inner->extends && inner->extends->target_id == outer->id;
}

static const struct target *find_target(const struct session *s, const struct report_prog *p)
{
	const struct target *t = NULL;

	while ((t = target_list__next(&s->targets, p->id, t)))
		if (text__is_same(t->func, p->func))
			return t;
	return NULL;
}

/* Returns true if both are rows of one function, in one input case. */
static bool is_same(const struct report_prog *a, const struct report_prog *b)
{
	return a->id == b->id && text__is_same(a->func, b->func) &&
	       text__is_same(a->input, b->input);
}

static bool is_first(const struct report *r, int index)
{
	for (int i = 0; i < index; i++)
		if (is_same(&r->prog[i], &r->prog[index]))
			return false;
	return true;
}

/* Returns the function's next row after p, or NULL. Parts of its runs have rows of their own. */
static const struct report_prog *next_row(const struct lost_func *l, const struct report_prog *p)
{
	while (++p < l->r->prog + l->r->prog_cnt)
		if (is_same(p, l->first))
			return p;
	return NULL;
}

static __u64 lost_on(const struct report_prog *p, int cpu)
{
	const struct report_row *row = cpu < 0 ? &p->all : NULL;

	for (int i = 0; !row && i < p->cpu_cnt; i++)
		if (p->cpu[i].cpu == cpu)
			row = &p->cpu[i];
	/* A run whose entry was missed began before the runs that are measured. */
	return row ? report_row__lost(row) - row->lost[LOST_ENTRY] : 0;
}

/* Returns the number of runs that were lost on a CPU (-1: on all) and may be a part of others. */
static __u64 lost_runs(const struct lost_func *l, int cpu)
{
	__u64 lost = 0;

	for (const struct report_prog *p = l->first; p; p = next_row(l, p))
		lost = lost_on(p, cpu) > lost ? lost_on(p, cpu) : lost;
	return lost;
}

/* Without a calibration, what the probe adds is a part of the mean. */
static double bias_of(const struct report_event *ev)
{
	return isnan(ev->bias) ? ev->stat[STAT_MEAN] : ev->bias;
}

static double cost_of(const struct report_event *ev)
{
	return isnan(ev->raw_per_run) ? ev->stat[STAT_MEAN] : ev->raw_per_run;
}

/* Returns the largest value of the function's rows, or NaN if none is known. */
static double largest(const struct lost_func *l, int event,
		      double (*value_of)(const struct report_event *))
{
	double max = NAN;

	for (const struct report_prog *p = l->first; p; p = next_row(l, p))
		if (event < p->all.event_cnt)
			max = fmax(max, value_of(&p->all.event[event]));
	return max;
}

/* Removes an event's values from a row, and the CPU share, which may come from this event. */
static int drop_value(struct report_row *row, struct report_event *ev, const char *detail)
{
	free(ev->bucket);
	ev->bucket = NULL;
	ev->bucket_cnt = 0;
	ev->measured = 0;
	ev->total = NAN;
	row->cpu_share = row->share_error = NAN;
	row->share_estimated = false;
	return result__set_status(ev, EVENT_NOT_COUNTED, detail);
}

/*
 * Removes the values of an event from a row if what the probes of lost runs took may be a part of
 * them that matters; or else its own cost, if what these runs took may be one. Sets *self then.
 */
static int check_event(struct report_row *row, int event, const struct lost_func *l,
		       const char *detail, bool *self)
{
	struct report_event *ev = &row->event[event];
	double total = fabs(ev->stat[STAT_MEAN]) * ev->measured,
	       own = fabs(ev->stat[STAT_SELF]) * ev->measured, lost = lost_runs(l, row->cpu);

	if (!lost || !report_event__has_value(ev))
		return 0;
	/* Also true if the bias is not known. */
	if (!(PROBE_MAX * largest(l, event, bias_of) * lost <= ERROR_MAX * total))
		return drop_value(row, ev, detail);
	if (isnan(own) || largest(l, event, cost_of) * lost <= ERROR_MAX * own)
		return 0;
	ev->stat[STAT_SELF] = NAN;
	*self = true;
	return 0;
}

static int check_row(struct report_row *row, const struct lost_func *l, const char *detail,
		     bool *self)
{
	int err = 0;

	for (int i = 0; !err && i < row->event_cnt; i++)
		err = check_event(row, i, l, detail, self);
	return err;
}

/* Checks a row of a function in whose runs the lost ones may have been. */
static int check_prog(struct report_prog *p, const struct lost_func *l)
{
	bool self = false;
	char lost[NUMBER_SZ], *detail;
	int err = 0;

	detail = text__format("its runs may include %s lost runs of %s, and what their probes took",
			      number__group_u64(lost, lost_runs(l, -1)),
			      text__or_empty(l->first->func));
	if (!detail)
		return -ENOMEM;
	for (int i = 0; !err && i < p->cpu_cnt; i++)
		err = check_row(&p->cpu[i], l, detail, &self);
	err = err ?: check_row(&p->all, l, detail, &self);
	if (!err && self)
		err = report_notes__add(&p->notes, "its own cost is not known: %s", detail);
	free(detail);
	return err;
}

int result__check_lost(struct report *r, const struct session *s)
{
	int err = 0;

	for (int i = 0; !err && i < r->prog_cnt && s->env.nested; i++) {
		struct lost_func l = {r, &r->prog[i], find_target(s, &r->prog[i])};

		if (!l.t || !is_first(r, i) || !lost_runs(&l, -1))
			continue;
		for (int k = 0; !err && k < r->prog_cnt; k++) {
			const struct target *outer = find_target(s, &r->prog[k]);

			if (outer && outer->backend == l.t->backend &&
			    text__is_same(r->prog[k].input, l.first->input) &&
			    may_contain(outer, l.t))
				err = check_prog(&r->prog[k], &l);
		}
	}
	return err;
}
