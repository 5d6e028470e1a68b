// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Relates the rows of a program's functions to the runs in which the functions were called. Owns the
 * rule for when the calls per run of a root are known: what a root costs is exactly the sum of the
 * own costs of all functions that run in its runs, because the probes subtract from each function
 * what its callees cost. So if the own costs of functions that may also run elsewhere add up to the
 * root's cost, they ran in its runs only. Must not know how trees are printed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "result/result.h"
#include "result/result_tree.h"

/* The rows of one call tree: those of a program, in one input case, that have the same root. */
struct tree {
	struct report *r;
	const struct result_opts *o;
	int root; /* the index of the root's first row; the other rows of the tree follow */
	int cpus;
	/* The root may run by tail call, which its probe does not see; so all its functions may. */
	bool tail_called;
	bool known;  /* the calls per run of functions that run nowhere else are known */
	bool proven; /* those of the other functions, too */
};

/* The cost of all measured runs, for one event. */
struct tree_cost {
	bool known;
	double root;	/* with everything that was called */
	double here;	/* the own costs of functions that run only in the root's runs */
	double perhaps; /* the own costs of those that may also run elsewhere */
	double skew;	/* what runs may take that were in flight at a snapshot */
	bool loose; /* there may be runs of the root without a value in which functions have one */
};

/* Returns the tree's next row after p, or NULL. The rows of a program are adjacent. */
static struct report_prog *next_row(const struct tree *t, const struct report_prog *p)
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
	return !(t->o->with_whole && p->by_retval);
}

static bool runs_elsewhere(const struct tree *t, const struct report_prog *p)
{
	return !p->is_root && (p->runs_elsewhere || t->tail_called);
}

static void add_cost(const struct tree *t, const struct report_prog *p, int event,
		     struct tree_cost *c)
{
	const struct report_event *ev = &p->all.event[event];
	double own;

	if (!counts(t, p) || event >= p->all.event_cnt || !report_event__has_value(ev) ||
	    isnan(ev->stat[STAT_SELF]))
		return;
	own = ev->stat[STAT_SELF] * ev->measured;
	*(runs_elsewhere(t, p) ? &c->perhaps : &c->here) += own;
	if (!p->is_root)
		return;
	c->known = true;
	c->root += ev->stat[STAT_MEAN] * ev->measured;
	c->skew += fabs(ev->stat[STAT_MEAN]) * 2 * t->cpus;
	c->loose |= text__is_same(ev->read, "multiplexed");
	for (int i = 0; i < LOST_CNT; i++)
		c->loose |= p->all.lost[i] != 0;
}

static struct tree_cost sum_costs(const struct tree *t, int event)
{
	struct tree_cost c = {};

	for (struct report_prog *p = &t->r->prog[t->root]; p; p = next_row(t, p))
		add_cost(t, p, event, &c);
	return c;
}

/*
 * The share of a cost that counts as a difference. The sums are exact, but in floating point. If runs
 * have no value, it is larger; the check then finds gross errors only.
 */
#define EXACT 1e-9
#define LOOSE 0.1

/* Finds out which functions ran only in the runs of the root. */
static void judge(struct tree *t)
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

/* Returns true if the sums would differ if some calls of the function were elsewhere. */
static bool has_cost(const struct report_prog *p)
{
	for (int i = 0; i < p->all.event_cnt; i++)
		if (report_event__has_value(&p->all.event[i]) && p->all.event[i].stat[STAT_SELF])
			return true;
	return false;
}

/*
 * Sets the calls of one row. The return values of runs that were not measured are not known, so only
 * measured runs count for parts.
 */
static void set_calls(const struct tree *t, struct report_prog *p)
{
	__u64 runs = 0;

	if (p->unmeasured || (p->is_root ? !p->by_retval : !t->known))
		return;
	if (runs_elsewhere(t, p) && !(t->proven && has_cost(p)))
		return;
	for (struct report_prog *q = &t->r->prog[t->root]; q; q = next_row(t, q))
		if (q->is_root && counts(t, q))
			runs += p->by_retval ? q->all.measured : q->all.runs;
	if (runs)
		p->calls_per_run = (double)(p->by_retval ? p->all.measured : p->all.runs) / runs;
}

/* The most functions that a note names. */
#define MAX_NAMES 4

/* Notes functions that ran, but whose calls per run are not known. */
static int add_note(const struct tree *t)
{
	struct report_prog *root = &t->r->prog[t->root];
	int cnt = 0, err;
	char *names, count[64];
	size_t size;
	FILE *out = text__open(&names, &size);

	if (!out)
		return -ENOMEM;
	for (struct report_prog *p = root; p; p = next_row(t, p))
		if (!p->is_root && counts(t, p) && report__is_first_row(t->r, p - t->r->prog) &&
		    p->all.runs && isnan(p->calls_per_run))
			fprintf(out, "%s%s", cnt++ ? ", " : "", p->func);
	err = text__finish(out, &names);
	snprintf(count, sizeof(count), "%d of its functions", cnt);
	if (!err && cnt)
		err = report_notes__add(&root->notes,
					"how often %s %s called per run is not known, as %s %srun "
					"outside of the runs of %s",
					cnt > MAX_NAMES ? count : names, cnt > 1 ? "are" : "is",
					cnt > 1 ? "they" : "it", t->known ? "may also " : "also ",
					root->func);
	free(names);
	return err;
}

/* Returns true if the target is an entry function that may run without its probe's seeing it. */
static bool is_tail_called(const struct session *s, const struct target *t)
{
	const struct prog_arrays *arrays = &s->targets.prog_arrays;

	for (int i = 0; i < arrays->cnt && !t->subprog; i++)
		if (prog_array__has(&arrays->v[i], t->id))
			return true;
	return false;
}

static const struct target *find_target(const struct session *s, const struct report_prog *p)
{
	const struct target *t = NULL;

	while ((t = target_list__next(&s->targets, p->id, t)))
		if (t->func_index == p->root_index)
			return t;
	return NULL;
}

/* Returns true if it is the first row of a root. */
static bool begins_tree(const struct report *r, int index)
{
	const struct report_prog *p = &r->prog[index], *last = index ? p - 1 : NULL;

	return p->is_root && !(last && last->id == p->id && last->root_index == p->root_index &&
			       text__is_same(last->input, p->input));
}

int result__set_calls(struct report *r, const struct session *s, const struct result_opts *o)
{
	int err = 0;

	for (int i = 0; !err && i < r->prog_cnt; i++) {
		struct tree t = {.r = r, .o = o, .root = i, .cpus = s->env.online.cnt};
		const struct target *target;

		if (!begins_tree(r, i))
			continue;
		target = find_target(s, &r->prog[i]);
		t.tail_called = target && is_tail_called(s, target);
		judge(&t);
		for (struct report_prog *p = &r->prog[i]; p; p = next_row(&t, p))
			set_calls(&t, p);
		err = add_note(&t);
	}
	return err;
}
