// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A comparison as Markdown, for a comment on a pull request: the verdict, a table of the changes,
 * and the other parts in folded sections. Owns which texts are code and which are prose (GitHub
 * Flavored Markdown, sections 4.10, 6.1 and 6.3); must not know the contents of cells.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "render/compare_render.h"
#include "render/render.h"

/* GitHub rejects comments of more than 65,536 characters. A row takes about 200 characters. */
enum {
	MAX_OPEN = 40, /* the maximum number of rows that are not folded, and of items of a list */
	MAX_MARKDOWN_ROWS = 200, /* the maximum number of rows */
};

static const char *const marks[VERDICT_CNT] = {
	[VERDICT_WORSE] = ":x:",
	[VERDICT_INCONCLUSIVE] = ":grey_question:",
	[VERDICT_GONE] = ":heavy_minus_sign:",
	[VERDICT_NEW] = ":heavy_plus_sign:",
	[VERDICT_BETTER] = ":tada:",
	[VERDICT_SAME] = ":white_check_mark:",
};

/* Prints text as code, so that it is not read as markup, a link or a mention. */
static void print_code(FILE *out, const char *text)
{
	text__put(out, text__markdown(text));
}

/* Returns true if the character at c is no markup. before: the character before it, or '\0'. */
static bool is_prose_at(char before, const char *c)
{
	if (*c == '<') /* no markup before a digit, such as in "<0.001" */
		return isdigit((unsigned char)c[1]);
	if (*c == '_') /* no markup within a word */
		return isalnum((unsigned char)before) && isalnum((unsigned char)c[1]);
	return isalnum((unsigned char)*c) || strchr(" .,;:'+-%()=/", *c);
}

/* Returns true if nothing in a text is markup or would become a link. */
static bool is_prose(const char *s)
{
	for (const char *c = s; *c; c++)
		if (!is_prose_at(c > s ? c[-1] : '\0', c))
			return false;
	return !strstr(s, "://") && !strcasestr(s, "www.");
}

/* Prints a number with its unit, or a sentence. If the text contains markup, prints it as code. */
static void print_prose(FILE *out, const char *s)
{
	if (is_prose(s))
		fputs(s, out);
	else
		print_code(out, s);
}

static void print_table_row(unsigned int shown, const struct compare_row *row, FILE *out)
{
	char cell[COMPARE_LABEL_SZ];

	fprintf(out, "| %s ", row->reference ? "" : marks[row->verdict]);
	for (int i = 0; i < compare_column_cnt; i++) {
		const struct compare_column *col = &compare_columns[i];

		if (!(shown & (1U << i)))
			continue;
		col->format(row, cell);
		fprintf(out, "%s", i ? "| " : "");
		if (col->name)
			print_code(out, cell);
		else
			print_prose(out, cell);
		fputc(' ', out);
	}
	fputs("|\n", out);
}

static void print_header(const struct comparison *c, unsigned int shown, FILE *out)
{
	for (int line = 0; line < 2; line++) {
		for (int i = 0; i < compare_column_cnt; i++) {
			const struct compare_column *col = &compare_columns[i];

			if (!(shown & (1U << i)))
				continue;
			if (line) {
				fputs(col->col.align == TABLE_RIGHT ? "|---:" : "|---", out);
				continue;
			}
			fputs("| ", out);
			print_prose(out, compare_column__header(col, c));
			fputc(' ', out);
		}
		fputs("|\n", out);
	}
}

/* Prints the rows "first" to "last" - 1 as a table. */
static void print_markdown_table(const struct comparison *c, const struct compare_render_opts *o,
				 int first, int last, FILE *out)
{
	unsigned int shown;

	if (first == last)
		return;
	shown = compare_columns__shown(c, o);
	print_header(c, shown, out);
	for (int i = first; i < last; i++)
		print_table_row(shown, &c->row[i], out);
	fputc('\n', out);
}

static void print_sizes(const struct comparison *c, FILE *out)
{
	unsigned int known = comparison__known_sizes(c);
	int last = c->size_cnt < MAX_OPEN ? c->size_cnt : MAX_OPEN;
	char label[COMPARE_LABEL_SZ], cell[SIZE_CELL_SZ];

	if (!known)
		return;
	fputs("| PROGRAM ", out);
	if (c->axis) {
		fputs("| ", out);
		print_prose(out, c->axis_header);
		fputc(' ', out);
	}
	for (int id = 0; id < SIZE_CNT; id++)
		if (known & (1U << id))
			fprintf(out, "| %s ", size_specs[id].header);
	fputs(c->axis ? "|\n|---|---" : "|\n|---", out);
	for (int id = 0; id < SIZE_CNT; id++)
		if (known & (1U << id))
			fputs("|---:", out);
	fputs("|\n", out);
	for (int i = 0; i < last; i++) {
		const struct compare_pair *p = &c->size[i];

		fputs("| ", out);
		print_code(out, compare__label(p->base, p->new, label));
		if (c->axis) {
			fputs(" | ", out);
			print_code(out, p->point);
		}
		for (int id = 0; id < SIZE_CNT; id++)
			if (known & (1U << id))
				fprintf(out, " | %s", compare_size__format(p, id, cell));
		fputs(" |\n", out);
	}
	fputc('\n', out);
	if (last < c->size_cnt)
		fprintf(out, "and %d more programs\n\n", c->size_cnt - last);
}

/* Prints why a row is inconclusive. more: the number of further statistics with the same reason. */
static void print_markdown_reason(const struct compare_row *row, int more, FILE *out)
{
	char label[COMPARE_LABEL_SZ];

	fputs("- ", out);
	print_code(out, compare_row__label(row, label));
	fputc(' ', out);
	if (*compare_row__input(row)) {
		print_code(out, compare_row__input(row));
		fputc(' ', out);
	}
	if (row->point) {
		print_code(out, row->point);
		fputc(' ', out);
	}
	print_code(out, row->event);
	fprintf(out, " %s", compare_stats[row->stat].name);
	if (more)
		fprintf(out, " and %d more", more);
	fputs(": ", out);
	print_prose(out, row->why);
	fputc('\n', out);
}

/* Prints how many of cnt items a list leaves out. */
static void print_cut(int cnt, const char *items, FILE *out)
{
	if (cnt > MAX_OPEN)
		fprintf(out, "- and %d more %s\n", cnt - MAX_OPEN, items);
}

static void print_reason_list(const struct comparison *c, FILE *out)
{
	const struct compare_row *row;
	int more, i;

	for (i = 0; comparison__reason(c, i, &row, &more); i++)
		if (i < MAX_OPEN)
			print_markdown_reason(row, more, out);
	print_cut(i, "reasons", out);
	if (i)
		fputc('\n', out);
}

static void print_note_list(const struct comparison *c, const struct compare_render_opts *o,
			    FILE *out)
{
	char text[COMPARE_NOTE_SZ];
	int i;

	fputs("- base ", out);
	print_code(out, o->base_name);
	fputs(", new ", out);
	print_code(out, o->new_name);
	fputc('\n', out);
	for (i = 0; comparison__note(c, i, text, sizeof(text)); i++) {
		if (i >= MAX_OPEN)
			continue;
		fputs("- note: ", out);
		print_code(out, text);
		fputc('\n', out);
	}
	print_cut(i, "notes", out);
	fprintf(out,
		"- BASE, NEW: %s; CHANGE: their difference\n"
		"- P: %s, with Holm's correction for %d comparisons\n",
		basis_specs[c->basis].values, basis_specs[c->basis].test, c->tests);
}

void comparison__render_markdown(const struct comparison *c, const struct compare_render_opts *o,
				 FILE *out)
{
	char headline[160];
	/* The folded rows are those after the first MAX_OPEN, and the unchanged rows. */
	int open = comparison__count_changed(c, MAX_OPEN), more = 0,
	    last = c->row_cnt < MAX_MARKDOWN_ROWS ? c->row_cnt : MAX_MARKDOWN_ROWS;

	fprintf(out, "### %s bprof: %s\n\n", marks[c->verdict],
		comparison__headline(c, headline, sizeof(headline)));
	print_markdown_table(c, o, 0, open, out);
	for (int i = open; i < c->row_cnt; i++)
		more += c->row[i].verdict != VERDICT_SAME;
	if (more)
		fprintf(out, "and %d more that are not the same, in the details\n\n", more);
	print_reason_list(c, out);
	fprintf(out, "<details><summary>Details</summary>\n\n");
	print_markdown_table(c, o, open, last, out);
	if (last < c->row_cnt)
		fprintf(out, "and %d more, too many for a comment\n\n", c->row_cnt - last);
	print_sizes(c, out);
	print_note_list(c, o, out);
	fputs("\n</details>\n", out);
}
