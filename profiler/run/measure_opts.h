/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that measures: which events to count on which CPUs, for how long
 * and how often, and what the report shows. The command's tables of options include the rows below.
 */
#ifndef BPROF_MEASURE_OPTS_H
#define BPROF_MEASURE_OPTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "btf/run_key.h"
#include "event/event.h"
#include "host/cpus.h"
#include "options/options.h"
#include "report/report_sum.h"
#include "run/loop.h"
#include "run/order_opts.h"
#include "run/output_opts.h"

struct measure_opts {
	struct output_opts output;
	struct event_list events;
	struct cpus cpus; /* CPUs of -C; empty: all online CPUs */
	bool list_events, per_cpu, all_cpus;
	bool dist;	  /* also show the table of distributions */
	enum run_key by;  /* the key by which --by divides runs */
	bool by_site;	  /* one row for each place where a kernel function is called */
	enum sum_key sum; /* add up programs that have this in common; SUM_NONE: add up nothing */
	struct order_opts order;
	bool totals; /* with -I: also write a report of all intervals at the end */
	/*
	 * measure__run() copies these options, and sets the members "progress" and "again" of the
	 * copy.
	 */
	struct loop_opts loop;
	__u64 repeat; /* number of measurements; 0: one */
};

/* The options that select events. */
extern const struct option_row event_rows[];
/* The options for CPUs and time, except for -a, whose meaning differs between commands. */
extern const struct option_row span_rows[];
/* The options for intervals and repeats, and for how their results are combined. */
extern const struct option_row measure_rows[];
/*
 * Handles --by, which divides runs by a key, such as the return value, or calls by the place of the
 * call. Each command has its own row for it, because the keys and the output that shows them
 * differ.
 */
int measure_opts__set_by(void *options, const struct option_row *row, const char *arg);
/* The option that adds up programs, for commands that show a row for each program. */
extern const struct option_row sum_rows[];
/* Handles --sum. */
int measure_opts__set_sum(void *options, const struct option_row *row, const char *arg);
/* Parses the argument of --sum into *key. Returns 0 or -EINVAL (reported). */
int sum_opts__parse(const char *arg, enum sum_key *key);

/* The options on a COMMAND, for commands that run one. They set members of struct loop_opts. */
extern const struct option_row command_rows[];
/* The option that keeps capabilities. It sets a member of struct loop_opts. */
extern const struct option_row privilege_rows[];

/* Refuses options on a COMMAND if no COMMAND is given. Returns 0 or -EINVAL (reported). */
int measure_opts__check_loop(const struct loop_opts *o);

/* Frees what the parsing of the options allocated, even if it failed. */
void measure_opts__free(struct measure_opts *o);

/* Refuses options that cannot be combined. Returns 0 or -EINVAL (reported). */
int measure_opts__check(const struct measure_opts *o);

/*
 * Refuses a format in which the report cannot be written: the document "series" with -I, otherwise
 * the document "single". Returns 0 or -EINVAL (reported).
 */
int measure_opts__check_format(const struct measure_opts *o, enum document single,
			       enum document series);

/*
 * Returns true if the command must end now: because of --help, of an error, or of --list-events,
 * whose list this function prints. err is what parsing the options returned. If the command must
 * end, *status is the exit status. If the command goes on, *status is EXIT_USAGE.
 */
bool measure_opts__ends(const struct measure_opts *o, int err, int *status);
/*
 * Writes the list of --list-events: the events whose names contain *pattern, the first argument
 * after the options. If pattern is NULL, there is no argument, and all events are listed. Returns
 * an exit status.
 */
int measure_opts__list_events(const struct measure_opts *o, const char *const *pattern);

#endif
