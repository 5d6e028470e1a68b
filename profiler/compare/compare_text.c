// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A comparison as text for a terminal. Owns the order of the parts; must not know the contents of
 * cells.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/output.h"
#include "base/table.h"
#include "base/text.h"
#include "compare/compare_render.h"

static const enum table_style styles[VERDICT_CNT] = {
	[VERDICT_WORSE] = TABLE_RED,	[VERDICT_INCONCLUSIVE] = TABLE_YELLOW,
	[VERDICT_GONE] = TABLE_RED,	[VERDICT_NEW] = TABLE_PLAIN,
	[VERDICT_BETTER] = TABLE_GREEN, [VERDICT_SAME] = TABLE_DIM,
};

static int print_table(const struct comparison *c, const struct compare_render_opts *o, FILE *out)
{
	struct table *t = table__new();
	char cell[COMPARE_LABEL_SZ];
	int err;

	if (!t)
		return -ENOMEM;
	for (int i = 0; i < compare_column_cnt; i++)
		if (compare_column__is_shown(&compare_columns[i], c, o))
			table__add_cols(t, &compare_columns[i].col, 1);
	for (int r = 0; r < c->row_cnt; r++) {
		table__add_row(t);
		for (int i = 0; i < compare_column_cnt; i++) {
			if (!compare_column__is_shown(&compare_columns[i], c, o))
				continue;
			compare_columns[i].format(&c->row[r], cell);
			table__add_cell(t, i ? TABLE_PLAIN : styles[c->row[r].verdict], "%s", cell);
		}
	}
	err = table__print(t, out, true, &o->screen);
	table__free(t);
	return err;
}

static int print_sizes(const struct comparison *c, const struct compare_render_opts *o, FILE *out)
{
	unsigned int known = comparison__known_sizes(c);
	char label[COMPARE_LABEL_SZ], cell[SIZE_CELL_SZ];
	struct table *t;
	int err;

	if (!known)
		return 0;
	t = table__new();
	if (!t)
		return -ENOMEM;
	table__add_cols(t, &(struct table_col)LEFT_COL("PROGRAM", .min_width = 15), 1);
	for (int id = 0; id < SIZE_CNT; id++) {
		const struct table_col col =
			RIGHT_COL(size_specs[id].header, .drop_order = SIZE_CNT - id);

		if (known & (1U << id))
			table__add_cols(t, &col, 1);
	}
	for (int i = 0; i < c->size_cnt; i++) {
		const struct compare_pair *p = &c->size[i];

		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", compare__label(p->base, p->new, label));
		for (int id = 0; id < SIZE_CNT; id++)
			if (known & (1U << id))
				table__add_cell(t, TABLE_PLAIN, "%s",
						compare_size__format(p, id, cell));
	}
	fputc('\n', out);
	err = table__print(t, out, true, &o->screen);
	table__free(t);
	return err;
}

static int print_line(FILE *out, const char *head, const char *text)
{
	char *printable = text__printable(text);

	if (!printable)
		return -ENOMEM;
	fprintf(out, "%s%s\n", head, printable);
	free(printable);
	return 0;
}

static int print_reasons(const struct comparison *c, FILE *out)
{
	const struct compare_row *row;
	int err = 0, more;

	for (int i = 0; !err && comparison__reason(c, i, &row, &more); i++) {
		char label[COMPARE_LABEL_SZ], line[4 * COMPARE_LABEL_SZ], others[32] = "";
		const char *input;

		if (more)
			snprintf(others, sizeof(others), " and %d more", more);
		input = compare_row__input(row);
		snprintf(line, sizeof(line), "%s%s%.1000s%s %.500s %s%s: %s",
			 compare_row__label(row, label), *input ? " [" : "", input,
			 *input ? "]" : "", row->event, stat_specs[row->stat].name, others,
			 row->why);
		err = print_line(out, i ? "" : "\n", line);
	}
	return err;
}

static int print_notes(const struct comparison *c, FILE *out)
{
	char text[COMPARE_NOTE_SZ];
	int err = 0;

	for (int i = 0; !err && comparison__note(c, i, text, sizeof(text)); i++)
		err = print_line(out, i ? "note: " : "\nnote: ", text);
	if (c->tests)
		fprintf(out,
			"\nBASE, NEW: medians of the blocks; CHANGE: their difference\n"
			"P: Mann and Whitney's test of the blocks, with Holm's correction for %d "
			"comparison%s\n",
			c->tests, c->tests == 1 ? "" : "s");
	return err;
}

static int render_parts(const struct comparison *c, const struct compare_render_opts *o, FILE *out)
{
	char headline[160];

	fprintf(out, "%s\n\n", comparison__headline(c, headline, sizeof(headline)));
	return print_table(c, o, out) ?:
	       print_reasons(c, out) ?:
	       print_sizes(c, o, out) ?:
	       print_notes(c, out);
}

int comparison__render_text(const struct comparison *c, const struct compare_render_opts *o,
			    FILE *out)
{
	struct draft d;
	int err = draft__begin(&d) ?: render_parts(c, o, d.mem);

	return draft__fold(&d, err, o->screen.width, out);
}
