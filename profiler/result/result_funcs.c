// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values of a function's row that depend on the rows of other functions. Owns two rules: when the
 * own cost of a function (without the functions that it calls) is not known, because runs were lost
 * in its runs; and when the calls per run of a root are known. Must not know why runs are lost, nor
 * how trees are printed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "report/report.h"
#include "result/result_common.h"
#include "result/result_funcs.h"
#include "session/session.h"

/*
 * Lost runs. The probe of an inner function subtracts the cost of its run, and its own overhead,
 * from the functions around it. For a lost run, nothing is subtracted.
 */

/* If lost runs may add more than this share to a function's cost, the cost is not shown. */
#define ERROR_MAX 0.01
/*
 * The probe of a lost run adds less than five times its bias to the callers. On arm64 and x86-64,
 * measurements show 1.5 to 2.3 times the bias.
 */
#define PROBE_MAX 5

/* A function with lost runs, in one input case (bprof bench). */
struct lost_func {
	struct report *r;
	const struct report_prog *first; /* the first row of the function */
	const struct target *t;
	bool by_cpu; /* --by cpu */
};

/*
 * Marks the functions of the program that a function calls before it returns, directly or through
 * others.
 */
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
	bool *reached = prog->funcs ? xcalloc(prog->funcs->cnt, sizeof(*reached)) : NULL,
	     found = true;

	if (reached) {
		reach(prog, from, reached);
		found = reached[to];
	}
	free(reached);
	return found;
}

/* Returns true if runs of "inner" may happen in runs of "outer". */
static bool may_contain(const struct target *outer, const struct target *inner)
{
	if (outer->tail_calls != TAIL_CALLS_NO)
		return true;
	if (target__is_called(outer))
		return outer->id == inner->id && !target__is_called(inner);
	if (target__is_called(inner))
		return outer->id == inner->id &&
		       (outer->caller_number == inner->called.caller ||
			calls(outer->prog, outer->func_index, inner->called.caller_index));
	if (outer == inner)
		return false; /* BPF functions do not call themselves. */
	if (outer->id == inner->id)
		return calls(outer->prog, outer->func_index, inner->func_index);
	return inner->extends && inner->extends->target_id == outer->id;
}

static const struct target *target_of(const struct session *s, const struct report_prog *p)
{
	const struct target *t = NULL;

	while ((t = target_list__next(&s->targets, p->id, t)))
		if (text__is_same(t->func, p->func))
			return t;
	return NULL;
}

/* Returns true if both rows belong to the same function in the same input case. */
static bool is_same_func_and_input(const struct report_prog *a, const struct report_prog *b)
{
	return a->id == b->id && text__is_same(a->func, b->func) &&
	       text__is_same(a->input, b->input);
}

static bool is_first_of_func(const struct report *r, int index)
{
	for (int i = 0; i < index; i++)
		if (is_same_func_and_input(&r->prog[i], &r->prog[index]))
			return false;
	return true;
}

/*
 * Returns the next row of the function after p, or NULL. Parts of the function's runs have rows of
 * their own.
 */
static const struct report_prog *next_lost(const struct lost_func *l, const struct report_prog *p)
{
	while (++p < l->r->prog + l->r->prog_cnt)
		if (is_same_func_and_input(p, l->first))
			return p;
	return NULL;
}

static __u64 lost_on(const struct report_prog *p, int cpu)
{
	const struct report_row *row = report_row__of_cpu(&p->all, p->cpu, p->cpu_cnt, cpu);

	/*
	 * Leave out LOST_ENTRY: a run whose entry was missed began before the measured runs, so it
	 * is not a part of one. Of a kernel function, the kernel skipped the entry.
	 */
	return row ? report_row__lost(row) - (p->called ? 0 : row->lost[LOST_ENTRY]) : 0;
}

/* Returns false for rows of two CPUs (--by cpu). */
static bool may_share_cpu(const struct lost_func *l, const struct report_prog *a,
			  const struct report_prog *b)
{
	return !l->by_cpu || !a->key_name || !b->key_name || a->key_value == b->key_value;
}

/*
 * Returns the number of the function's runs that were lost on a CPU (-1: on all CPUs) and may have
 * happened within the runs of the row "in" (NULL: of any row) of another function. If the function's
 * runs are divided, each of its rows has only its own lost runs; a row before them may have all.
 */
static __u64 lost_runs(const struct lost_func *l, const struct report_prog *in, int cpu)
{
	__u64 whole = 0, parts = 0;

	for (const struct report_prog *p = l->first; p; p = next_lost(l, p)) {
		if (!p->by_retval)
			whole = lost_on(p, cpu) > whole ? lost_on(p, cpu) : whole;
		else if (!in || may_share_cpu(l, p, in))
			parts += lost_on(p, cpu);
	}
	return whole > parts ? whole : parts;
}

/* Returns the bias or, without a calibration, the mean, which then includes what the probe adds. */
static double bias_of(const struct report_event *ev)
{
	return isnan(ev->bias) ? ev->stat[STAT_MEAN] : ev->bias;
}

static double raw_cost_of(const struct report_event *ev)
{
	return isnan(ev->raw_per_run) ? ev->stat[STAT_MEAN] : ev->raw_per_run;
}

/* Returns the largest value of the function's rows, or NaN if none is known. */
static double largest(const struct lost_func *l, int event,
		      double (*value_of)(const struct report_event *))
{
	double max = NAN;

	for (const struct report_prog *p = l->first; p; p = next_lost(l, p))
		if (event < p->all.event_cnt)
			max = fmax(max, value_of(&p->all.event[event]));
	return max;
}

/*
 * Removes an event's values from a row. Also removes the CPU share if it may come from this event.
 */
static void drop_value(struct report_row *row, struct report_event *ev, const char *detail)
{
	free(ev->bucket);
	ev->bucket = NULL;
	ev->bucket_cnt = 0;
	ev->measured = 0;
	ev->total = NAN;
	row->cpu_share = row->share_error = NAN;
	row->share_estimated = false;
	result__set_status(ev, EVENT_NOT_COUNTED, detail);
}

/*
 * Removes the values of each event from a row if the probes of lost runs may be too large a part of
 * them. Otherwise, removes the event's own cost if the lost runs themselves may be too large a part
 * of it, and then sets *self.
 */
static void check_lost_in_row(const struct report_prog *p, struct report_row *row,
			      const struct lost_func *l, const char *detail, bool *self)
{
	double lost = lost_runs(l, p, row->cpu);

	for (int i = 0; i < row->event_cnt && lost; i++) {
		struct report_event *ev = &row->event[i];
		double total = fabs(ev->stat[STAT_MEAN]) * ev->measured,
		       own = fabs(ev->stat[STAT_SELF]) * ev->measured;

		if (!report_event__has_value(ev))
			continue;
		/* The condition is also true if the bias is not known (NaN). */
		if (!(PROBE_MAX * largest(l, i, bias_of) * lost <= ERROR_MAX * total)) {
			drop_value(row, ev, detail);
		} else if (!isnan(own) && !(largest(l, i, raw_cost_of) * lost <= ERROR_MAX * own)) {
			ev->stat[STAT_SELF] = NAN;
			*self = true;
		}
	}
}

/* Checks the row of a function whose runs may contain lost runs of the function l->first. */
static void check_lost_in_prog(struct report_prog *p, const struct lost_func *l)
{
	bool self = false;
	char lost[NUMBER_SZ], *detail;

	detail = text__format("its runs may include %s lost runs of %s, and what their probes took",
			      number__group_u64(lost, lost_runs(l, p, -1)),
			      text__or_empty(l->first->func));
	for (int i = 0; i < p->cpu_cnt; i++)
		check_lost_in_row(p, &p->cpu[i], l, detail, &self);
	check_lost_in_row(p, &p->all, l, detail, &self);
	if (self)
		report_notes__add(&p->notes, "its own cost is not known: %s", detail);
	free(detail);
}

void result__check_lost(struct report *r, const struct session *s)
{
	for (int i = 0; i < r->prog_cnt && s->env.nested; i++) {
		struct lost_func l = {r, &r->prog[i], target_of(s, &r->prog[i]),
				      s->env.opts.by == BY_CPU};

		if (!l.t || !is_first_of_func(r, i) || !lost_runs(&l, NULL, -1))
			continue;
		for (int k = 0; k < r->prog_cnt; k++) {
			const struct target *outer = target_of(s, &r->prog[k]);

			if (outer && outer->backend == l.t->backend &&
			    text__is_same(r->prog[k].input, l.first->input) &&
			    may_contain(outer, l.t))
				check_lost_in_prog(&r->prog[k], &l);
		}
	}
}

/*
 * Calls per run. The cost of a root is exactly the sum of the own costs of all functions that run
 * in its runs, because the probes subtract from each function what its callees cost. So if all own
 * costs, including those of functions that may also run elsewhere, add up to the root's cost, these
 * functions ran only in the root's runs.
 */

/* The rows of one call tree: rows of one program, in one input case, that have the same root. */
struct tree {
	struct report *r;
	bool with_whole; /* a row with all runs of a function precedes those of its return values */
	int root;	 /* the index of the root's first row; the other rows of the tree follow */
	int cpus;
	bool thinned; /* only one run in N was measured */
	/*
	 * The root may run by a tail call that its probe does not see. Then its functions may also
	 * run outside of the runs that the probe sees.
	 */
	bool tail_called;
	/*
	 * How many runs of the tree's functions ended without their exit probe, which the kernel
	 * skipped (a task that preempts the probe runs the same function). The probes of kernel
	 * functions take such a run to be in progress, until a run begins higher on the same stack.
	 * So later calls on this stack, whoever makes them, count as the run's calls.
	 */
	__u64 unended;
	bool known;  /* calls per run are known for functions that run only in the root's runs */
	bool proven; /* calls per run are known for the other functions, too */
};

/* The cost of all measured runs, for one event. */
struct tree_cost {
	bool known;
	double root;	/* cost of the root, with all functions that it called */
	double here;	/* the own costs of functions that run only in the root's runs */
	double perhaps; /* the own costs of functions that may also run elsewhere */
	double skew;	/* the most that runs in progress at a snapshot may have cost */
	/* some runs of the root may lack a value, although functions in them have one */
	bool loose;
};

/* Returns the next row of the tree after p, or NULL. The rows of a program are adjacent. */
static struct report_prog *next_in_tree(const struct tree *t, const struct report_prog *p)
{
	const struct report_prog *root = &t->r->prog[t->root];

	for (int i = p - t->r->prog + 1; i < t->r->prog_cnt; i++) {
		struct report_prog *next = &t->r->prog[i];

		if (next->id != root->id || !text__is_same(next->input, root->input))
			return NULL;
		if (next->root_index == root->root_index)
			return next;
	}
	return NULL;
}

/* Returns true if the row's runs are in no other row. */
static bool counts(const struct tree *t, const struct report_prog *p)
{
	return !(t->with_whole && p->by_retval);
}

static bool runs_elsewhere(const struct tree *t, const struct report_prog *p)
{
	return !p->is_root && (p->runs_elsewhere || t->tail_called);
}

static struct tree_cost sum_costs(const struct tree *t, int event)
{
	struct tree_cost c = {};

	for (struct report_prog *p = &t->r->prog[t->root]; p; p = next_in_tree(t, p)) {
		const struct report_event *ev = &p->all.event[event];
		double own;

		if (!counts(t, p) || event >= p->all.event_cnt || !report_event__has_value(ev) ||
		    isnan(ev->stat[STAT_SELF]))
			continue;
		own = ev->stat[STAT_SELF] * ev->measured;
		*(runs_elsewhere(t, p) ? &c.perhaps : &c.here) += own;
		if (!p->is_root)
			continue;
		c.known = true;
		c.root += ev->stat[STAT_MEAN] * ev->measured;
		c.skew += fabs(ev->stat[STAT_MEAN]) * 2 * t->cpus;
		c.loose |= text__is_same(ev->read, "multiplexed");
		for (int i = 0; i < LOST_CNT; i++)
			c.loose |= p->all.lost[i] != 0;
	}
	return c;
}

/*
 * Sums that differ by more than this share of a cost are different. The counts are exact, but the
 * sums are in floating point. If some runs have no value, the limit is larger, and the check finds
 * only gross errors.
 */
#define EXACT 1e-9
#define LOOSE 0.1

/* Decides for which functions it is known that they ran only in the runs of the root. */
static void judge_call_tree(struct tree *t)
{
	bool differs = false, adds_up = false;

	t->known = true;
	for (int e = 0; e < t->r->prog[t->root].all.event_cnt; e++) {
		struct tree_cost c = sum_costs(t, e);
		double difference = c.here + c.perhaps - c.root, exact = EXACT * fabs(c.root);

		if (!c.known)
			continue;
		if (c.here > c.root + (c.loose ? LOOSE * fabs(c.root) : exact) + c.skew)
			t->known = false;
		differs |= fabs(difference) > exact;
		adds_up |= c.root > 0;
	}
	t->proven = t->known && adds_up && !differs;
}

/* Returns true if the sums would differ if some calls of the function happened elsewhere. */
static bool costs_anything(const struct report_prog *p)
{
	for (int i = 0; i < p->all.event_cnt; i++)
		if (report_event__has_value(&p->all.event[i]) && p->all.event[i].stat[STAT_SELF])
			return true;
	return false;
}

/*
 * Sets the calls of one row. The return values of unmeasured runs are not known, so only measured
 * runs count for parts.
 */
static void set_calls_per_run(const struct tree *t, struct report_prog *p)
{
	/* For a kernel function, calls in unmeasured runs (--sample) are not known. */
	const bool of_measured = p->by_retval || (p->called && t->thinned);
	__u64 runs = 0, calls;

	if (p->unmeasured || (p->is_root ? !p->by_retval : !t->known))
		return;
	if (p->called && t->unended)
		return;
	if (runs_elsewhere(t, p) && !(t->proven && costs_anything(p)))
		return;
	for (struct report_prog *q = &t->r->prog[t->root]; q; q = next_in_tree(t, q))
		if (q->is_root && counts(t, q))
			runs += of_measured ? q->all.measured : q->all.runs;
	/*
	 * For a kernel function, the kernel's count of skipped calls includes those of other
	 * callers.
	 */
	calls = of_measured ? p->all.measured
			    : p->all.runs - (p->called ? p->all.lost[LOST_RECURSION] : 0);
	/* It is not known how many of the skipped calls came from this caller. */
	if (p->called && p->all.lost[LOST_RECURSION] * 100 > calls)
		return;
	if (runs)
		p->calls_per_run = (double)calls / runs;
}

/*
 * For each call within a function's runs, adds twice the uncertainty of the callee's bias to the
 * function's own uncertainty. The probe subtracts from the function what a call adds to it, which
 * contains the bias twice (calibration.c, call_cost()). Call it for callers before their callees.
 */
static void add_uncertainty(const struct tree *t, struct report_prog *p)
{
	double most = 0;

	for (int e = 0; e < p->all.event_cnt; e++) {
		double sum = 0;

		for (struct report_prog *q = next_in_tree(t, p); q && q->depth > p->depth;
		     q = next_in_tree(t, q))
			if (counts(t, q) && e < q->all.event_cnt && p->all.measured)
				sum += 2 * q->all.event[e].bias_uncertainty * q->all.measured /
				       p->all.measured;
		p->all.event[e].bias_uncertainty += sum;
		if (sum > 0)
			most = fmax(most, p->all.event[e].bias_uncertainty);
	}
	if (most > 0) {
		char number[NUMBER_SZ];

		report_notes__add(
			&p->notes,
			"with the calls in its runs, its net numbers may be wrong by up to %s",
			number__plain(number, most));
	}
}

/* The most functions that a note names. */
#define MAX_NAMES 4

/* Returns true if calls of kernel functions were measured in the tree. */
static bool has_calls(const struct tree *t)
{
	for (struct report_prog *p = &t->r->prog[t->root]; p; p = next_in_tree(t, p))
		if (p->called && p->all.measured)
			return true;
	return false;
}

/* Counts the runs whose exit probe the kernel skipped. */
static __u64 count_unended(const struct tree *t)
{
	__u64 sum = 0;

	for (struct report_prog *p = &t->r->prog[t->root]; p; p = next_in_tree(t, p))
		if (!p->called && counts(t, p))
			sum += p->all.lost[LOST_RECURSION];
	return sum;
}

/* Adds notes on functions whose calls per run are not known, and on calls that others may have made. */
static void add_note(const struct tree *t)
{
	struct report_prog *root = &t->r->prog[t->root];
	int cnt = 0;
	char *names, count[64], number[NUMBER_SZ];
	size_t size;
	FILE *out = text__open(&names, &size);

	for (struct report_prog *p = root; p; p = next_in_tree(t, p))
		if (!p->is_root && counts(t, p) && report__is_first_row(t->r, p - t->r->prog) &&
		    p->all.runs && isnan(p->calls_per_run))
			fprintf(out, "%s%s", cnt++ ? ", " : "", p->func);
	fclose(out);
	snprintf(count, sizeof(count), "%d of its functions", cnt);
	if (t->unended && has_calls(t))
		report_notes__add(&root->notes,
				  "the kernel skipped the probe at the end of %s run%s: calls that "
				  "others made after such a run may be among its calls",
				  number__group_u64(number, t->unended), t->unended > 1 ? "s" : "");
	if (cnt)
		report_notes__add(&root->notes,
				  "how often %s %s called per run is not known, as %s %srun "
				  "outside of the runs of %s",
				  cnt > MAX_NAMES ? count : names, cnt > 1 ? "are" : "is",
				  cnt > 1 ? "they" : "it", t->known ? "may also " : "also ",
				  root->func);
	free(names);
}

/*
 * Returns true if the target is an entry function that may run by a tail call, which its probe may
 * not see.
 */
static bool is_tail_called(const struct session *s, const struct target *t)
{
	const struct prog_arrays *arrays = &s->targets.prog_arrays;

	for (int i = 0; i < arrays->cnt && !t->subprog; i++)
		if (prog_array__has(&arrays->v[i], t->id))
			return true;
	return false;
}

static const struct target *root_target(const struct session *s, const struct report_prog *p)
{
	const struct target *t = NULL;

	while ((t = target_list__next(&s->targets, p->id, t)))
		if (t->func_index == p->root_index)
			return t;
	return NULL;
}

/* Returns true if the row is the first row of a root. */
static bool begins_tree(const struct report *r, int index)
{
	const struct report_prog *p = &r->prog[index], *last = index ? p - 1 : NULL;

	return p->is_root && !(last && last->id == p->id && last->root_index == p->root_index &&
			       text__is_same(last->input, p->input));
}

void result__set_calls(struct report *r, const struct session *s, bool with_whole)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		struct tree t = {
			.r = r,
			.with_whole = with_whole,
			.root = i,
			.cpus = s->env.online.cnt,
			.thinned = s->env.opts.thin_period > 1,
		};
		const struct target *target;

		if (!begins_tree(r, i))
			continue;
		target = root_target(s, &r->prog[i]);
		t.tail_called = target && is_tail_called(s, target);
		t.unended = count_unended(&t);
		judge_call_tree(&t);
		for (struct report_prog *p = &r->prog[i]; p; p = next_in_tree(&t, p))
			set_calls_per_run(&t, p);
		for (struct report_prog *p = &r->prog[i]; p; p = next_in_tree(&t, p))
			add_uncertainty(&t, p);
		add_note(&t);
	}
}
