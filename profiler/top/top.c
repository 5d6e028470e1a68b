// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rows of bprof top. Owns which programs of a report are shown, their order, the selection, and
 * the comparison with a base; must not know keys, columns or a terminal.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top/top_priv.h"

struct top *top__new(void)
{
	struct top *t = calloc(1, sizeof(*t));

	if (t)
		top__sort_by(t, "cpu%");
	return t;
}

void top__free(struct top *t)
{
	if (!t)
		return;
	report__free(t->report);
	report__free(t->base);
	free(t->rows.prog);
	free(t->message);
	free(t->cursor_func);
	free(t->text);
	free(t);
}

/* ---- the comparison with a base ---- */

/* Returns the program with the same id or, if it was replaced, the one that is called the same. */
static const struct report_prog *find_like(const struct report *r, const struct report_prog *p)
{
	const struct report_prog *like = NULL;

	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *q = &r->prog[i];

		if (!report_prog__is_same(p, q))
			continue;
		if (q->id == p->id)
			return q;
		like = like ?: q->all.runs ? q : NULL;
	}
	return like;
}

/* Sets by how much the mean of the event since the base differs from that of the base. */
static void compare_event(struct report_event *ev, const struct report_event *base,
			  const struct report_event *since, __u32 base_id)
{
	if (!base || !since || !report_event__has_value(base) || !report_event__has_value(since))
		return;
	ev->change = since->stat[STAT_MEAN] - base->stat[STAT_MEAN];
	ev->change_share = ev->change / base->stat[STAT_MEAN];
	ev->change_from = base_id;
}

static void compare(struct report *r, const struct report *base, const struct report *since)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		struct report_prog *p = &r->prog[i];
		const struct report_prog *was = find_like(base, p), *is = find_like(since, p);

		for (int k = 0; was && is && k < p->all.event_cnt; k++) {
			struct report_event *ev = &p->all.event[k];

			compare_event(ev, report_row__find_like(&was->all, &p->all, ev),
				      report_row__find_like(&is->all, &p->all, ev), was->id);
		}
	}
}

void top__set_base(struct top *t, struct report *base)
{
	report__free(t->base);
	t->base = base;
}

bool top__has_base(const struct top *t)
{
	return t->base;
}

/* ---- rows ---- */

static bool has_text(const char *s, const char *part)
{
	return s && strcasestr(s, part);
}

/* Returns true if a text that the user typed is in the row's id, name, function, type or method. */
static bool matches(const struct report_prog *p, const char *part)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", p->id);
	return has_text(p->name, part) || has_text(p->func, part) || has_text(p->type, part) ||
	       has_text(p->method, part) || !strcmp(id, part);
}

/* Moves the selection to the row of the chosen program, if it is still there. */
static void follow_chosen(struct top *t)
{
	for (int i = 0; t->chosen && i < t->rows.prog_cnt; i++) {
		const struct report_prog *p = &t->rows.prog[i];

		if (p->id == t->cursor_id && !strcmp(p->func ?: "", t->cursor_func ?: ""))
			t->cursor = i;
	}
	if (t->cursor >= t->rows.prog_cnt)
		t->cursor = t->rows.prog_cnt ? t->rows.prog_cnt - 1 : 0;
}

int top__arrange(struct top *t)
{
	const struct render_opts o = {.sort = top__column(t->sort), .active = !t->idle};
	struct report chosen = {};
	int hidden, err;

	if (!t->report)
		return 0;
	chosen = *t->report;
	chosen.prog = calloc(t->report->prog_cnt + 1, sizeof(*chosen.prog));
	if (!chosen.prog)
		return -ENOMEM;
	chosen.prog_cnt = 0;
	for (int i = 0; i < t->report->prog_cnt; i++)
		if (matches(&t->report->prog[i], t->filter))
			chosen.prog[chosen.prog_cnt++] = t->report->prog[i];
	free(t->rows.prog);
	t->rows = (struct report){};
	err = report__order(&chosen, &o, &t->rows, &hidden);
	free(chosen.prog);
	follow_chosen(t);
	return err;
}

int top__set_report(struct top *t, struct report *r, struct report *since,
		    const struct top_stats *stats)
{
	report__free(t->report);
	t->report = r;
	t->stats = *stats;
	if (t->base && since)
		compare(r, t->base, since);
	report__free(since);
	return top__arrange(t);
}

void top__select(struct top *t, int row)
{
	const struct report_prog *p;

	if (row >= t->rows.prog_cnt)
		row = t->rows.prog_cnt - 1;
	t->cursor = row < 0 ? 0 : row;
	/* The first row is that of the most expensive program, whichever it is. */
	t->chosen = t->cursor > 0;
	if (!t->rows.prog_cnt)
		return;
	p = &t->rows.prog[t->cursor];
	free(t->cursor_func);
	t->cursor_func = strdup(p->func ?: "");
	t->cursor_id = p->id;
}

void top__find(struct top *t, int from)
{
	for (int i = 0; *t->search && i < t->rows.prog_cnt; i++) {
		int row = (from + i) % t->rows.prog_cnt;

		if (matches(&t->rows.prog[row], t->search)) {
			top__select(t, row);
			t->chosen = true;
			return;
		}
	}
	top__set_message(t, "nothing found");
}

__u32 top__selected(const struct top *t)
{
	if (t->page != TOP_LIST)
		return t->cursor_id;
	return t->cursor < t->rows.prog_cnt ? t->rows.prog[t->cursor].id : 0;
}

void top__set_message(struct top *t, const char *message)
{
	free(t->message);
	t->message = message ? strdup(message) : NULL;
}

void top__set_text(struct top *t, char *text)
{
	free(t->text);
	t->text = text;
}

bool top__is_paused(const struct top *t)
{
	return t->paused;
}

bool top__shows_idle(const struct top *t)
{
	return t->idle;
}

enum top_page top__page(const struct top *t)
{
	return t->page;
}
