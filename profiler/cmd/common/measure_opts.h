/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that measures: what is counted on which CPUs, for how long and how
 * often, and what the report is to be. They are the first member of the command's own options, and
 * their rows stand among the command's tables.
 */
#ifndef BPROF_MEASURE_OPTS_H
#define BPROF_MEASURE_OPTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "kernel/cpus.h"
#include "event/event.h"
#include "cmd/common/loop.h"
#include "base/options.h"
#include "cmd/common/output_opts.h"

struct measure_opts {
	struct output_opts output; /* the first member, as in every command */
	struct event_list events;
	struct cpus cpus; /* -C; empty: all that are online */
	bool list_events, per_cpu, all_cpus;
	bool totals; /* with -I: a report of all intervals at the end, too */
	/* Without progress, which measure.h sets, as it does fd_limit if that is zeros. */
	struct loop_opts loop;
	__u64 repeat;
};

/* What is counted. */
extern const struct option_row event_rows[];
/* Where and when; but not -a, which means something else in each command. */
extern const struct option_row span_rows[];
/* How often, and how it is put together. */
extern const struct option_row measure_rows[];

/*
 * Parses the command line into the command's options, which begin with o, zeroed, and sets the log's
 * level. As options__parse(): 0; 1: --help or --version was printed; -errno: a wrong option, already
 * reported. The caller frees o with measure_opts__free(), whatever this returns.
 */
int measure_opts__parse(const struct command_spec *spec, struct measure_opts *o, int argc,
			char **argv);
void measure_opts__free(struct measure_opts *o);

/* -e. 0 or -errno (reported). */
int measure_opts__add_events(struct measure_opts *o, const char *arg);
/* Are there combinations that make no sense? 0 or -EINVAL (reported). */
int measure_opts__check(const struct measure_opts *o);

/*
 * True if the command ends after measure_opts__parse(), which returned err: with --help, an error, or
 * --list-events, which this prints. *status: the exit status then; EXIT_USAGE where the command goes on.
 */
bool measure_opts__ends(const struct measure_opts *o, int err, int *status);
/* --list-events. 0 or -errno (reported). */
int measure_opts__print_events(void);

#endif
