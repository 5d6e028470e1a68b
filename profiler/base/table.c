// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Aligned tables. Owns widths, padding, terminal escapes and the format of numbers in cells; must
 * not know the meaning of the cells.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"

struct cell {
	char *text; /* NULL: the cell is empty */
	int width;
	enum table_style style;
};

struct column {
	struct cell header;
	enum table_align align;
	int width;
};

struct table {
	struct column *col;
	int col_cnt;
	struct cell *cell; /* row by row, col_cnt cells per row; the last row may be shorter */
	int cell_cnt;
	int row_cnt;
	int err; /* the first error of any call */
};

#define STYLE_BOLD "\033[1m"
#define STYLE_END "\033[0m"
static const char *const style_begin[TABLE_STYLE_CNT] = {
	[TABLE_PLAIN] = "",
	[TABLE_DIM] = "\033[2m",
	[TABLE_RED] = "\033[31m",
};

struct table *table__new(void)
{
	return calloc(1, sizeof(struct table));
}

void table__free(struct table *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->col_cnt; i++)
		free(t->col[i].header.text);
	for (int i = 0; i < t->cell_cnt; i++)
		free(t->cell[i].text);
	free(t->col);
	free(t->cell);
	free(t);
}

static void set_text(struct table *t, struct cell *cell, int col, const char *text)
{
	cell->text = text__printable(text);
	if (!cell->text) {
		t->err = t->err ?: -ENOMEM;
		return;
	}
	cell->width = text__width(cell->text);
	if (cell->width > t->col[col].width)
		t->col[col].width = cell->width;
}

void table__add_col(struct table *t, enum table_align align, const char *header)
{
	struct column *col = NULL;

	if (t->row_cnt)
		t->err = t->err ?: -EINVAL;
	if (t->err)
		return;
	col = array__add(&t->col, &t->col_cnt, sizeof(*t->col));
	if (!col) {
		t->err = -ENOMEM;
		return;
	}
	col->align = align;
	set_text(t, &col->header, t->col_cnt - 1, header);
}

static struct cell *add_cell(struct table *t)
{
	struct cell *cell;

	if (t->err)
		return NULL;
	cell = array__add(&t->cell, &t->cell_cnt, sizeof(*t->cell));
	if (!cell)
		t->err = -ENOMEM;
	return cell;
}

void table__add_row(struct table *t)
{
	while (!t->err && t->cell_cnt < t->row_cnt * t->col_cnt)
		add_cell(t);
	t->row_cnt++;
}

void table__add_cell(struct table *t, enum table_style style, const char *fmt, ...)
{
	struct cell *cell;
	char *text;
	va_list ap;
	int len;

	if (t->cell_cnt >= t->row_cnt * t->col_cnt)
		t->err = t->err ?: -EINVAL;
	cell = add_cell(t);
	if (!cell)
		return;
	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		t->err = -ENOMEM;
		return;
	}
	cell->style = style;
	set_text(t, cell, (t->cell_cnt - 1) % t->col_cnt, text);
	free(text);
}

void table__add_number(struct table *t, double n, int digits, const char *suffix)
{
	char buf[NUMBER_SZ];

	number__group(buf, n, digits);
	table__add_cell(t, strpbrk(buf, "123456789") ? TABLE_PLAIN : TABLE_DIM, "%s%s", buf,
			isnan(n) ? "" : suffix);
}

static void add_quantity(struct table *t, double n, int digits, const char *unit)
{
	char suffix[32] = "";

	if (unit && *unit)
		snprintf(suffix, sizeof(suffix), " %s", unit);
	table__add_number(t, n, digits, suffix);
}

void table__add_value(struct table *t, double n, const char *unit)
{
	add_quantity(t, n, number__digits(n, unit), unit);
}

void table__add_exact_value(struct table *t, double n, const char *unit)
{
	add_quantity(t, n, number__exact_digits(n, unit), unit);
}

void table__add_count(struct table *t, __u64 n, enum table_style style)
{
	char buf[NUMBER_SZ];

	table__add_cell(t, n ? style : TABLE_DIM, "%s", number__group_u64(buf, n));
}

static void print_cell(const struct cell *cell, const struct column *col, const char *begin,
		       bool pad_end, FILE *out)
{
	int pad = col->width - cell->width;

	/*
	 * Print the padding outside of the escapes, because an underlined or inverted padding would
	 * be visible.
	 */
	if (col->align == TABLE_RIGHT)
		fprintf(out, "%*s", pad, "");
	if (cell->width)
		fprintf(out, "%s%s%s", begin, cell->text, *begin ? STYLE_END : "");
	if (col->align == TABLE_LEFT && pad_end)
		fprintf(out, "%*s", pad, "");
}

int table__print(const struct table *t, FILE *out, unsigned int flags)
{
	bool color = flags & TABLE_COLOR;

	if (t->err)
		return t->err;
	for (int row = flags & TABLE_HEADER ? -1 : 0; row < t->row_cnt; row++) {
		/* a table without cells has no array to point into */
		const struct cell *cells = row < 0 || !t->cell ? NULL : t->cell + row * t->col_cnt;
		int cnt = t->cell_cnt - row * t->col_cnt;

		if (row < 0 || cnt > t->col_cnt)
			cnt = t->col_cnt;
		while (cnt && !(row < 0 ? t->col[cnt - 1].header : cells[cnt - 1]).width)
			cnt--;
		for (int i = 0; i < cnt; i++) {
			const struct cell *cell = row < 0 ? &t->col[i].header : &cells[i];
			const char *begin = row < 0 ? STYLE_BOLD : style_begin[cell->style];

			if (i)
				fputs("  ", out);
			print_cell(cell, &t->col[i], color ? begin : "", i < cnt - 1, out);
		}
		fputc('\n', out);
	}
	return 0;
}
