/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that measures: what is counted on which CPUs, for how long and how
 * often, and what the report shows. struct measure_opts is the first member of the command's
 * options, and the rows are among its tables.
 */
#ifndef BPROF_MEASURE_OPTS_H
#define BPROF_MEASURE_OPTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/options.h"
#include "cmd/common/loop.h"
#include "cmd/common/output_opts.h"
#include "event/event.h"
#include "kernel/cpus.h"

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
/* How often, and how the results are combined. */
extern const struct option_row measure_rows[];

/*
 * Parses the command line into the command's options, which begin with o and are zeroed, and sets
 * the log level. As options__parse(): 0; 1: --help or --version was printed; -errno: a wrong
 * option, already reported. The caller frees o with measure_opts__free(), whatever this returns.
 */
int measure_opts__parse(const struct command_spec *spec, struct measure_opts *o, int argc,
			char **argv);
void measure_opts__free(struct measure_opts *o);

/* Adds the events of an -e. 0 or -errno (reported). */
int measure_opts__add_events(struct measure_opts *o, const char *arg);
/* Refuses options that cannot be combined. 0 or -EINVAL (reported). */
int measure_opts__check(const struct measure_opts *o);

/*
 * True if the command ends after measure_opts__parse(), which returned err: after --help, an
 * error, or --list-events, which this prints. *status is the exit status then, and EXIT_USAGE if
 * the command goes on.
 */
bool measure_opts__ends(const struct measure_opts *o, int err, int *status);
/* Prints what --list-events shows. 0 or -errno (reported). */
int measure_opts__print_events(void);

#endif
