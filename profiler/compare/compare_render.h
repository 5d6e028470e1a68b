/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the renderers of a comparison (compare_render.c, compare_columns.c, compare_text.c,
 * compare_json.c, compare_markdown.c, compare_junit.c) share. For them only.
 */
#ifndef BPROF_COMPARE_RENDER_H
#define BPROF_COMPARE_RENDER_H

#include "compare/compare.h"

/* A column of the tables for people: the text of a row's cell, not made printable. */
struct compare_column {
	const char *header;
	bool number; /* stands to the right */
	bool name;   /* may be any text */
	bool (*shown)(const struct comparison *c, const struct compare_render_opts *o); /* NULL:
											  always */
	void (*format)(const struct compare_row *row, char *cell); /* of COMPARE_LABEL_SZ bytes */
};
extern const struct compare_column compare_columns[];
extern const int compare_column_cnt;

bool compare_column__is_shown(const struct compare_column *col, const struct comparison *c,
			      const struct compare_render_opts *o);

/* "+12.3 (+8.1%)"; cell has COMPARE_LABEL_SZ bytes. Returns cell. */
const char *compare_row__change(const struct compare_row *row, char *cell);

/*
 * The sizes of programs: which of them there are (bit i: enum size_id i, of some program), and the cell
 * of one: "1,456 -> 1,480 (+24)", "1,456" where it is the same, "-" where it is not known. cell has
 * SIZE_CELL_SZ bytes. Returns cell.
 */
#define SIZE_CELL_SZ 192
unsigned int comparison__known_sizes(const struct comparison *c);
const char *compare_size__format(const struct compare_pair *prog, enum size_id id, char *cell);

/*
 * Why rows are inconclusive, each reason once: *row is the first with reason i, *more how many others
 * have it. false: there are not so many reasons.
 */
bool comparison__reason(const struct comparison *c, int i, const struct compare_row **row,
			int *more);

#endif
