// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What bprof top compares with its baseline. Owns the last intervals of each function, which are the
 * blocks of a comparison (compare/compare.h); must not know how a change is judged, or how it looks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "compare/compare.h"
#include "top/top_priv.h"

/* The most intervals of a function that are compared: the last ones. */
#define MAX_BLOCKS 30

/* The change that counts. The list shows the mean, so this is what is compared. */
#define LIMIT "*:mean>2%"

void top_history__free(struct top_history *h)
{
	report__free(h->report);
	free(h->last);
	*h = (struct top_history){};
}

/* ---- adding intervals ---- */

static bool is_same_row(const struct report_prog *a, const struct report_prog *b)
{
	return a->id == b->id && report_prog__is_same(a, b);
}

static int find_row(const struct top_history *h, const struct report_prog *p)
{
	for (int i = 0; h->report && i < h->report->prog_cnt; i++)
		if (is_same_row(&h->report->prog[i], p))
			return i;
	return -1;
}

/* Adds a row for the function of p, without blocks. Returns its index or -ENOMEM. */
static int add_row(struct top_history *h, const struct report_prog *p)
{
	__u64 *last = reallocarray(h->last, h->report->prog_cnt + 1, sizeof(*last));
	struct report_prog *own;

	if (!last)
		return -ENOMEM;
	h->last = last;
	own = report__add_prog(h->report);
	if (!own)
		return -ENOMEM;
	own->id = p->id;
	own->name = text__dup(p->name);
	own->func = text__dup(p->func);
	own->type = text__dup(p->type);
	own->subprog = p->subprog;
	own->by_retval = p->by_retval;
	own->retval = p->retval;
	return h->report->prog_cnt - 1;
}

/* Sets the event's mean to that of the runs in its blocks. */
static void set_mean(struct report_event *ev)
{
	double total = 0;

	ev->measured = 0;
	for (int i = 0; i < ev->block_cnt; i++) {
		total += ev->block[i].measured * ev->block[i].stat[STAT_MEAN];
		ev->measured += ev->block[i].measured;
	}
	ev->stat[STAT_MEAN] = total / ev->measured;
}

static int add_block(struct report_row *to, const struct report_row *from,
		     const struct report_event *ev)
{
	struct report_event *own = (void *)report_row__find_like(to, from, ev);

	if (!report_event__has_value(ev))
		return 0;
	if (!own) {
		own = report_row__add_event(to);
		if (!own || report_event__set_names(own, ev->name, ev->base, ev->unit))
			return -ENOMEM;
		own->status = EVENT_OK;
	}
	if (own->block_cnt == MAX_BLOCKS)
		memmove(own->block, own->block + 1, --own->block_cnt * sizeof(*own->block));
	if (report_event__copy_block(own, ev))
		return -ENOMEM;
	set_mean(own);
	return 0;
}

static int add_prog(struct top_history *h, const struct report_prog *p)
{
	int at = find_row(h, p), err = 0;

	if (at < 0)
		at = add_row(h, p);
	if (at < 0)
		return at;
	h->last[at] = h->intervals;
	for (int i = 0; !err && i < p->all.event_cnt; i++)
		err = add_block(&h->report->prog[at].all, &p->all, &p->all.event[i]);
	return err;
}

/* Forgets the rows that none of the last MAX_BLOCKS intervals had. */
static int forget_old(struct top_history *h)
{
	struct report *old = h->report;

	h->report = report__new();
	if (!h->report) {
		h->report = old;
		return -ENOMEM;
	}
	for (int i = 0; i < old->prog_cnt; i++) {
		struct report_prog *to;

		if (h->intervals - h->last[i] >= MAX_BLOCKS)
			continue;
		to = report__add_prog(h->report);
		if (!to)
			break;
		h->last[h->report->prog_cnt - 1] = h->last[i];
		*to = old->prog[i];
		memset(&old->prog[i], 0, sizeof(old->prog[i]));
	}
	report__free(old);
	return 0;
}

int top_history__add(struct top_history *h, const struct report *r)
{
	int err = 0;

	if (!h->report)
		h->report = report__new();
	if (!h->report)
		return -ENOMEM;
	for (int i = 0; !err && i < r->prog_cnt; i++)
		if (r->prog[i].all.measured)
			err = add_prog(h, &r->prog[i]);
	h->intervals++;
	return err ?: h->intervals % MAX_BLOCKS ? 0 : forget_old(h);
}

/* ---- comparing ---- */

/* Rows that are compared: old.prog[i] with new.prog[i], for shown.prog[at[i]]. */
struct pairs {
	struct report old, new;
	int *at;
	int cnt;
};

/* Returns the row of the same program or, if it was replaced, of the one that is called the same. */
static const struct report_prog *find_like(const struct top_history *h, const struct report_prog *p)
{
	int at = find_row(h, p);

	for (int i = 0; at < 0 && h->report && i < h->report->prog_cnt; i++)
		if (report_prog__is_same(&h->report->prog[i], p))
			return &h->report->prog[i];
	return at < 0 ? NULL : &h->report->prog[at];
}

/*
 * The order of the pairs is the same in both reports, so that of several functions with the same
 * name, each is compared with its own past.
 */
static int find_pairs(struct pairs *p, const struct top_history *base,
		      const struct top_history *since, const struct report *shown)
{
	p->old.prog = calloc(shown->prog_cnt + 1, sizeof(*p->old.prog));
	p->new.prog = calloc(shown->prog_cnt + 1, sizeof(*p->new.prog));
	p->at = calloc(shown->prog_cnt + 1, sizeof(*p->at));
	if (!p->old.prog || !p->new.prog || !p->at)
		return -ENOMEM;
	for (int i = 0; i < shown->prog_cnt; i++) {
		const struct report_prog *was = find_like(base, &shown->prog[i]);
		int is = find_row(since, &shown->prog[i]);

		if (!was || is < 0)
			continue;
		p->old.prog[p->cnt] = *was;
		p->new.prog[p->cnt] = since->report->prog[is];
		p->at[p->cnt++] = i;
	}
	p->old.prog_cnt = p->new.prog_cnt = p->cnt;
	return 0;
}

static void set_change(const struct pairs *p, const struct compare_row *row, struct report *shown)
{
	const struct report_row *all = &row->new->all;
	int pair = row->new - p->new.prog;
	struct report_prog *to = &shown->prog[p->at[pair]];

	for (int i = 0; i < to->all.event_cnt; i++) {
		struct report_event *ev = &to->all.event[i];
		const struct report_event *own = report_row__find_like(all, &to->all, ev);

		if (!own || own->name != row->event)
			continue;
		ev->change = row->change.estimate;
		ev->change_share = row->share.estimate;
		ev->change_from = row->base->id;
		ev->change_verdict = verdict_specs[row->verdict].name;
	}
}

static int compare_pairs(const struct pairs *p, struct report *shown)
{
	struct compare_limits limits = {};
	const struct compare_opts o = {.limits = &limits};
	struct comparison *c = NULL;
	struct reason reason;
	int err = compare_limits__add(&limits, LIMIT, NULL);

	err = err ?: compare__reports(&p->old, &p->new, &o, &c, &reason);
	for (int i = 0; !err && i < c->row_cnt; i++)
		if (c->row[i].base && c->row[i].new)
			set_change(p, &c->row[i], shown);
	comparison__free(c);
	compare_limits__free(&limits);
	return err == -ENOMEM ? err : 0; /* other errors: there is nothing to compare yet */
}

int top_history__compare(const struct top_history *base, const struct top_history *since,
			 struct report *shown)
{
	struct pairs p = {};
	int err = find_pairs(&p, base, since, shown);

	if (!err && p.cnt)
		err = compare_pairs(&p, shown);
	free(p.old.prog);
	free(p.new.prog);
	free(p.at);
	return err;
}
