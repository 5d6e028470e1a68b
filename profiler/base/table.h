/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aligned tables: columns with a header, rows of cells.
 */
#ifndef BPROF_TABLE_H
#define BPROF_TABLE_H

#include <stdio.h>
#include <linux/types.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT };
enum table_style { TABLE_PLAIN, TABLE_DIM, TABLE_RED, TABLE_STYLE_CNT };

enum {
	TABLE_HEADER = 1, /* print the line of headers */
	TABLE_COLOR = 2,  /* terminal escapes: bold headers, dim and red cells */
};

struct table;

/*
 * Add all columns first, then each row with its cells from left to right. Missing cells at the end
 * of a row stay empty. Headers and cells are copied and made printable (text__printable()).
 * table__print() returns the first error of all calls (-ENOMEM; -EINVAL: a cell without a column),
 * so the other calls need no checks.
 */
struct table *table__new(void); /* NULL: out of memory */
void table__free(struct table *t);
void table__add_col(struct table *t, enum table_align align, const char *header);
void table__add_row(struct table *t);
void table__add_cell(struct table *t, enum table_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Add numbers in the format for people (text.h). Zero and NaN (unknown) are dim. */
void table__add_number(struct table *t, double n, int digits, const char *suffix);
void table__add_value(struct table *t, double n, const char *unit); /* uses number__digits() */
/* Like table__add_value(), but uses number__exact_digits(). */
void table__add_exact_value(struct table *t, double n, const char *unit);
void table__add_count(struct table *t, __u64 n, enum table_style style);

/*
 * Prints the table with two spaces between columns and none at the end of a line. Returns 0 or the
 * first error; the caller checks "out" with ferror().
 */
int table__print(const struct table *t, FILE *out, unsigned int flags);

#endif
