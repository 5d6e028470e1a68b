/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands. Each has a file cmd_<name>.c and a row in COMMANDS.
 */
#ifndef BPROF_COMMAND_H
#define BPROF_COMMAND_H

#include <stdio.h>

#include "base/exit_status.h"
#include "options/options.h"

/*
 * The commands in the order of "bprof help": X(name, title). title is a headline in that help. Each
 * command has a function cmd_NAME() and a struct command_spec NAME_spec.
 */
#define COMMANDS(X)                            \
	X(list, "See what is loaded")          \
	X(watch, "See what is loaded")         \
	X(stat, "Measure loaded programs")     \
	X(top, "Measure loaded programs")      \
	X(trace, "Measure loaded programs")    \
	X(record, "Measure loaded programs")   \
	X(annotate, "Measure loaded programs") \
	X(export, "Measure loaded programs")   \
	X(bench, "Compare versions")           \
	X(diff, "Compare versions")            \
	X(history, "Compare versions")         \
	X(report, "Other")                     \
	X(system, "Other")                     \
	X(doctor, "Other")                     \
	X(help, "Other")                       \
	X(version, "Other")

/*
 * cmd_NAME() gets the arguments of bprof, parses its options, runs the command and returns an exit
 * status. argv[1] is the command's name, which may be missing for stat. NAME_spec has the command's
 * options and its texts in --help and man pages.
 */
#define DECLARE(name, ...)                     \
	int cmd_##name(int argc, char **argv); \
	extern const struct command_spec name##_spec;
COMMANDS(DECLARE)
#undef DECLARE

struct command {
	const char *title;
	const struct command_spec *spec;
	int (*run)(int argc, char **argv);
};

extern const struct command commands[];
extern const int command_cnt;
/* Returns the command of that name. If there is none, reports it and returns NULL. */
const struct command *command__find(const char *name);

/* Hidden commands: the scripts in completion/ and scripts/man call them. */
int cmd_complete(int argc, char **argv);
int cmd_man(int argc, char **argv);

/* Prints the list of commands. */
void help__print_usage(FILE *out);

#endif
