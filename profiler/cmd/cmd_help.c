// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof help: the list of commands, or the help of one command; bprof version. Owns the layout of
 * the list; must not know what a command does.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/build_info.h"
#include "base/log.h"
#include "base/text.h"
#include "run/command.h"

#define WIDTH 80
/* The column in which the commands' descriptions begin. */
#define TEXT_COLUMN 12

void help__print_usage(FILE *out)
{
	const char *title = "";

	fputs("Usage: bprof [stat] TARGETS [OPTIONS] [-- COMMAND [ARG...]]\n"
	      "       bprof COMMAND [OPTIONS]\n\n",
	      out);
	text__wrap(
		out,
		"Measures BPF programs that are loaded in the running kernel: what one "
		"invocation costs, which part of the program costs most, and how versions differ. "
		"Measuring needs root: use sudo.",
		0, WIDTH);
	for (int i = 0; i < command_cnt; i++) {
		const struct command *c = &commands[i];

		if (strcmp(title, c->title)) {
			title = c->title;
			fprintf(out, "\n%s:\n", title);
		}
		fprintf(out, "  %-*s", TEXT_COLUMN - 2, c->spec->name);
		text__wrap(out, c->spec->brief, TEXT_COLUMN, WIDTH);
	}
	fputs("\nExamples:\n"
	      "  sudo bprof list\n"
	      "  sudo bprof --prog-id 42,57 -e cycles,instructions\n"
	      "  sudo bprof --name 'xdp_*' -- ping -c 100 -i 0.01 10.0.0.2\n"
	      "\n'bprof help COMMAND' shows the options of a command.\n",
	      out);
}

const struct command_spec help_spec = {
	.name = "help",
	.brief = "show the commands, or the options of one command",
	.synopsis = "[COMMAND]",
	.summary = "Shows the commands of bprof, or the options of COMMAND, as bprof COMMAND "
		   "--help does.",
	.operand = ARG_COMMAND,
};

/* Finds the command that the arguments name. Reports an error if there is no such command. */
static const struct command_spec *find_spec(char **words)
{
	const struct command *c = command__find(words[0]);
	const struct command_spec *spec = c ? c->spec : NULL;
	int sub;

	if (spec && spec->subs && words[1]) {
		sub = command_spec__find_sub(spec, words[1]);
		spec = sub < 0 ? NULL : spec->subs[sub];
		words++;
	}
	if (spec && words[1]) {
		log_err(0, "help: '%s': give one command", words[1]);
		return NULL;
	}
	return spec;
}

int cmd_help(int argc, char **argv)
{
	const struct command_spec *spec = NULL;
	char **rest;
	int err = options__parse(&help_spec, NULL, argc, argv, &rest);

	if (!err && rest) {
		spec = find_spec(rest);
		err = spec ? 0 : -EINVAL;
	}
	if (err)
		return exit_status__of_options(err);
	if (spec)
		command_spec__print_help(spec, stdout);
	else
		help__print_usage(stdout);
	return EXIT_DONE;
}

const struct command_spec version_spec = {
	.name = "version",
	.brief = "show the versions of bprof and its libraries",
	.synopsis = "[OPTIONS]",
	.summary = "Shows the versions of bprof and libbpf, and which library disassembles JITed "
		   "code, as -V does.",
};

int cmd_version(int argc, char **argv)
{
	char **rest;
	int err = options__parse(&version_spec, NULL, argc, argv, &rest);

	if (!err && rest)
		err = log_err(-EINVAL, "version: '%s': takes no argument", *rest);
	if (err)
		return exit_status__of_options(err);
	build_info__print(stdout);
	return EXIT_DONE;
}
