/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof history add: appends reports to a history.
 */
#ifndef BPROF_HISTORY_ADD_H
#define BPROF_HISTORY_ADD_H

struct command_spec;

extern const struct command_spec history_add_spec;

/* Runs the command. Returns bprof's exit status. */
int history_add__run(int argc, char **argv);

#endif
