/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aligned tables: columns with a header, rows of cells. A table that is wider than the terminal
 * leaves columns out, shortens names and folds its last column.
 */
#ifndef BPROF_TABLE_H
#define BPROF_TABLE_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

#include "base/screen.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };
enum table_style { TABLE_PLAIN, TABLE_DIM, TABLE_RED, TABLE_YELLOW, TABLE_GREEN, TABLE_STYLE_CNT };

/*
 * A column, and how it becomes narrower if the table is too wide. First, table__print() leaves out columns in ascending
 * order of drop_order until the others fit; here a column with a min_width counts with this width. Then it adds again
 * the columns that fit without shortening any cell. Then it shortens the widest of the columns with a min_width as far
 * as necessary: their cells get an ellipsis. The last column of the table may fold instead: its cells continue on
 * further lines, and no word is broken. If there is no room for its min_width, it is printed below the row.
 */
struct table_col {
	const char *header;
	/* A headline, which is shown once above all adjacent columns of this group; NULL: none */
	const char *group;
	enum table_align align;
	int drop_order; /* 0: the column is always shown */
	int min_width;	/* 0: the column is always as wide as its widest cell */
	bool folds;	/* the column is folded, not shortened */
	/* The members from here on are for renderers other than table__print(). */
	const char *full_header; /* the header if "header" is "" to save room */
	bool row_header;	 /* the cells name the subjects of their rows */
	bool text_only;		 /* only text output has the column, which shows bars of '#' */
};

#define LEFT_COL(text, ...)                                        \
	{                                                          \
		.header = text, .align = TABLE_LEFT, ##__VA_ARGS__ \
	}
#define RIGHT_COL(text, ...)                                        \
	{                                                           \
		.header = text, .align = TABLE_RIGHT, ##__VA_ARGS__ \
	}

/* Returns the terminal escapes of a style, for text outside of tables. */
const char *table_style__begin(enum table_style style);
#define TABLE_STYLE_END "\033[0m"

struct table;

/*
 * Add all columns first, then each row with its cells from left to right. Missing cells at the end
 * of a row stay empty. The table copies headers and cells, and makes them printable
 * (text__printable()). If a row gets more cells than there are columns, an assertion ends the
 * process.
 */
struct table *table__new(void);
void table__free(struct table *t);
void table__add_cols(struct table *t, const struct table_col *cols, int cnt);
/* Adds a column that is always shown in full. */
void table__add_col(struct table *t, enum table_align align, const char *header);
void table__add_row(struct table *t);
void table__add_cell(struct table *t, enum table_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Adds a cell that has the same content as the cell above it. Text output shows an empty cell. The
 * first row cannot have such a cell.
 */
void table__add_same(struct table *t);
/*
 * These functions add numbers in the format for people (text.h). before: a text before the number.
 * Zero and NaN (unknown) are dim. In CSV, the cells have the plain numbers.
 */
void table__add_number(struct table *t, double n, int digits, const char *suffix);
void table__add_amount(struct table *t, const char *before, double n, const char *unit, bool exact);
void table__add_quantity(struct table *t, double n, const char *unit);
void table__add_rate(struct table *t, const char *before, double n);
void table__add_count(struct table *t, __u64 n, enum table_style style);

/*
 * Prints the table with two spaces between columns, and without spaces at the end of a line.
 * header: print the line of headers, too. The caller checks "out" with ferror().
 */
void table__print(struct table *t, FILE *out, bool header, const struct screen *screen);

/*
 * Returns the column at character x (from 0) of the lines that table__print() prints, or -1. The blanks
 * before a column belong to that column.
 */
int table__col_at(struct table *t, int x, const struct screen *screen);

/* A cell or a header as other renderers see it. */
struct table_view {
	const char *text; /* the original text: the renderer escapes it for its syntax */
	/* a number without separators and unit; "": not known; NULL: no number */
	const char *plain;
	enum table_style style;
	const struct table_col *col; /* its members header and full_header are not set */
	bool same;		     /* the content is the same as in the cell above */
};
/* The form of CSV lines, for tables and for reports. */
struct csv_style {
	const char *sep; /* the separator of fields */
	bool header;	 /* print the names of the columns as the first line */
	bool tsv;	 /* escape names as in TSV, and not as in CSV */
};
/* Prints all columns and rows as CSV or TSV (table_csv.c). The caller checks "out" with ferror(). */
void table__print_csv(const struct table *t, const struct csv_style *style, FILE *out);

/* These functions give other renderers access to the contents. */
int table__row_cnt(const struct table *t);
int table__col_cnt(const struct table *t);
struct table_view table__view(const struct table *t, int row, int col); /* row -1: the headers */

/*
 * For a table that prints each row when it is added. table__reserve() sets the least width of a
 * column (col counts from 0). table__fix_widths() fixes the widths of all columns; call it before
 * the first row. table__clear() removes the rows that have been printed.
 */
void table__reserve(struct table *t, int col, int width);
void table__fix_widths(struct table *t, const struct screen *screen);
void table__clear(struct table *t);

#endif
