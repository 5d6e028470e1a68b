/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the renderers of a comparison (compare_render.c, compare_columns.c, compare_text.c,
 * compare_json.c, compare_markdown.c, compare_junit.c) only.
 */
#ifndef BPROF_COMPARE_RENDER_H
#define BPROF_COMPARE_RENDER_H

#include "compare/compare.h"

/* A column in text and Markdown; format() writes a row's cell, not made printable. */
struct compare_column {
	const char *header;
	bool number; /* right-aligned */
	bool name;   /* a foreign name, which may be any text */
	bool (*shown)(const struct comparison *c, const struct compare_render_opts *o); /* NULL:
											  always */
	void (*format)(const struct compare_row *row, char *cell); /* of COMPARE_LABEL_SZ bytes */
};
extern const struct compare_column compare_columns[];
extern const int compare_column_cnt;

bool compare_column__is_shown(const struct compare_column *col, const struct comparison *c,
			      const struct compare_render_opts *o);

/* Writes "+12.3 (+8.1%)" to cell, of COMPARE_LABEL_SZ bytes. Returns cell. */
const char *compare_row__change(const struct compare_row *row, char *cell);

/* Returns the sizes that are known for any program: bit i for enum size_id i. */
unsigned int comparison__known_sizes(const struct comparison *c);
/*
 * Writes a program's size to cell, of SIZE_CELL_SZ bytes: "1,456 -> 1,480 (+24)", "1,456" if it has
 * not changed, "-" if it is not known. Returns cell.
 */
#define SIZE_CELL_SZ 192
const char *compare_size__format(const struct compare_pair *prog, enum size_id id, char *cell);

/*
 * Finds the i-th distinct reason why rows are inconclusive: *row is the first row with it, *more
 * the number of further ones. Returns false if there are fewer reasons.
 */
bool comparison__reason(const struct comparison *c, int i, const struct compare_row **row,
			int *more);

#endif
