// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Aligned tables. Owns the widths of columns, the choice of columns for a narrow terminal, terminal
 * escapes, and the format of numbers in cells. Must not know the meaning of the cells.
 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"

struct cell {
	char *text;  /* printable; NULL: the cell is empty */
	char *raw;   /* the original text; NULL: the same as text */
	char *plain; /* the number for CSV; NULL: the cell has no number */
	int width;
	enum table_style style;
	bool same;
};

struct column {
	struct table_col spec; /* without the headers and the group */
	struct cell header, group;
	char *full_header; /* the original text; NULL: the same as header */
	int width;	   /* of the widest cell */
	bool dropped;
	/* the width on the terminal; 0: the column's cells are printed below their rows (spec.folds) */
	int shown_width;
};

struct table {
	struct column *col;
	int col_cnt;
	struct cell *cell; /* row by row, col_cnt cells per row; the last row may be shorter */
	int cell_cnt;
	int row_cnt;
	bool fixed; /* the columns keep their widths, whatever new cells contain */
};

#define GAP 2	    /* blanks between two columns */
#define TOO_SHORT 6 /* no cell is shortened to less than this */

#define STYLE_BOLD "\033[1m"
static const char *const style_begin[TABLE_STYLE_CNT] = {
	[TABLE_PLAIN] = "",	     [TABLE_DIM] = "\033[2m",	 [TABLE_RED] = "\033[31m",
	[TABLE_YELLOW] = "\033[33m", [TABLE_GREEN] = "\033[32m",
};

const char *table_style__begin(enum table_style style)
{
	return style_begin[style];
}

struct table *table__new(void)
{
	return xcalloc(1, sizeof(struct table));
}

static void free_cell(struct cell *cell)
{
	free(cell->text);
	free(cell->raw);
	free(cell->plain);
}

void table__clear(struct table *t)
{
	for (int i = 0; i < t->cell_cnt; i++)
		free_cell(&t->cell[i]);
	free(t->cell);
	t->cell = NULL;
	t->cell_cnt = t->row_cnt = 0;
}

void table__free(struct table *t)
{
	if (!t)
		return;
	table__clear(t);
	for (int i = 0; i < t->col_cnt; i++) {
		free_cell(&t->col[i].header);
		free_cell(&t->col[i].group);
		free(t->col[i].full_header);
	}
	free(t->col);
	free(t);
}

static void copy_text(struct table *t, struct cell *cell, const char *text)
{
	bool same;

	cell->text = text__printable(text);
	same = text__is_same(cell->text, text);
	cell->raw = same ? NULL : xstrdup(text);
	cell->width = text__width(cell->text);
}

static void set_text(struct table *t, struct cell *cell, int col, const char *text)
{
	copy_text(t, cell, text);
	if (!t->fixed)
		table__reserve(t, col, cell->width);
}

void table__reserve(struct table *t, int col, int width)
{
	if (width > t->col[col].width)
		t->col[col].width = width;
}

static void add_col(struct table *t, const struct table_col *spec)
{
	struct column *col;

	assert(!t->row_cnt);
	col = array__add(&t->col, &t->col_cnt, sizeof(*t->col));
	col->spec = *spec;
	set_text(t, &col->header, t->col_cnt - 1, spec->header);
	if (spec->full_header)
		col->full_header = xstrdup(spec->full_header);
	if (spec->group)
		copy_text(t, &col->group, spec->group);
	col->spec.header = col->spec.full_header = col->spec.group = NULL;
}

void table__add_cols(struct table *t, const struct table_col *cols, int cnt)
{
	for (int i = 0; i < cnt; i++)
		add_col(t, &cols[i]);
}

void table__add_col(struct table *t, enum table_align align, const char *header)
{
	const struct table_col spec = {.header = header, .align = align};

	add_col(t, &spec);
}

static struct cell *add_cell(struct table *t)
{
	return array__add(&t->cell, &t->cell_cnt, sizeof(*t->cell));
}

void table__add_row(struct table *t)
{
	while (t->cell_cnt < t->row_cnt * t->col_cnt)
		add_cell(t);
	t->row_cnt++;
}

void table__add_cell(struct table *t, enum table_style style, const char *fmt, ...)
{
	struct cell *cell;
	char *text;
	va_list ap;

	assert(t->cell_cnt < t->row_cnt * t->col_cnt);
	cell = add_cell(t);
	va_start(ap, fmt);
	text = text__vformat(fmt, ap);
	va_end(ap);
	cell->style = style;
	set_text(t, cell, (t->cell_cnt - 1) % t->col_cnt, text);
	free(text);
}

void table__add_same(struct table *t)
{
	assert(t->cell_cnt >= t->col_cnt);
	table__add_cell(t, TABLE_PLAIN, "%s", "");
	t->cell[t->cell_cnt - 1].same = true;
}

/*
 * Adds a number with a text before it. If "before" marks the number as a bound ("<"), the cell has
 * no number in CSV, because CSV cannot show the mark.
 */
static void add_formatted(struct table *t, const char *before, const char *number,
			  const char *suffix, double n)
{
	char plain[NUMBER_SZ] = "";

	table__add_cell(t, strpbrk(number, "123456789") ? TABLE_PLAIN : TABLE_DIM, "%s%s%s", before,
			number, suffix);
	if (isfinite(n) && !strpbrk(before, "<>"))
		number__plain(plain, n);
	t->cell[t->cell_cnt - 1].plain = xstrdup(plain);
}

void table__add_number(struct table *t, double n, int digits, const char *suffix)
{
	char buf[NUMBER_SZ];

	add_formatted(t, "", number__group(buf, n, digits), isnan(n) ? "" : suffix, n);
}

void table__add_amount(struct table *t, const char *before, double n, const char *unit, bool exact)
{
	char buf[QUANTITY_SZ];

	add_formatted(t, before, number__amount(buf, n, unit, exact), "", n);
}

void table__add_quantity(struct table *t, double n, const char *unit)
{
	char buf[QUANTITY_SZ];

	add_formatted(t, "", number__quantity(buf, n, unit, true), "", n);
}

void table__add_rate(struct table *t, const char *before, double n)
{
	char buf[NUMBER_SZ];

	add_formatted(t, before, number__rate(buf, n), "", n);
}

void table__add_count(struct table *t, __u64 n, enum table_style style)
{
	char buf[NUMBER_SZ];

	table__add_cell(t, n ? style : TABLE_DIM, "%s", number__group_u64(buf, n));
	t->cell[t->cell_cnt - 1].plain = text__format("%llu", (unsigned long long)n);
}

/* ---- fitting the table to the terminal ---- */

/*
 * Returns the width below which the column shrinks only after all columns with a drop_order have
 * been dropped.
 */
static int least_width(const struct column *col)
{
	int min = col->spec.min_width > col->header.width ? col->spec.min_width : col->header.width;

	return col->spec.min_width && min < col->width ? min : col->width;
}

static bool is_below(const struct column *col)
{
	return col->spec.folds && !col->shown_width;
}

static bool is_shown(const struct column *col)
{
	return !col->dropped && !is_below(col);
}

/* Returns by how much a line is wider than max. shown: add up shown_width, not least_width(). */
static int excess(const struct table *t, int max, bool shown)
{
	int width = -GAP;

	for (int i = 0; i < t->col_cnt; i++) {
		const struct column *col = &t->col[i];

		if (is_shown(col))
			width += GAP + (shown ? col->shown_width : least_width(col));
	}
	return width - max;
}

static struct column *next_to_drop(struct table *t)
{
	struct column *next = NULL;

	for (int i = 0; i < t->col_cnt; i++) {
		struct column *col = &t->col[i];

		if (col->spec.drop_order && !col->dropped &&
		    (!next || col->spec.drop_order < next->spec.drop_order))
			next = col;
	}
	return next;
}

/*
 * Returns the widest column that may shrink, or NULL. below_least: it may shrink to TOO_SHORT
 * instead of least_width().
 */
static struct column *next_to_shorten(struct table *t, bool below_least)
{
	struct column *next = NULL;

	for (int i = 0; i < t->col_cnt; i++) {
		struct column *col = &t->col[i];
		int least = below_least ? TOO_SHORT : least_width(col);

		if (!col->spec.min_width || col->dropped || col->shown_width <= least)
			continue;
		if (!next || col->shown_width > next->shown_width)
			next = col;
	}
	return next;
}

static void shorten_columns(struct table *t, int max, bool below_least)
{
	struct column *col;

	while (excess(t, max, true) > 0 && (col = next_to_shorten(t, below_least)))
		col->shown_width--;
}

/* Of the dropped columns with a drop_order below "order", returns the one with the highest, or NULL. */
static struct column *dropped_before(struct table *t, int order)
{
	struct column *last = NULL;

	for (int i = 0; i < t->col_cnt; i++) {
		struct column *col = &t->col[i];

		if (col->dropped && col->spec.drop_order < order &&
		    (!last || col->spec.drop_order > last->spec.drop_order))
			last = col;
	}
	return last;
}

/*
 * Leaves out as many columns as necessary. If the last of them was wide, there may be room for
 * earlier ones: shows these again, but only if no cell has to be shortened for them.
 */
static void drop(struct table *t, int max)
{
	struct column *col;

	for (int i = 0; i < t->col_cnt; i++)
		t->col[i].dropped = false;
	while (max && excess(t, max, false) > 0 && (col = next_to_drop(t)))
		col->dropped = true;
	for (int order = INT_MAX; (col = dropped_before(t, order)); order = col->spec.drop_order) {
		col->dropped = false;
		col->dropped = excess(t, max, true) > 0;
	}
}

static void fit(struct table *t, int max)
{
	struct column *last = t->col_cnt ? &t->col[t->col_cnt - 1] : NULL;

	for (int i = 0; i < t->col_cnt; i++)
		t->col[i].shown_width = t->col[i].width;
	drop(t, max);
	if (!max || !last)
		return;
	if (last->spec.folds && excess(t, max, false) > 0) {
		last->shown_width = 0;
		drop(t, max);
	}
	shorten_columns(t, max, false);
	shorten_columns(t, max, true);
}

/* ---- printing ---- */

struct line {
	FILE *out;
	int width;   /* width of the text that was printed on the line so far */
	int max;     /* the width of the terminal; 0: no limit */
	int pending; /* blanks to print before the next text */
};

static void put_text(struct line *l, const char *begin, const char *text, int width)
{
	if (!width)
		return;
	/* Print the blanks outside of the escapes, so that no style makes them visible. */
	fprintf(l->out, "%*s%s%s%s", l->pending, "", begin, text, *begin ? TABLE_STYLE_END : "");
	l->width += l->pending + width;
	l->pending = 0;
}

/* Prints the last cell, which may continue on further lines. */
static void print_last(struct line *l, const struct cell *cell, const struct column *col,
		       const char *begin)
{
	if (!cell->width)
		return;
	if (is_below(col)) {
		fputc('\n', l->out);
		l->width = 0;
		l->pending = FOLD_INDENT;
	}
	fprintf(l->out, "%*s%s", l->pending, "", begin);
	l->width += l->pending;
	text__fold(cell->text, l->width, l->width, l->max, l->out);
	fputs(*begin ? TABLE_STYLE_END : "", l->out);
}

static void print_cell(struct line *l, const struct cell *cell, const struct column *col,
		       const char *begin)
{
	bool cut = l->max && col->spec.min_width && cell->width > col->shown_width;
	char *text = cut ? text__shorten(cell->text, col->shown_width) : NULL;
	int width = text ? text__width(text) : cell->width;
	int pad = col->shown_width > width ? col->shown_width - width : 0;

	if (col->spec.align == TABLE_RIGHT)
		l->pending += pad;
	put_text(l, begin, text ?: cell->text, width);
	if (col->spec.align == TABLE_LEFT)
		l->pending += pad;
	l->pending += GAP;
	free(text);
}

/* Prints a row, or the headers for row -1. */
static void print_row(const struct table *t, int row, FILE *out, const struct screen *screen)
{
	struct line line = {.out = out, .max = screen->width};

	for (int i = 0; i < t->col_cnt; i++) {
		const struct column *col = &t->col[i];
		int at = row * t->col_cnt + i;
		static const struct cell empty;
		const struct cell *cell = row < 0	     ? &col->header
					  : at < t->cell_cnt ? &t->cell[at]
							     : &empty;
		const char *begin = row < 0 ? STYLE_BOLD : style_begin[cell->style];

		if (!screen->color)
			begin = "";
		if (col->spec.folds && line.max && !(row < 0 && is_below(col)))
			print_last(&line, cell, col, begin);
		else if (is_shown(col))
			print_cell(&line, cell, col, begin);
	}
	fputc('\n', out);
}

/*
 * Prints the headline of the group that begins with column i, over all columns of the group. Returns
 * the group's last column.
 */
static int print_group(const struct table *t, int i, struct line *line, const char *begin)
{
	const struct cell *group = &t->col[i].group;
	int last = i, width = t->col[i].shown_width, used;
	char *text;

	while (last + 1 < t->col_cnt && text__is_same(t->col[last + 1].group.text, group->text)) {
		last++;
		if (is_shown(&t->col[last]))
			width += GAP + t->col[last].shown_width;
	}
	text = text__shorten(text__or_empty(group->text), width);
	used = text__width(text);
	put_text(line, begin, text, used);
	line->pending += width - used + GAP;
	free(text);
	return last;
}

/* Prints the line of group headlines, if any of the columns on the terminal has a group. */
static void print_groups(const struct table *t, FILE *out, const struct screen *screen)
{
	struct line line = {.out = out, .max = screen->width};
	bool any = false;

	for (int i = 0; i < t->col_cnt; i++)
		any |= t->col[i].group.width && is_shown(&t->col[i]);
	for (int i = 0; any && i < t->col_cnt; i++)
		if (is_shown(&t->col[i]))
			i = print_group(t, i, &line, screen->color ? STYLE_BOLD : "");
	if (any)
		fputc('\n', out);
}

void table__fix_widths(struct table *t, const struct screen *screen)
{
	t->fixed = true;
	fit(t, screen->width);
}

void table__print(struct table *t, FILE *out, bool header, const struct screen *screen)
{
	if (!t->fixed)
		fit(t, screen->width);
	if (header)
		print_groups(t, out, screen);
	for (int row = header ? -1 : 0; row < t->row_cnt; row++)
		print_row(t, row, out, screen);
}

int table__col_at(struct table *t, int x, const struct screen *screen)
{
	int end = 0;

	if (!t->fixed)
		fit(t, screen->width);
	for (int i = 0; x >= 0 && i < t->col_cnt; i++) {
		if (!is_shown(&t->col[i]))
			continue;
		end += t->col[i].shown_width;
		if (x < end)
			return i;
		end += GAP;
	}
	return -1;
}

/* ---- other renderers ---- */

int table__row_cnt(const struct table *t)
{
	return t->row_cnt;
}

int table__col_cnt(const struct table *t)
{
	return t->col_cnt;
}

struct table_view table__view(const struct table *t, int row, int col)
{
	const struct column *c = &t->col[col];
	struct table_view view = {.text = "", .col = &c->spec};
	int at = row * t->col_cnt + col;

	if (row < 0) {
		view.text = c->full_header ?: c->header.raw ?: c->header.text;
	} else if (at < t->cell_cnt) {
		view.text = t->cell[at].raw ?: text__or_empty(t->cell[at].text);
		view.style = t->cell[at].style;
		view.same = t->cell[at].same;
		view.plain = t->cell[at].plain;
	}
	return view;
}
