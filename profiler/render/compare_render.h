/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared only by the renderers of a comparison (compare_render.c, compare_columns.c,
 * compare_text.c, compare_html.c, compare_chart.c, compare_markdown.c, compare_junit.c).
 */
#ifndef BPROF_COMPARE_RENDER_H
#define BPROF_COMPARE_RENDER_H

#include "compare/compare.h"

/*
 * A column in text and Markdown. format() writes the cell of a row, which may contain unprintable
 * characters.
 */
struct compare_column {
	struct table_col col; /* if it has no header, the name of the axis is the header */
	bool name; /* the cells are names from BPF programs, which may contain any text */
	/* Returns true if the column is shown. NULL: the column is always shown. */
	bool (*shown)(const struct comparison *c, const struct compare_render_opts *o);
	/* Writes a cell of at most COMPARE_LABEL_SZ bytes. */
	void (*format)(const struct compare_row *row, char *cell);
};
extern const struct compare_column compare_columns[];
extern const int compare_column_cnt;

/* Returns which columns are shown: bit i stands for compare_columns[i]. Looks through all rows. */
unsigned int compare_columns__shown(const struct comparison *c,
				    const struct compare_render_opts *o);

const char *compare_column__header(const struct compare_column *col, const struct comparison *c);

/*
 * Writes the program, the input case and the point of the axis of a row to buf: "xdp_lb [case]
 * 6.12". Returns buf, which has COMPARE_WHERE_SZ bytes.
 */
#define COMPARE_WHERE_SZ (COMPARE_LABEL_SZ + 1300)
const char *compare_row__where(const struct compare_row *row, char *buf);

/*
 * Returns how many of the first rows belong to groups in which any row's verdict is not "same"; at
 * most max. Markdown shows these rows unfolded.
 */
int comparison__count_changed(const struct comparison *c, int max);

/*
 * Make the table of the rows from "first" to "last" - 1, and the table of the programs' sizes. The
 * caller frees the table.
 */
struct table *comparison__make_table(const struct comparison *c,
				     const struct compare_render_opts *o, int first, int last);
struct table *comparison__make_sizes(const struct comparison *c);
extern const enum table_style verdict_styles[VERDICT_CNT];

/* Prints why rows are inconclusive, and the notes: an empty line, and then one line for each. */
void comparison__print_reasons(const struct comparison *c, FILE *out);
void comparison__print_notes(const struct comparison *c, FILE *out);

/* Writes "+12.3 (+8.1%)" to cell, which has COMPARE_LABEL_SZ bytes. Returns cell. */
const char *compare_row__change(const struct compare_row *row, char *cell);

/* Returns the sizes that are known for at least one program: bit i stands for enum size_id i. */
unsigned int comparison__known_sizes(const struct comparison *c);
/*
 * Writes a program's size to cell, which has SIZE_CELL_SZ bytes: "1,456 -> 1,480 (+24)", or "1,456"
 * for an unchanged size, or "-" for an unknown one. Returns cell.
 */
#define SIZE_CELL_SZ 192
const char *compare_size__format(const struct compare_pair *prog, enum size_id id, char *cell);

/*
 * Finds the i-th distinct reason why rows are inconclusive. Sets *row to the first row with that
 * reason, and *more to the number of further rows with that reason. Returns false if there are
 * fewer reasons.
 */
bool comparison__reason(const struct comparison *c, int i, const struct compare_row **row,
			int *more);

struct html;
/* Draws the relative changes with their intervals, if the comparison has any. HTML only. */
void comparison__write_chart(const struct comparison *c, struct html *h);

#endif
