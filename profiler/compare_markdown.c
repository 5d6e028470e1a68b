// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A comparison as Markdown, for a comment on a pull request: the verdict, a table of what has
 * changed, the rest folded. Owns how foreign names are kept from being markup (GitHub Flavored
 * Markdown, sections 4.10, 6.1 and 6.3); must not know what stands in a cell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_render.h"
#include "text.h"

static const struct {
	const char *symbol;
	bool folded;
} marks[VERDICT_CNT] = {
	[VERDICT_WORSE] = {":x:", false},
	[VERDICT_INCONCLUSIVE] = {":grey_question:", false},
	[VERDICT_GONE] = {":heavy_minus_sign:", false},
	[VERDICT_NEW] = {":heavy_plus_sign:", false},
	[VERDICT_BETTER] = {":tada:", false},
	[VERDICT_SAME] = {":white_check_mark:", true},
};

/* The longest run of '`' in s. */
static int count_ticks(const char *s)
{
	int most = 0, now = 0;

	for (; *s; s++) {
		now = *s == '`' ? now + 1 : 0;
		most = now > most ? now : most;
	}
	return most;
}

/* As code: nothing in it is markup, an address or a mention; '|' would still end a cell. */
static int print_code(FILE *out, const char *text)
{
	char *s = text__printable(text);
	int ticks;

	if (!s)
		return -ENOMEM;
	ticks = count_ticks(s) + 1;
	for (int i = 0; *s && i < ticks; i++)
		fputc('`', out);
	if (ticks > 1)
		fputc(' ', out);
	for (const char *p = s; *p; p++)
		fprintf(out, "%s%c", *p == '|' ? "\\" : "", *p);
	if (ticks > 1)
		fputc(' ', out);
	for (int i = 0; *s && i < ticks; i++)
		fputc('`', out);
	free(s);
	return 0;
}

static int print_row(const struct comparison *c, const struct compare_render_opts *o,
		     const struct compare_row *row, FILE *out)
{
	char cell[COMPARE_LABEL_SZ];
	int err = 0;

	fprintf(out, "| %s ", marks[row->verdict].symbol);
	for (int i = 0; !err && i < compare_column_cnt; i++) {
		const struct compare_column *col = &compare_columns[i];

		if (!compare_column__is_shown(col, c, o))
			continue;
		col->format(row, cell);
		fprintf(out, "%s", i ? "| " : "");
		if (col->name)
			err = print_code(out, cell);
		else
			fputs(cell, out);
		fputc(' ', out);
	}
	fputs("|\n", out);
	return err;
}

static void print_header(const struct comparison *c, const struct compare_render_opts *o, FILE *out)
{
	for (int line = 0; line < 2; line++) {
		for (int i = 0; i < compare_column_cnt; i++) {
			const struct compare_column *col = &compare_columns[i];

			if (!compare_column__is_shown(col, c, o))
				continue;
			if (line)
				fputs(col->number ? "|---:" : "|---", out);
			else
				fprintf(out, "| %s ", col->header);
		}
		fputs("|\n", out);
	}
}

static int print_table(const struct comparison *c, const struct compare_render_opts *o, bool folded,
		       FILE *out)
{
	bool begun = false;
	int err = 0;

	for (int i = 0; !err && i < c->row_cnt; i++) {
		if (marks[c->row[i].verdict].folded != folded)
			continue;
		if (!begun)
			print_header(c, o, out);
		begun = true;
		err = print_row(c, o, &c->row[i], out);
	}
	if (begun)
		fputc('\n', out);
	return err;
}

static int print_reasons(const struct comparison *c, FILE *out)
{
	const struct compare_row *row;
	int err = 0, more, i;

	for (i = 0; !err && comparison__reason(c, i, &row, &more); i++) {
		char label[COMPARE_LABEL_SZ];

		fputs("- ", out);
		err = print_code(out, compare_row__label(row, label));
		fputc(' ', out);
		err = err ?: print_code(out, row->event);
		fprintf(out, " %s", stat_specs[row->stat].name);
		if (more)
			fprintf(out, " and %d more", more);
		fprintf(out, ": %s\n", row->why);
	}
	if (i)
		fputc('\n', out);
	return err;
}

static int print_notes(const struct comparison *c, const struct compare_render_opts *o, FILE *out)
{
	char text[COMPARE_NOTE_SZ];
	int err;

	fputs("- base ", out);
	err = print_code(out, o->base_name);
	fputs(", new ", out);
	err = err ?: print_code(out, o->new_name);
	fputc('\n', out);
	for (int i = 0; !err && comparison__note(c, i, text, sizeof(text)); i++) {
		fputs("- note: ", out);
		err = print_code(out, text);
		fputc('\n', out);
	}
	fprintf(out,
		"- P: Mann and Whitney's test of the blocks, with Holm's correction for %d "
		"comparisons\n",
		c->tests);
	return err;
}

int comparison__render_markdown(const struct comparison *c, const struct compare_render_opts *o,
				FILE *out)
{
	char headline[160];
	int err;

	fprintf(out, "### %s bprof: %s\n\n", marks[c->verdict].symbol,
		comparison__headline(c, headline, sizeof(headline)));
	err = print_table(c, o, false, out) ?: print_reasons(c, out);
	fprintf(out, "<details><summary>Details</summary>\n\n");
	err = err ?: print_table(c, o, true, out) ?: print_notes(c, o, out);
	fputs("\n</details>\n", out);
	return err;
}
