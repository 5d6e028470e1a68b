// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The data that bprof top compares with its baseline. Owns the last intervals of each function;
 * must not know how a change is judged, or what it looks like.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/compare.h"
#include "top/top_priv.h"

void top_history__free(struct top_history *h)
{
	for (int i = 0; h->report && i < h->report->prog_cnt; i++)
		free(h->past[i].event);
	report__free(h->report);
	free(h->past);
	*h = (struct top_history){};
}

/* ---- adding intervals ---- */

/* Returns the index of the row of p in a report, which may be NULL, or -1. */
static int find_same_prog(const struct report *r, const struct report_prog *p)
{
	for (int i = 0; r && i < r->prog_cnt; i++)
		if (r->prog[i].id == p->id && report_prog__is_same(&r->prog[i], p))
			return i;
	return -1;
}

void top__add_identity(struct report *r, const struct report_prog *p)
{
	struct report_prog *own = report__add_prog(r);

	own->id = p->id;
	own->name = text__dup(p->name);
	own->func = text__dup(p->func);
	own->type = text__dup(p->type);
	own->subprog = p->subprog;
	own->by_retval = p->by_retval;
	own->retval = p->retval;
	own->by_key = p->by_key;
	own->key_name = text__dup(p->key_name);
}

/* Returns the series of the event that corresponds to ev. Adds it if there is none. */
static struct top_series *add_series(struct report_row *to, struct top_past *past,
				     const struct report_row *from, const struct report_event *ev)
{
	const struct report_event *like = report_row__find_like(to, from, ev);
	struct top_series *event;
	struct report_event *own;

	if (like)
		return &past->event[like - to->event];
	event = xreallocarray(past->event, to->event_cnt + 1, sizeof(*event));
	past->event = event;
	event[to->event_cnt].cnt = 0;
	own = report_row__add_event(to);
	report_event__set_names(own, ev->name, ev->base, ev->unit);
	own->status = EVENT_OK;
	return &event[own - to->event];
}

/* A cost of 0 or less, which is possible as the bias was subtracted, has no logarithm. */
static void add_interval_cost(struct report_row *to, struct top_past *past,
			      const struct report_row *from, const struct report_event *ev)
{
	struct top_series *s;

	if (!report_event__has_value(ev) || !(ev->stat[STAT_MEAN] > 0))
		return;
	s = add_series(to, past, from, ev);
	if (s->cnt == TOP_SERIES_MAX)
		memmove(s->cost, s->cost + 1, --s->cnt * sizeof(*s->cost));
	s->cost[s->cnt++] = log(ev->stat[STAT_MEAN]);
}

/* Forgets the rows that were in none of the last TOP_SERIES_MAX intervals. */
static void forget_old_rows(struct top_history *h)
{
	struct top_history kept = {
		report__new(), xcalloc(h->report->prog_cnt + 1, sizeof(*h->past)), h->intervals};

	for (int i = 0; i < h->report->prog_cnt; i++) {
		struct report_prog *to;

		if (h->intervals - h->past[i].last >= TOP_SERIES_MAX)
			continue;
		to = report__add_prog(kept.report);
		kept.past[kept.report->prog_cnt - 1] = h->past[i];
		h->past[i] = (struct top_past){};
		*to = h->report->prog[i];
		memset(&h->report->prog[i], 0, sizeof(*to));
	}
	top_history__free(h);
	*h = kept;
}

void top_history__add(struct top_history *h, const struct report *r)
{
	if (!h->report)
		h->report = report__new();
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_row *from = &r->prog[i].all;
		int at;

		if (!from->measured)
			continue;
		at = find_same_prog(h->report, &r->prog[i]);
		if (at < 0) {
			at = h->report->prog_cnt;
			h->past = xreallocarray(h->past, at + 1, sizeof(*h->past));
			h->past[at] = (struct top_past){};
			top__add_identity(h->report, &r->prog[i]);
		}
		h->past[at].last = h->intervals;
		for (int e = 0; e < from->event_cnt; e++)
			add_interval_cost(&h->report->prog[at].all, &h->past[at], from,
					  &from->event[e]);
	}
	if (!(++h->intervals % TOP_SERIES_MAX))
		forget_old_rows(h);
}

/* ---- comparing ---- */

/*
 * Finds the programs in h that may have been replaced by p and programs like it: they have the same
 * name as p, and are not in r. Sets like[] to their rows, in the order of h. If there are more than
 * cnt, takes the cnt programs that ran last. Returns the number of rows.
 */
static int find_replaced(const struct top_history *h, const struct report *r,
			 const struct report_prog *p, int cnt, int *like)
{
	int n = 0;

	for (int i = 0; i < h->report->prog_cnt; i++) {
		const struct report_prog *row = &h->report->prog[i];

		if (report_prog__is_same(row, p) && find_same_prog(r, row) < 0)
			like[n++] = i;
	}
	while (n > cnt) {
		int oldest = 0;

		for (int i = 1; i < n; i++)
			if (h->past[like[i]].last < h->past[like[oldest]].last)
				oldest = i;
		memmove(&like[oldest], &like[oldest + 1], (--n - oldest) * sizeof(*like));
	}
	return n;
}

/*
 * Returns the row in h of the same program or, if it is new, of the program that it has probably
 * replaced. If several new programs of r have the same name, the first replaces the first row of
 * find_replaced(), and so on. Returns -1 if there is no such row.
 */
static int find_predecessor(const struct top_history *h, const struct report *r, int prog)
{
	const struct report_prog *p = &r->prog[prog];
	int at = find_same_prog(h->report, p), before = 0, cnt = 0;
	int *like;

	if (at >= 0 || !h->report)
		return at;
	for (int i = 0; i < r->prog_cnt; i++)
		if (report_prog__is_same(&r->prog[i], p) &&
		    find_same_prog(h->report, &r->prog[i]) < 0) {
			before += i < prog;
			cnt++;
		}
	like = xcalloc(h->report->prog_cnt + 1, sizeof(*like));
	if (before < find_replaced(h, r, p, cnt, like))
		at = like[before];
	free(like);
	return at;
}

/* Returns the intervals of an event of p in a row of h, or NULL. */
static const struct top_series *find_event_intervals(const struct top_history *h, int at,
						     const struct report_prog *p,
						     const struct report_event *ev)
{
	const struct report_row *row = at < 0 ? NULL : &h->report->prog[at].all;
	const struct report_event *own = row ? report_row__find_like(row, &p->all, ev) : NULL;

	return own ? &h->past[at].event[own - row->event] : NULL;
}

/* The events of all functions that have intervals both before and since the baseline. */
struct compared {
	struct top_judged *row;
	struct report_event **ev; /* ev[i] is the event of row[i] */
	int cnt;
};

static void add_compared(struct compared *c, const struct top_history *base,
			 const struct top_history *since, const struct report *r, int prog)
{
	struct report_prog *p = &r->prog[prog];
	int was = find_predecessor(base, r, prog), is = find_same_prog(since->report, p);

	for (int i = 0; i < p->all.event_cnt; i++) {
		struct report_event *ev = &p->all.event[i];
		struct top_judged row = {
			.before = find_event_intervals(base, was, p, ev),
			.since = find_event_intervals(since, is, p, ev),
		};

		if (!row.before || !row.since)
			continue;
		report_event__add_change(ev)->from = base->report->prog[was].id;
		row.untouched = ev->change->from == p->id && !p->subprog && !p->by_retval;
		c->row[c->cnt] = row;
		c->ev[c->cnt++] = ev;
	}
}

/* Moves the rows with the event of row "from" directly after it. Returns the index after them. */
static int gather(struct compared *c, int from)
{
	int end = from + 1;

	for (int i = end; i < c->cnt; i++) {
		const struct top_judged row = c->row[i];
		struct report_event *ev = c->ev[i];

		if (!text__is_same(ev->name, c->ev[from]->name))
			continue;
		c->row[i] = c->row[end];
		c->ev[i] = c->ev[end];
		c->row[end] = row;
		c->ev[end++] = ev;
	}
	return end;
}

void top_history__compare(const struct top_history *base, const struct top_history *since,
			  struct report *r, double *machine)
{
	struct compared c = {};
	int events = 0;

	*machine = 0;
	for (int i = 0; i < r->prog_cnt; i++)
		events += r->prog[i].all.event_cnt;
	c.row = xcalloc(events + 1, sizeof(*c.row));
	c.ev = xcalloc(events + 1, sizeof(*c.ev));
	for (int i = 0; i < r->prog_cnt; i++)
		add_compared(&c, base, since, r, i);
	for (int from = 0, end; from < c.cnt; from = end) {
		double moved;

		end = gather(&c, from);
		top_judge__changes(c.row + from, end - from, &moved);
		*machine = *machine ?: moved;
	}
	for (int i = 0; i < c.cnt; i++) {
		struct report_change *change = c.ev[i]->change;

		change->share = c.row[i].share;
		change->absolute = c.row[i].change;
		change->verdict = verdict_specs[c.row[i].verdict].name;
	}
	free(c.row);
	free(c.ev);
}
