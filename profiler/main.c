// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The commands' table: finds the one that is meant and passes its status on.
 */
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "log.h"
#include "util.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"stat", cmd_stat, "measure what one invocation of a program costs (the default)"},
	{"list", cmd_list, "show the loaded programs and whether they can be measured"},
	{"doctor", cmd_doctor, "show what works on this machine, and what to do about the rest"},
};

static void print_usage(FILE *out)
{
	fprintf(out, "Usage: bprof [COMMAND] [OPTIONS]\n"
		     "       bprof --prog-id 42,57 -e cycles,instructions\n\n"
		     "Measures BPF programs that are loaded in the running kernel.\n\nCommands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n'bprof COMMAND --help' shows a command's options.\n");
}

static bool is_one_of(const char *arg, const char *a, const char *b)
{
	return !strcmp(arg, a) || !strcmp(arg, b);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (argc == 2 && is_one_of(argv[1], "--help", "-h")) {
		print_usage(stdout);
		return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (argv[1][0] == '-')
		return cmd_stat(argc, argv);
	log_err(0, "%s: no such command; 'bprof --help' lists them", argv[1]);
	return EXIT_USAGE;
}
