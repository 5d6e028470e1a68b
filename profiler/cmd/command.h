/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands. Each has a file cmd_<name>.c and a row in main.c's table.
 */
#ifndef BPROF_COMMAND_H
#define BPROF_COMMAND_H

#include <stdio.h>

#include "base/exit_status.h"
#include "options/options.h"

/*
 * Each function gets the arguments of bprof, parses its options, runs the command and returns an
 * exit status. argv[1] is the command's name, which may be missing for stat.
 */
int cmd_stat(int argc, char **argv);
int cmd_system(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);
/* These are hidden: the scripts in completion/ and scripts/man call them. */
int cmd_complete(int argc, char **argv);
int cmd_man(int argc, char **argv);

/* The options of the commands, and their texts in --help and the man pages. */
extern const struct command_spec stat_spec, top_spec, list_spec, watch_spec, doctor_spec, diff_spec,
	history_spec, report_spec, trace_spec, record_spec, annotate_spec, export_spec, help_spec,
	version_spec;

struct command {
	const char *title; /* the task it is for, as a headline in the list of commands */
	const struct command_spec *spec;
	int (*run)(int argc, char **argv);
};

extern const struct command commands[];
extern const int command_cnt;
/* Returns the command of that name. If there is none, reports it and returns NULL. */
const struct command *command__find(const char *name);

/* Prints the list of commands. */
void help__print_usage(FILE *out);

#endif
