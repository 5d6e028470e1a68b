/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared only by the files of the text report (report_text.c, report_columns.c, report_dist.c,
 * report_hist.c, report_notes.c, report_samples.c, report_scope.c, report_size.c, report_tree.c).
 */
#ifndef BPROF_REPORT_PRIV_H
#define BPROF_REPORT_PRIV_H

#include "report/report.h"

struct table;

/*
 * Returns "process 123 (nginx)", "cgroup /user.slice" or "system", not made printable, which the
 * caller frees. NULL: out of memory.
 */
char *report_scope__label(const struct report_scope *s);

/*
 * Returns true if what never changes is to be printed: in all cases except the second and later
 * intervals of -I.
 */
static inline bool render_opts__is_first(const struct render_opts *o)
{
	return !o->interval || o->header;
}

#define UNIT_SZ 64
/*
 * Writes the suffix of an event's name, for tables that show no unit beside the values: " (ns)", or
 * "". buf has UNIT_SZ bytes. Returns buf.
 */
const char *report_event__unit_suffix(const struct report_event *ev, char *buf);

/*
 * The columns for events and metrics at the end of a table. event_columns__note() adds the columns
 * that a row needs. Initialise to zero.
 */
struct event_columns {
	const char **name; /* the name of each event, owned by the report */
	int cnt;
	__u64 metrics; /* bit i: at least one row has both events of metrics[i] */
	bool changed;  /* at least one event has a change from another version */
	bool repeated; /* at least one event has a variation over repeats */
	int err;       /* -ENOMEM if an event has no column for lack of memory */
};
void event_columns__note(struct event_columns *c, const struct report_row *row);
/* Adds the headers. suffix follows each event's name: "/run". */
void event_columns__add_headers(const struct event_columns *c, struct table *t, const char *suffix);
void event_columns__add_cells(const struct event_columns *c, struct table *t,
			      const struct report_row *row);
void event_columns__free(struct event_columns *c);

/*
 * The parts below the table of programs. A part prints an empty line first, or nothing if the part
 * is empty. Return 0 or -ENOMEM.
 */
/* Prints the table of scopes, which is the first table if there are no programs. */
int report__print_scopes(const struct report *r, const struct render_opts *o, FILE *out);
/*
 * Prints the table of distributions, a line per program and event: the spread of the runs' costs,
 * and how the event was counted.
 */
bool report__has_dist(const struct report *r, const struct render_opts *o);
int report__print_dist(const struct report *r, const struct render_opts *o, FILE *out);
/* Prints the table of the programs' sizes. */
int report__print_sizes(const struct report *r, const struct render_opts *o, FILE *out);
/* Prints the call trees of programs with several measured functions. */
bool report__has_tree(const struct report *r);
int report__print_tree(const struct report *r, const struct render_opts *o, FILE *out);
/* Prints a histogram of each event. */
int report__print_hist(const struct report *r, const struct render_opts *o, FILE *out);
/* Prints the estimates from samples, and the number of samples. */
bool report__has_estimates(const struct report *r);
int report__print_samples(const struct report *r, const struct render_opts *o, FILE *out);
/* Prints the footers. */
int report__print_notes(const struct report *r, const struct render_opts *o, FILE *out);

#endif
