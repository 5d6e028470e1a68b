// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables as CSV and TSV: the same columns and rows as in text output, with plain numbers. Owns the
 * names of the columns; must not know the meaning of the cells.
 *
 * The name of a column is its header in small letters: "runs_per_s" for RUNS/S, "cpu_percent" for
 * CPU%, "held_by" for HELD BY. A header that has small letters, such as the name of an event, stays
 * as it is. An unknown value is empty, not "-".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"

static void put_field(const struct csv_style *style, const char *text, FILE *out)
{
	text__put(out, style->tsv ? text__tsv(text) : text__csv(text, style->sep));
}

static bool has_small_letters(const char *s)
{
	while (*s && !islower((unsigned char)*s))
		s++;
	return *s;
}

/* Returns the name of a column, which the caller frees. */
static char *make_column_name(const char *header)
{
	const bool keep = has_small_letters(header);
	char *name = NULL;
	size_t sz;
	FILE *out = text__open(&name, &sz);

	for (const char *c = header; *c; c++)
		if (keep)
			fputc(*c, out);
		else if (*c == '%')
			fputs("_percent", out);
		else if (*c == '/')
			fputs("_per_", out);
		else
			fputc(*c == ' ' ? '_' : tolower((unsigned char)*c), out);
	fclose(out);
	return name;
}

static void print_field(const struct table *t, const struct csv_style *style, int row, int col,
			FILE *out)
{
	struct table_view view = table__view(t, row, col);
	const char *text;
	char *name;

	while (view.same)
		view = table__view(t, --row, col);
	text = view.plain ?: view.text;
	if (row < 0) {
		name = make_column_name(text);
		put_field(style, name, out);
		free(name);
	} else if (strcmp(text, "-")) {
		put_field(style, text, out);
	}
}

void table__print_csv(const struct table *t, const struct csv_style *style, FILE *out)
{
	for (int row = style->header ? -1 : 0; row < table__row_cnt(t); row++) {
		for (int col = 0; col < table__col_cnt(t); col++) {
			if (col)
				fputs(style->sep, out);
			print_field(t, style, row, col, out);
		}
		fputc('\n', out);
	}
}
