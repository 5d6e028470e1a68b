// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A comparison as text for a terminal. Owns the order of the parts; must not know the contents of
 * cells.
 */

#include "base/output.h"
#include "base/table.h"
#include "base/text.h"
#include "render/compare_render.h"
#include "render/render.h"

/* Prints the table and frees it. */
static void print_text_table(struct table *t, const struct compare_render_opts *o, FILE *out)
{
	table__print(t, out, true, &o->screen);
	table__free(t);
}

static void print_reason_line(FILE *out, const char *head, const char *text)
{
	fputs(head, out);
	text__put(out, text__printable(text));
	fputc('\n', out);
}

void comparison__print_reasons(const struct comparison *c, FILE *out)
{
	const struct compare_row *row;
	int more;

	for (int i = 0; comparison__reason(c, i, &row, &more); i++) {
		char where[COMPARE_WHERE_SZ], line[sizeof(where) + 900], others[32] = "";

		if (more)
			snprintf(others, sizeof(others), " and %d more", more);
		snprintf(line, sizeof(line), "%s %.500s %s%s: %s", compare_row__where(row, where),
			 row->event, compare_stats[row->stat].name, others, row->why);
		print_reason_line(out, i ? "" : "\n", line);
	}
}

void comparison__print_notes(const struct comparison *c, FILE *out)
{
	char text[COMPARE_NOTE_SZ];

	for (int i = 0; comparison__note(c, i, text, sizeof(text)); i++)
		print_reason_line(out, i ? "note: " : "\nnote: ", text);
	if (c->tests)
		fprintf(out,
			"\nBASE, NEW: %s; CHANGE: their difference\n"
			"P: %s, with Holm's correction for %d comparison%s\n",
			basis_specs[c->basis].values, basis_specs[c->basis].test, c->tests,
			c->tests == 1 ? "" : "s");
}

void comparison__render_text(const struct comparison *c, const struct compare_render_opts *o,
			     FILE *out)
{
	char headline[160];
	struct draft d;

	draft__begin(&d);
	fprintf(d.mem, "%s\n", comparison__headline(c, headline, sizeof(headline)));
	if (c->row_cnt) {
		fputc('\n', d.mem);
		print_text_table(comparison__make_table(c, o, 0, c->row_cnt), o, d.mem);
	}
	comparison__print_reasons(c, d.mem);
	if (comparison__known_sizes(c)) {
		fputc('\n', d.mem);
		print_text_table(comparison__make_sizes(c), o, d.mem);
	}
	comparison__print_notes(c, d.mem);
	draft__fold(&d, o->screen.width, out);
}
