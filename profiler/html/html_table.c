// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables of base/table.h as HTML. Owns the elements and the classes of cells; must not know what a
 * table shows.
 *
 * Cells with the same content as the cell above (table_view.same) are left out: the upper cell gets
 * a rowspan. In a column with row headers, the cells are headers of their rows.
 */
#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "html/html.h"

static const char *const style_class[TABLE_STYLE_CNT] = {
	[TABLE_PLAIN] = "",	  [TABLE_DIM] = " dim",	   [TABLE_RED] = " bad",
	[TABLE_YELLOW] = " warn", [TABLE_GREEN] = " good",
};

static void set_class(struct html *h, const struct table_view *view)
{
	char class[32];

	snprintf(class, sizeof(class), "%s%s%s", view->col->align == TABLE_RIGHT ? " num" : "",
		 view->col->min_width ? " name" : "", style_class[view->style]);
	if (*class)
		html__attr(h, "class", "%s", class + 1);
}

static void write_header(struct html *h, const struct table *t)
{
	html__begin(h, "thead");
	html__begin(h, "tr");
	for (int i = 0; i < table__col_cnt(t); i++) {
		struct table_view view = table__view(t, -1, i);

		if (view.col->text_only)
			continue;
		html__begin(h, "th");
		html__attr(h, "scope", "col");
		set_class(h, &view);
		html__text(h, "%s", view.text);
		html__end(h);
	}
	html__end(h);
	html__end(h);
}

static void write_cell(struct html *h, const struct table *t, int row, int col)
{
	struct table_view view = table__view(t, row, col);
	bool header = view.col->row_header && *view.text;
	int rows = 1; /* the number of rows that this cell covers */

	if (view.col->text_only || view.same)
		return;
	while (row + rows < table__row_cnt(t) && table__view(t, row + rows, col).same)
		rows++;
	html__begin(h, header ? "th" : "td");
	if (header)
		html__attr(h, "scope", rows > 1 ? "rowgroup" : "row");
	if (rows > 1)
		html__attr(h, "rowspan", "%d", rows);
	set_class(h, &view);
	html__text(h, "%s", view.text);
	html__end(h);
}

/* Returns true if no cell of an earlier row also covers this row (rowspan). */
static bool begins_group(const struct table *t, int row)
{
	for (int i = 0; i < table__col_cnt(t); i++)
		if (table__view(t, row, i).same)
			return false;
	return true;
}

/* A group of rows that share cells is a <tbody>, which <th scope="rowgroup"> refers to. */
static void write_rows(struct html *h, const struct table *t)
{
	for (int row = 0; row < table__row_cnt(t); row++) {
		if (begins_group(t, row)) {
			if (row)
				html__end(h);
			html__begin(h, "tbody");
		}
		html__begin(h, "tr");
		for (int i = 0; i < table__col_cnt(t); i++)
			write_cell(h, t, row, i);
		html__end(h);
	}
	if (table__row_cnt(t))
		html__end(h);
}

void html_box__begin(struct html *h, const char *caption)
{
	/* tabindex lets the box have the focus, so that readers can scroll it with the keyboard. */
	html__begin(h, "div");
	html__attr(h, "class", "box");
	html__attr(h, "tabindex", "0");
	html__attr(h, "role", "region");
	html__attr(h, "aria-label", "%s", caption);
	html__begin(h, "table");
	html__element(h, "caption", NULL, caption);
}

void html_box__end(struct html *h)
{
	html__end(h);
	html__end(h);
}

void html__table(struct html *h, const struct table *t, const char *caption)
{
	html_box__begin(h, caption);
	write_header(h, t);
	write_rows(h, t);
	html_box__end(h);
}
