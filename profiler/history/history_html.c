// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A history as an HTML page: a table of all changes, a chart of each series, and the numbers below
 * each chart. Owns the order of the sections and the contents of a chart. Must not know how charts
 * are drawn.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "history/history_show.h"
#include "html/html_chart.h"

struct page {
	struct html h;
	const struct history_all *all;
};

/* ---- the changes ---- */

static const struct table_col columns[] = {
	LEFT_COL("COMMIT", .row_header = true),
	LEFT_COL("DATE"),
	LEFT_COL("SERIES", .min_width = 12),
	LEFT_COL("ON", .min_width = 8),
	RIGHT_COL("BEFORE"),
	RIGHT_COL("AFTER"),
	RIGHT_COL("CHANGE"),
};

static void add_change(struct table *t, const struct history_series *s, int i)
{
	char commit[HISTORY_COMMIT_SZ], date[HISTORY_DATE_SZ], title[SERIES_TITLE_SZ];
	char before[QUANTITY_SZ], after[QUANTITY_SZ], change[CHANGE_SZ];
	struct history_change c;

	history_series__change(s, i, &c);
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s",
			history__format_commit(c.point->entry->commit, commit));
	table__add_cell(t, TABLE_PLAIN, "%s", history__format_date(&c.point->entry->date, date));
	table__add_cell(t, TABLE_PLAIN, "%s", history_series__title(s, title));
	table__add_cell(t, TABLE_PLAIN, "%s", s->env->label);
	table__add_cell(t, TABLE_PLAIN, "%s", history_series__format(s, c.before, before));
	table__add_cell(t, TABLE_PLAIN, "%s", history_series__format(s, c.after, after));
	table__add_cell(t, c.after > c.before ? TABLE_RED : TABLE_GREEN, "%s",
			history_change__format(s, &c, change));
}

/* A change of a series, for the list of changes, in which the newest comes first. */
struct listed {
	const struct history_series *s;
	int i, order;
};

static int position_of(const struct listed *l)
{
	return l->s->v[l->s->changes.v[l->i].at].entry->position;
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int diff = position_of(y) - position_of(x);

	return diff ? diff : x->order - y->order;
}

static void write_changes(struct page *p)
{
	const struct history_all *all = p->all;
	struct table *t = table__new();
	struct listed *v;
	int cnt = 0;

	html__element(&p->h, "h2", NULL, "Changes");
	table__add_cols(t, columns, sizeof(columns) / sizeof(columns[0]));
	for (int i = 0; i < all->cnt; i++)
		cnt += all->v[i].changes.cnt;
	v = xcalloc(cnt + 1, sizeof(*v));
	cnt = 0;
	for (int i = 0; i < all->cnt; i++) {
		for (int k = 0; k < all->v[i].changes.cnt; k++, cnt++)
			v[cnt] = (struct listed){&all->v[i], k, cnt};
	}
	qsort(v, cnt, sizeof(*v), compare_listed);
	for (int i = 0; i < cnt; i++)
		add_change(t, v[i].s, v[i].i);
	free(v);
	if (table__row_cnt(t))
		html__table(&p->h, t, "commits at which a cost changed, the newest first");
	else
		html__element(&p->h, "p", NULL, "No cost has changed.");
	table__free(t);
}

/* ---- charts ---- */

struct chart {
	const struct history_series *s;
	struct chart_span span;
};

static struct chart_point find_point(const void *arg, int i)
{
	const struct chart *c = arg;
	double share = c->s->cnt > 1 ? (double)i / (c->s->cnt - 1) : 0.5;

	return (struct chart_point){
		CHART_LEFT + 6 + (CHART_RIGHT - CHART_LEFT - 12) * share,
		chart_span__y(&c->span, c->s->v[i].value),
	};
}

static void add_dot(struct page *p, const struct chart *c, int i, const char *class)
{
	const struct history_point *point = &c->s->v[i];
	char commit[HISTORY_COMMIT_SZ], date[HISTORY_DATE_SZ], value[QUANTITY_SZ], title[256];
	struct chart_point at = find_point(c, i);

	snprintf(title, sizeof(title), "%s, %s: %s",
		 history__format_commit(point->entry->commit, commit),
		 history__format_date(&point->entry->date, date),
		 history_series__format(c->s, point->value, value));
	html_chart__dot(&p->h, class, at.x, at.y, title);
}

/* Draws a line before each change, and dots for all points or, if too many, for changes. */
static void add_points(struct page *p, const struct chart *c)
{
	const struct history_series *s = c->s;
	int next = 0;

	for (int i = 0; i < s->changes.cnt; i++) {
		int at = s->changes.v[i].at;
		double x = (find_point(c, at - 1).x + find_point(c, at).x) / 2;

		html_chart__line(&p->h, "mark", x, CHART_TOP, x, CHART_BOTTOM);
	}
	html_chart__path(&p->h, s->cnt, find_point, c);
	for (int i = 0; i < s->cnt; i++) {
		bool change = next < s->changes.cnt && s->changes.v[next].at == i;

		next += change;
		if (change)
			add_dot(p, c, i,
				s->v[i].value > s->v[i - 1].value ? "dot worse" : "dot better");
		else if (s->cnt <= CHART_MAX_DOTS)
			add_dot(p, c, i, "dot");
	}
}

static void add_numbers(struct page *p, const struct history_series *s)
{
	static const struct table_col cols[] = {
		LEFT_COL("COMMIT", .row_header = true),
		LEFT_COL("DATE"),
		RIGHT_COL("VALUE"),
	};
	char commit[HISTORY_COMMIT_SZ], date[HISTORY_DATE_SZ], value[QUANTITY_SZ];
	struct table *t = table__new();

	table__add_cols(t, cols, sizeof(cols) / sizeof(cols[0]));
	for (int i = 0; i < s->cnt; i++) {
		const struct history_entry *e = s->v[i].entry;

		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", history__format_commit(e->commit, commit));
		table__add_cell(t, TABLE_PLAIN, "%s", history__format_date(&e->date, date));
		table__add_cell(t, TABLE_PLAIN, "%s",
				history_series__format(s, s->v[i].value, value));
	}
	html__begin(&p->h, "details");
	html__element(&p->h, "summary", NULL, "Numbers");
	html__table(&p->h, t, "value at each commit");
	html__end(&p->h);
	table__free(t);
}

static void write_chart(struct page *p, const struct history_series *s)
{
	char title[SERIES_TITLE_SZ], facts[HISTORY_FACTS_SZ], *caption, description[1024];
	char low[QUANTITY_SZ], high[QUANTITY_SZ], first[HISTORY_DATE_SZ], last[HISTORY_DATE_SZ];
	struct chart c = {s, {INFINITY, -INFINITY}};

	for (int i = 0; i < s->cnt; i++) {
		c.span.min = fmin(c.span.min, s->v[i].value);
		c.span.max = fmax(c.span.max, s->v[i].value);
	}
	history_series__format(s, c.span.min, low);
	history_series__format(s, c.span.max, high);
	history_series__facts(s, facts);
	snprintf(description, sizeof(description), "The value at each commit, from %s to %s: %s.",
		 low, high, facts);
	caption = text__format("%s: %s", history_series__title(s, title), facts);
	html_chart__begin(&p->h, caption, title, description);
	free(caption);
	chart_span__label(&c.span, &p->h, low, high);
	history__format_date(&s->v[0].entry->date, first);
	history__format_date(&s->v[s->cnt - 1].entry->date, last);
	html_chart__label(&p->h, CHART_LEFT, CHART_LABELS, "start", first);
	if (s->cnt > 1)
		html_chart__label(&p->h, CHART_RIGHT, CHART_LABELS, "end", last);
	add_points(p, &c);
	html_chart__end(&p->h);
	add_numbers(p, s);
	html__end(&p->h); /* figure */
}

/* ---- the page ---- */

static void write_facts(struct page *p)
{
	const struct history *h = p->all->h;
	char first[HISTORY_DATE_SZ], last[HISTORY_DATE_SZ], note[256];

	html__element(&p->h, "h2", NULL, "How it was measured");
	html__begin(&p->h, "dl");
	html__attr(&p->h, "class", "facts");
	html__fact(&p->h, "Commits", "%d", h->commit_cnt);
	html__fact(&p->h, "Dates", "%s to %s", history__format_date(&h->v[0].date, first),
		   history__format_date(&h->v[h->cnt - 1].date, last));
	for (int i = 0; i < p->all->env_cnt; i++)
		html__fact(&p->h, "Environment", "%s", p->all->env[i]->text);
	for (int i = 0; history_all__note(p->all, i, note, sizeof(note)); i++)
		html__fact(&p->h, "Note", "%s", note);
	html__end(&p->h);
}

static void print_json(const void *arg, FILE *out)
{
	const struct history_show_opts o = {.one_line = true};

	history_all__render_json(arg, &o, out);
}

void history_all__render_html(const struct history_all *all, const struct history_show_opts *o,
			      FILE *out)
{
	struct page p = {.h.out = out, .all = all};
	char *json;

	html_page__begin(out, "Cost of BPF programs from commit to commit");
	write_changes(&p);
	html__element(&p.h, "h2", NULL, "Charts");
	html__begin(&p.h, "div");
	html__attr(&p.h, "class", "charts");
	for (int i = 0; i < all->cnt; i++)
		write_chart(&p, &all->v[i]);
	html__end(&p.h);
	write_facts(&p);
	json = html__capture(print_json, all);
	html__json(&p.h, json);
	free(json);
	html_page__end(out);
	html__finish(&p.h);
}
