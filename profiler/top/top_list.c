// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The list of bprof top as text. Owns the columns, the choice of columns on a narrow screen, and
 * the place of everything on the screen. Must not know which rows there are, or keys.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/text.h"
#include "render/render.h"
#include "top/top_priv.h"

/* On narrower screens, there is no column that says where programs are attached. */
#define ATTACHED_WIDTH 100

struct list {
	const struct top *top;
	const struct report *r; /* the rows */
	struct table *table;
	const struct report_event **event; /* one of each name */
	int event_cnt;
	bool probed;	     /* at least one program is measured by a probe */
	bool other_method;   /* at least one program is measured without a probe */
	bool attached;	     /* there is a column of attachments */
	unsigned int needed; /* bit i: column i of events is shown */
};

/* ---- the columns of programs ---- */

static void add_id_cell(const struct list *l, const struct report_prog *p)
{
	if (p->by_retval)
		table__add_cell(l->table, TABLE_PLAIN, "%s", "");
	else if (p->programs)
		table__add_cell(l->table, TABLE_PLAIN, "%ux", p->programs);
	else
		table__add_cell(l->table, TABLE_PLAIN, "%u", p->id);
}

static void add_name_cell(const struct list *l, const struct report_prog *p)
{
	int indent = p->depth > 0 ? 2 * p->depth : 0;
	char label[LABEL_SZ], retval[RETURNS_SZ];

	if (p->by_retval)
		table__add_cell(l->table, TABLE_PLAIN, "%*s%s", indent + 2, "",
				report_prog__returns(p, retval));
	else
		table__add_cell(l->table, TABLE_PLAIN, "%*s%s", indent, "",
				report_prog__label(p, label));
}

static void add_type_cell(const struct list *l, const struct report_prog *p)
{
	table__add_cell(l->table, TABLE_PLAIN, "%s", p->by_retval ? "" : p->type ?: "-");
}

static void add_method_cell(const struct list *l, const struct report_prog *p)
{
	table__add_cell(l->table, p->probed ? TABLE_PLAIN : TABLE_YELLOW, "%s",
			p->by_retval ? "" : p->method ?: "-");
}

static void add_attached_cell(const struct list *l, const struct report_prog *p)
{
	table__add_cell(
		l->table, TABLE_PLAIN, "%s",
		p->by_retval || p->programs ? "" : l->top->attached(l->top->attached_arg, p->id));
}

static void add_rate_cell(const struct list *l, const struct report_prog *p)
{
	double rate = report_row__runs_per_s(l->r, &p->all);
	const struct report_prog *prog = p;
	const struct report_row *whole;
	bool estimated;

	/* The row with all runs of the function comes before the rows of its return values. */
	while (prog->by_retval && prog > l->r->prog)
		prog--;
	whole = &prog->all;
	/* The return values of unmeasured runs are not known. */
	estimated = p->by_retval && whole->measured < whole->runs;
	if (estimated)
		rate = p->all.likely_runs / (l->r->elapsed_ns / 1e9);
	table__add_rate(l->table, !isnan(rate) && estimated ? "~" : "", rate);
}

/* The picture belongs to the whole program. Add it only if this is the program's first row. */
static void add_graph_cell(const struct list *l, const struct report_prog *p)
{
	bool first = p == l->r->prog || p[-1].id != p->id;
	char graph[TOP_GRAPH_SZ], number[NUMBER_SZ];
	double peak = first ? top_recent__graph(&l->top->recent, p->id, graph) : NAN;

	if (isnan(peak))
		table__add_cell(l->table, TABLE_PLAIN, "%s", "");
	else
		table__add_cell(l->table, TABLE_PLAIN, "%s %s%s", graph,
				p->all.share_estimated ? "~" : "",
				number__rate(number, 100 * peak));
}

static void add_cpu_cell(const struct list *l, const struct report_prog *p)
{
	table__add_rate(l->table, p->all.share_estimated ? "~" : "", 100 * p->all.cpu_share);
}

/*
 * The columns of programs; the columns of events come after them. All columns have a fixed width,
 * so that they stay in place from one interval to the next.
 */
static const struct {
	struct table_col col;
	int width;
	void (*add)(const struct list *l, const struct report_prog *p);
	/* the drop_order if all programs are measured by probes; 0: col.drop_order */
	int drop_probed;
} columns[TOP_COL_MEAN] = {
	[TOP_COL_ID] = {RIGHT_COL("ID"), 5, add_id_cell},
	[TOP_COL_NAME] = {LEFT_COL("NAME", .min_width = 14), 22, add_name_cell},
	[TOP_COL_TYPE] = {LEFT_COL("TYPE", .drop_order = 60, .min_width = 8), 14, add_type_cell},
	[TOP_COL_METHOD] = {LEFT_COL("METHOD", .drop_order = 90), 9, add_method_cell, 10},
	[TOP_COL_ATTACHED] = {LEFT_COL("ATTACHED", .drop_order = 9, .min_width = 12), 24,
			      add_attached_cell},
	[TOP_COL_RUNS] = {RIGHT_COL("RUNS/S"), 7, add_rate_cell},
	[TOP_COL_CPU] = {RIGHT_COL("CPU%"), 6, add_cpu_cell},
	[TOP_COL_HISTORY] = {LEFT_COL("CPU% OF 2 MIN TO PEAK", .drop_order = 12), TOP_CELLS + 8,
			     add_graph_cell},
};

/* ---- the columns of events ---- */

/* What the verdict on a change looks like, with and without colours. */
static const struct {
	const char *verdict;
	enum table_style style;
	char mark;
} verdicts[] = {
	{"worse", TABLE_RED, '*'},
	{"better", TABLE_GREEN, '*'},
	{"inconclusive", TABLE_YELLOW, '?'},
	{"same", TABLE_DIM, ' '},
};

static void add_change_cell(struct table *t, const struct report_event *ev)
{
	double share = ev->change ? ev->change->share : NAN;
	char buf[NUMBER_SZ];

	/* show 0 if the share rounds to 0 */
	number__share(buf, sizeof(buf), fabs(share) < 5e-4 ? 0 : share);
	for (size_t i = 0; ev->change && i < ARRAY_SIZE(verdicts); i++) {
		if (!text__is_same(verdicts[i].verdict, ev->change->verdict))
			continue;
		table__add_cell(t, verdicts[i].style, "%s%c", buf, verdicts[i].mark);
		return;
	}
	table__add_cell(t, TABLE_DIM, "- ");
}

/*
 * The columns of an event, from TOP_COL_MEAN on. drop: the order in which a narrow screen leaves
 * out columns, for the first event and for the other events. The columns of the last event are left
 * out first, the columns of the first event last.
 */
static const struct event_column {
	const char *header;
	int width, drop_first, drop_others;
	enum stat_id stat;
	void (*add)(struct table *t, const struct report_event *ev); /* NULL: adds the statistic */
} event_columns[TOP_COL_CNT - TOP_COL_MEAN] = {
	{"MEAN", 9, 0, 70, STAT_MEAN},
	{"CHANGE ", 8, 97, 65, .add = add_change_cell},
	{"P99", 9, 95, 40, STAT_P99},
	{"MAX", 9, 85, 20, STAT_MAX},
};

/* Returns true if the event has a value for the column. MEAN is shown for each event. */
static bool needs_column(const struct event_column *c, const struct report_event *ev)
{
	if (c->add)
		return report_event__has_change(ev);
	return c->stat == STAT_MEAN || report_event__has_stat(ev, c->stat);
}

static void add_shown_event(struct list *l, const struct report_event *ev)
{
	if (ev->status == EVENT_NOT_SUPPORTED)
		return; /* top__print_head() names such an event */
	for (size_t i = 0; i < ARRAY_SIZE(event_columns); i++)
		if (top__wants(l->top, TOP_COL_MEAN + i) && needs_column(&event_columns[i], ev))
			l->needed |= 1U << i;
	for (int e = 0; e < l->event_cnt; e++)
		if (text__is_same(l->event[e]->name, ev->name))
			return;
	*(const struct report_event **)array__add(&l->event, &l->event_cnt, sizeof(*l->event)) = ev;
}

/* ---- the table ---- */

static void add_fixed_column(struct list *l, const struct table_col *col, int *at, int width)
{
	table__add_cols(l->table, col, 1);
	table__reserve(l->table, (*at)++, width);
}

/* Adds the columns of the n-th event. The first of them is as wide as the event's name. */
static void add_event_headers(struct list *l, int n, int *at)
{
	int name_width = strlen(l->event[n]->name ?: "");
	/*
	 * The first column of the first event is never left out, because the screen has a line for
	 * the names of events.
	 */
	bool alone = true, first = !n;

	for (size_t i = 0; i < ARRAY_SIZE(event_columns); i++) {
		const struct event_column *c = &event_columns[i];
		const struct table_col col = RIGHT_COL(c->header, .group = l->event[n]->name,
						       .drop_order = first ? 0
								     : n   ? c->drop_others - n
									   : c->drop_first);

		if (!(l->needed & (1U << i)))
			continue;
		add_fixed_column(l, &col, at,
				 !alone || name_width < c->width ? c->width : name_width);
		alone = first = false;
	}
}

static bool shows_column(const struct list *l, size_t i)
{
	if (!top__wants(l->top, i))
		return false;
	if (i == TOP_COL_HISTORY)
		return !l->top->by_interval;
	return i != TOP_COL_ATTACHED || l->attached;
}

static void add_list_row(struct list *l, const struct report_prog *p)
{
	table__add_row(l->table);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (shows_column(l, i))
			columns[i].add(l, p);
	for (int e = 0; e < l->event_cnt; e++) {
		const struct report_event *ev =
			report_row__find_event(&p->all, l->event[e]->name, 0);

		/*
		 * A program without a probe has only a time. The time is shown, with its unit, in
		 * the columns of the first event.
		 */
		if (!ev && !e && !p->probed && p->all.event_cnt)
			ev = p->all.event;
		for (size_t i = 0; i < ARRAY_SIZE(event_columns); i++) {
			if (!(l->needed & (1U << i)))
				continue;
			if (ev && event_columns[i].add)
				event_columns[i].add(l->table, ev);
			else if (ev)
				report_event__add_stat(ev, event_columns[i].stat, l->table);
			else
				table__add_cell(l->table, TABLE_DIM, "-");
		}
	}
}

static void free_list(struct list *l)
{
	table__free(l->table);
	free(l->event);
}

/* Makes a table of cnt rows from the first one on. The caller frees it with free_list(). */
static struct list make_shown_list(const struct top *t, int first, int cnt, int width)
{
	struct list l = {.top = t,
			 .r = &t->rows,
			 .table = table__new(),
			 .attached = t->attached && !t->rows.sum &&
				     (!width || width >= ATTACHED_WIDTH)};
	int at = 0;

	/* If some programs are measured by probes, only their events get columns. */
	for (int i = 0; i < l.r->prog_cnt; i++) {
		l.probed |= l.r->prog[i].probed;
		l.other_method |= !l.r->prog[i].probed;
	}
	for (int i = 0; i < l.r->prog_cnt; i++) {
		const struct report_row *row = &l.r->prog[i].all;

		for (int k = 0; l.r->prog[i].probed == l.probed && k < row->event_cnt; k++)
			add_shown_event(&l, &row->event[k]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		struct table_col col = columns[i].col;

		if (columns[i].drop_probed && !l.other_method)
			col.drop_order = columns[i].drop_probed;
		if (shows_column(&l, i))
			add_fixed_column(&l, &col, &at, columns[i].width);
	}
	for (int e = 0; e < l.event_cnt; e++)
		add_event_headers(&l, e, &at);
	for (int i = first; i < first + cnt && i < t->rows.prog_cnt; i++)
		add_list_row(&l, &t->rows.prog[i]);
	return l;
}

/* Prints the headers, and cnt rows beginning with row "first". */
static void print_list_table(const struct top *t, int first, int cnt, const struct screen *screen,
			     FILE *out)
{
	struct list l = make_shown_list(t, first, cnt, screen->width);

	/* Print an empty line in place of the line of events above the titles */
	if (!t->by_interval && !(l.event_cnt && l.needed))
		fputc('\n', out);
	table__print(l.table, out, true, screen);
	free_list(&l);
}

/* ---- the whole screen ---- */

#define HEAD_LINES 4  /* lines of top__print_head() and top__print_prompt() */
#define TABLE_LINES 2 /* the table's headers */
/* The smallest screen. It has one row between the head and the keys. */
#define MIN_WIDTH 40
#define MIN_HEIGHT (HEAD_LINES + TABLE_LINES + 2)

int top__row_at(const struct top *t, int y)
{
	int line = y - HEAD_LINES - TABLE_LINES, row = t->first + line;

	return line >= 0 && line < t->shown && row < t->rows.prog_cnt ? row : -1;
}

bool top__title_at(const struct top *t, int x, int y, char title[TOP_TITLE_SZ], bool *other)
{
	int col, fixed = 0;
	struct list l;

	if (y < HEAD_LINES || y >= HEAD_LINES + TABLE_LINES || !t->rows.prog_cnt)
		return false;
	l = make_shown_list(t, t->first, t->shown, t->width);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		fixed += shows_column(&l, i);
	col = table__col_at(l.table, x, &(struct screen){.width = t->width});
	*other = col >= fixed + __builtin_popcount(l.needed);
	if (col >= 0)
		snprintf(title, TOP_TITLE_SZ, "%s", table__view(l.table, -1, col).text);
	free_list(&l);
	return col >= 0;
}

static void print_list_screen(struct top *t, const struct screen *screen, int height, FILE *out,
			      int *cursor)
{
	/* the last line of the screen shows keys */
	int lines, rows, room = height - HEAD_LINES - TABLE_LINES - 1;

	/* Scroll so that the selected row, and as many other rows as fit, are visible. */
	t->shown = room > 0 ? room : 0;
	if (t->cursor < t->first)
		t->first = t->cursor;
	if (t->cursor >= t->first + t->shown)
		t->first = t->cursor - t->shown + 1;
	if (t->first > t->rows.prog_cnt - t->shown)
		t->first = t->rows.prog_cnt - t->shown;
	if (t->first < 0)
		t->first = 0;
	if (t->report)
		top__print_head(t, screen, out);
	top__print_prompt(t, screen, out);
	rows = t->rows.prog_cnt - t->first;
	if (t->rows.prog_cnt) {
		lines = TABLE_LINES + (rows < t->shown ? rows : t->shown);
		print_list_table(t, t->first, t->shown, screen, out);
	} else {
		lines = 1;
		top__print_line(!t->report	     ? "measuring..."
				: *t->filter	     ? "no program matches the filter"
				: !t->stats.programs ? "no loaded program matches"
						     : "no program runs",
				TABLE_DIM, screen, out);
	}
	if (t->rows.prog_cnt && t->shown)
		*cursor = HEAD_LINES + TABLE_LINES + t->cursor - t->first;
	for (lines += t->report ? HEAD_LINES : 1; lines < height - 1; lines++)
		fputc('\n', out);
	top__print_keys(t, screen, out);
}

void top__render(struct top *t, const struct screen *screen, int height, FILE *out, int *cursor)
{
	const bool fits = screen->width >= MIN_WIDTH && height >= MIN_HEIGHT;
	const char *s, *end;
	char text[100];
	struct draft d;

	*cursor = -1;
	t->width = fits ? screen->width : 0;
	draft__begin(&d);
	if (!fits) {
		snprintf(text, sizeof(text), "needs %dx%d characters: this terminal has %dx%d",
			 MIN_WIDTH, MIN_HEIGHT, screen->width, height);
		text__wrap(d.mem, text, 0, screen->width);
	} else if (t->page == TOP_LIST) {
		print_list_screen(t, screen, height, d.mem, cursor);
	} else if (t->page == TOP_COLUMNS) {
		top__print_columns(t, screen, height, d.mem, cursor);
	} else {
		top__print_page(t, screen, height, d.mem);
	}
	/* Print only the lines for which the screen has room. */
	fclose(d.mem);
	for (s = d.text; *s && height-- > 0; s = end + 1) {
		end = strchr(s, '\n');
		fprintf(out, "%.*s\n", (int)(end - s), s);
	}
	free(d.text);
}

void top__print(struct top *t, const struct screen *screen, FILE *out)
{
	top__rows_of_interval(t);
	top__print_head(t, screen, out);
	if (!t->rows.prog_cnt)
		return;
	fputc('\n', out);
	print_list_table(t, 0, t->rows.prog_cnt, screen, out);
}
