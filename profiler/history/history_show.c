// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A history as text. Owns the columns and the lines, and the parts that text and HTML have in common.
 * Must not know how changes are found.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "base/table.h"
#include "base/text.h"
#include "history/history_show.h"

/* ---- changes ---- */

void history_series__change(const struct history_series *s, int i, struct history_change *out)
{
	int at = s->changes.v[i].at;
	int from = history_series__segment(s, &s->changes, at - 1), end = at + 1;
	double change;

	/* The segment after the change ends at the next change, or when another value is returned. */
	while (end < s->cnt && !s->v[end].other_retval)
		end++;
	for (int k = s->changes.cnt - 1; k >= 0 && s->changes.v[k].at > at; k--)
		end = s->changes.v[k].at < end ? s->changes.v[k].at : end;
	out->before = history_series__median(s, from, at);
	out->after = history_series__median(s, at, end);
	change = out->after - out->before;
	out->point = &s->v[at];
	out->share = change ? change / fabs(out->before) : 0;
	out->p = s->exact ? NAN : s->changes.v[i].p;
}

static bool is_whole(const struct history_series *s)
{
	return !compare_stats[s->stat].average;
}

const char *history_series__format(const struct history_series *s, double v, char *buf)
{
	return number__quantity(buf, v, s->ev->unit, is_whole(s));
}

const char *history_change__format(const struct history_series *s, const struct history_change *c,
				   char *buf)
{
	return number__change(buf, c->after - c->before, s->ev->unit, is_whole(s), c->share);
}

const char *history_series__facts(const struct history_series *s, char *buf)
{
	char changes[32] = "no change";

	if (s->changes.cnt)
		snprintf(changes, sizeof(changes), "%d change%s", s->changes.cnt,
			 s->changes.cnt == 1 ? "" : "s");
	snprintf(buf, HISTORY_FACTS_SZ, "%s in %d commit%s on %.400s", changes, s->cnt,
		 s->cnt == 1 ? "" : "s", s->env->label);
	return buf;
}

bool history_all__note(const struct history_all *all, int i, char *buf, size_t sz)
{
	const struct {
		int cnt;
		const char *format; /* a printf format whose only argument is cnt */
	} notes[] = {
		{all->repeated, "measurements replaced by a later one of the same commit: %d"},
		{all->doubtful[DOUBT_SHORT_CODE], "measurements left out, because a map's address "
						  "took fewer instructions than usual: %d"},
		{all->doubtful[DOUBT_BLINDED], "measurements left out, because the kernel blinds "
					       "constants with random numbers: %d"},
		{all->doubtful[DOUBT_SLOWED], "measurements left out, because the kernel's run "
					      "statistics were turned on during them: %d"},
		{all->doubtful[DOUBT_RAW],
		 "measurements left out, because their calibration failed: %d"},
		{all->ambiguous,
		 "functions with the same name, type and case, paired in order: %d"},
		{all->h->bad_cnt, "lines left out, because they cannot be read: %d"},
	};

	for (size_t k = 0; k < sizeof(notes) / sizeof(notes[0]); k++) {
		if (!notes[k].cnt || i--)
			continue;
		snprintf(buf, sz, notes[k].format, notes[k].cnt);
		return true;
	}
	return false;
}

/* ---- text ---- */

static const struct table_col show_columns[] = {
	LEFT_COL("COMMIT", .min_width = 12, .row_header = true),
	LEFT_COL("DATE"),
	RIGHT_COL("VALUE"),
	LEFT_COL("BLOCKS", .drop_order = 1),
	LEFT_COL("CHANGE"),
};

static const char *format_p(double p, char *buf, size_t sz)
{
	char number[NUMBER_SZ];

	if (isnan(p))
		snprintf(buf, sz, ", exact");
	else if (p < 0.0001)
		snprintf(buf, sz, ", p < 0.0001");
	else
		snprintf(buf, sz, ", p %s", number__fixed(number, p, 4));
	return buf;
}

static void add_change_row(struct table *t, const struct history_series *s, int i,
			   const struct history_show_opts *o)
{
	char text[CHANGE_SZ], p[64] = "";
	struct history_change c;

	history_series__change(s, i, &c);
	table__add_row(t);
	table__add_cell(t, TABLE_DIM, "------------");
	for (int skipped = 0; skipped < 2 + (o->verbose > 0); skipped++)
		table__add_cell(t, TABLE_PLAIN, "%s", "");
	table__add_cell(t, c.after > c.before ? TABLE_RED : TABLE_GREEN, "%s%s",
			history_change__format(s, &c, text),
			o->verbose ? format_p(c.p, p, sizeof(p)) : "");
}

static void add_point_row(struct table *t, const struct history_series *s,
			  const struct history_point *p, const struct history_show_opts *o)
{
	char commit[HISTORY_COMMIT_SZ], date[HISTORY_DATE_SZ], value[QUANTITY_SZ];
	char low[QUANTITY_SZ], high[QUANTITY_SZ];

	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", history__format_commit(p->entry->commit, commit));
	table__add_cell(t, TABLE_PLAIN, "%s", history__format_date(&p->entry->date, date));
	table__add_cell(t, TABLE_PLAIN, "%s", history_series__format(s, p->value, value));
	if (o->verbose && isnan(p->low))
		table__add_cell(t, TABLE_DIM, "-");
	else if (o->verbose)
		table__add_cell(t, TABLE_PLAIN, "%s to %s", history_series__format(s, p->low, low),
				history_series__format(s, p->high, high));
	if (p->other_retval)
		table__add_cell(t, TABLE_YELLOW, "%s",
				report_prog__is_rest(p->prog) ? "other values before"
							      : "returned something else before");
}

static void print_series(const struct history_series *s, const struct history_show_opts *o,
			 FILE *out)
{
	struct table *t = table__new();
	int next = 0;

	for (size_t i = 0; i < sizeof(show_columns) / sizeof(show_columns[0]); i++)
		if (i != 3 || o->verbose)
			table__add_cols(t, &show_columns[i], 1);
	for (int i = 0; i < s->cnt; i++) {
		if (next < s->changes.cnt && s->changes.v[next].at == i)
			add_change_row(t, s, next++, o);
		add_point_row(t, s, &s->v[i], o);
	}
	table__print(t, out, true, &o->screen);
	table__free(t);
}

static void print_line(FILE *out, const char *text)
{
	text__put(out, text__printable(text));
	fputc('\n', out);
}

void history_all__render_text(const struct history_all *all, const struct history_show_opts *o,
			      FILE *out)
{
	char title[SERIES_TITLE_SZ], facts[HISTORY_FACTS_SZ], note[256];
	struct draft d;

	draft__begin(&d);
	for (int i = 0; i < all->cnt; i++) {
		const struct history_series *s = &all->v[i];

		if (i)
			fputc('\n', d.mem);
		print_line(d.mem, history_series__title(s, title));
		print_line(d.mem, history_series__facts(s, facts));
		if (o->verbose)
			print_line(d.mem, s->env->text);
		fputc('\n', d.mem);
		print_series(s, o, d.mem);
	}
	for (int i = 0; history_all__note(all, i, note, sizeof(note)); i++)
		fprintf(d.mem, "%snote: %s\n", i ? "" : "\n", note);
	draft__fold(&d, o->screen.width, out);
}
