// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parts of a command's man page that come from its tables, in the mdoc language. Owns the
 * escaping of texts. scripts/man inserts the parts into the rest of the page.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "options/options.h"

/* Returns the escape of a character that man(1) would change or take for a command. */
static const char *escape_for_man(char c)
{
	switch (c) {
	case '-':
		return "\\-";
	case '\\':
		return "\\e";
	case '\'':
		return "\\(aq";
	case '`':
		return "\\(ga";
	case '^':
		return "\\(ha";
	case '~':
		return "\\(ti";
	}
	return NULL;
}

/*
 * Prints the text. is_filled: mdoc joins and fills the lines. Then begins each sentence on a new
 * line, as mdoc requires.
 */
static void print_text(FILE *out, const char *text, bool is_filled)
{
	bool begins = true; /* true at the beginning of a line, where '.' would begin a request */

	for (; *text; text++) {
		const char *escaped = escape_for_man(*text);

		if (begins && *text == '.')
			fputs("\\&", out);
		begins = *text == '\n';
		if (escaped)
			fputs(escaped, out);
		else
			fputc(*text, out);
		if (is_filled && !strncmp(text, ". ", 2) &&
		    (isupper(text[2]) || ispunct(text[2]))) {
			fputc('\n', out);
			begins = true;
			text++;
		}
	}
	fputc('\n', out);
}

void man__print_text(FILE *out, const char *text)
{
	print_text(out, text, true);
}

/* Prints paragraphs that are separated by '\n'. */
static void print_paragraphs(FILE *out, const char *text)
{
	while (*text) {
		int len = strcspn(text, "\n");
		char *paragraph = xstrndup(text, len);

		fputs(".Pp\n", out);
		man__print_text(out, paragraph);
		free(paragraph);
		text += len + (text[len] == '\n');
	}
}

static void print_synopsis(const struct command_spec *spec, FILE *out)
{
	fprintf(out, ".Nm bprof %s\n", spec->name);
	man__print_text(out, spec->synopsis);
}

static void print_option(const struct option_row *row, FILE *out)
{
	char item[160];

	fputs(".It ", out);
	if (row->letter)
		fprintf(out, "Fl %c , ", row->letter);
	snprintf(item, sizeof(item), "Fl Fl %s%s%s", row->name, row->arg ? " Ar " : "",
		 row->arg ? row->arg : "");
	man__print_text(out, item);
	man__print_text(out, row->help);
}

/* Prints the options of a command. group: the mdoc request for the title of a group, such as ".Ss". */
static void print_option_groups(const struct command_spec *spec, const char *group, FILE *out)
{
	struct option_rows rows;
	const char *title = NULL;

	option_rows__join(&rows, spec);
	for (int i = 0; i < rows.cnt; i++) {
		if (!option_row__is_shown(&rows.v[i]))
			continue;
		if (!title || strcmp(title, rows.table[i]->title)) {
			fputs(title ? ".El\n" : "", out);
			title = rows.table[i]->title;
			fprintf(out, "%s%s\n.Bl -tag -width Ds\n", group, title);
		}
		print_option(&rows.v[i], out);
	}
	fputs(".El\n", out);
}

static void print_man_options(const struct command_spec *spec, FILE *out)
{
	fputs("@OPTIONS@\n", out);
	if (!spec->subs) {
		fputs(".Sh OPTIONS\n", out);
		print_option_groups(spec, ".Ss ", out);
		return;
	}
	fputs(".Sh COMMANDS\n", out);
	for (int i = 0; spec->subs[i]; i++) {
		fprintf(out, ".Ss bprof %s\n", spec->subs[i]->name);
		man__print_text(out, spec->subs[i]->summary);
		if (spec->subs[i]->notes)
			print_paragraphs(out, spec->subs[i]->notes);
		print_option_groups(spec->subs[i], ".Pp\n.Em ", out);
	}
}

void command_spec__print_man(const struct command_spec *spec, FILE *out)
{
	fprintf(out, "@NAME@\n.Sh NAME\n.Nm bprof-%s\n.Nd ", spec->name);
	man__print_text(out, spec->brief);
	fputs(".Sh SYNOPSIS\n", out);
	if (!spec->subs)
		print_synopsis(spec, out);
	for (int i = 0; spec->subs && spec->subs[i]; i++)
		print_synopsis(spec->subs[i], out);
	fputs(".Sh DESCRIPTION\n", out);
	man__print_text(out, spec->summary);
	if (spec->notes)
		print_paragraphs(out, spec->notes);
	print_man_options(spec, out);
	fputs("@EXIT_STATUS@\n.Sh EXIT STATUS\n", out);
	man__print_text(out,
			spec->exit_status ? spec->exit_status : "0 done, 1 failed, 2 wrong usage.");
	if (spec->print_man)
		spec->print_man(out);
	if (!spec->examples)
		return;
	fputs("@EXAMPLES@\n.Sh EXAMPLES\n.Bd -literal -offset indent\n", out);
	print_text(out, spec->examples, false);
	fputs(".Ed\n", out);
}
