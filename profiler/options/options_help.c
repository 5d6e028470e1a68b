// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints the help of a command. Owns its layout: the groups of options, and lines of at most 80
 * columns. Must not know any command.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "options/options.h"

#define WIDTH 80
/* The column in which the help texts of options begin. */
#define TEXT_COLUMN 29

static void print_option_help(const struct option_row *row, FILE *out)
{
	char letter[] = {'-', row->letter, ',', '\0'};
	int at = fprintf(out, "  %3s --%s%s%s", row->letter ? letter : "", row->name,
			 row->arg ? " " : "", row->arg ? row->arg : "");

	/* An option that is too long for the column has a line of its own. */
	if (at + 2 > TEXT_COLUMN) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", TEXT_COLUMN - at, "");
	text__wrap(out, row->help, TEXT_COLUMN, WIDTH);
}

static void print_options(const struct command_spec *spec, FILE *out)
{
	struct option_rows rows;
	const char *title = "";

	option_rows__join(&rows, spec);
	for (int i = 0; i < rows.cnt; i++) {
		if (!option_row__is_shown(&rows.v[i]))
			continue;
		if (strcmp(title, rows.table[i]->title)) {
			title = rows.table[i]->title;
			fprintf(out, "\n%s:\n", title);
		}
		print_option_help(&rows.v[i], out);
	}
}

static void print_subs(const struct command_spec *spec, FILE *out)
{
	int width = 0;

	for (int i = 0; spec->subs[i]; i++) {
		int len = strlen(command_spec__word(spec->subs[i]));

		width = len > width ? len : width;
	}
	fputs("\nCommands:\n", out);
	for (int i = 0; spec->subs[i]; i++) {
		fprintf(out, "  %-*s  ", width, command_spec__word(spec->subs[i]));
		text__wrap(out, spec->subs[i]->brief, width + 4, WIDTH);
	}
	fprintf(out, "\n'bprof %s COMMAND --help' shows the options of a command.\n", spec->name);
}

void command_spec__print_help(const struct command_spec *spec, FILE *out)
{
	fprintf(out, "Usage: bprof %s %s\n\n", spec->name, spec->synopsis);
	text__wrap(out, spec->summary, 0, WIDTH);
	if (spec->subs)
		print_subs(spec, out);
	else
		print_options(spec, out);
	fputs(spec->examples ? "\nExamples:\n" : "", out);
	for (const char *line = spec->examples; line && *line;) {
		int len = strcspn(line, "\n");

		fprintf(out, "  %.*s\n", len, line);
		line += len + (line[len] == '\n');
	}
	if (spec->notes) {
		fputc('\n', out);
		text__wrap(out, spec->notes, 0, WIDTH);
	}
	if (spec->exit_status) {
		fputs("\nExit status: ", out);
		text__wrap(out, spec->exit_status, strlen("Exit status: "), WIDTH);
	}
}
