/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared only by the files that show reports to people: as text (report_text.c, report_columns.c,
 * report_dist.c, report_hist.c, report_notes.c, report_order.c, report_samples.c, report_scope.c,
 * report_size.c, report_tree.c, report_path_table.c, report_verify_table.c), as HTML
 * (report_html.c, report_charts.c) and on a timeline (report_trace_event.c).
 */
#ifndef BPROF_REPORT_PRIV_H
#define BPROF_REPORT_PRIV_H

#include "base/table.h"
#include "report/report.h"
#include "report/report_per.h"

struct html;
struct table;

/*
 * Returns the name of a scope: "process 123 (nginx)", "cgroup /user.slice" or "system". It may
 * contain unprintable characters. The caller frees it.
 */
char *report_scope__label(const struct report_scope *s);

/*
 * Returns true for a single report and for the first interval of -I. Only these print the parts
 * that never change.
 */
static inline bool render_opts__is_first(const struct render_opts *o)
{
	return !o->interval || o->header;
}

#define UNIT_SZ 64
/*
 * Writes the suffix of an event's name to buf, which says the unit of its values: " (Joules)". The
 * suffix is "" if the event has no unit, and for times, whose values are shown with units. buf has
 * UNIT_SZ bytes. Returns buf.
 */
const char *report_event__unit_suffix(const struct report_event *ev, char *buf);

/*
 * The last columns of a table with a line for each event: the event's name, its value, P99 and
 * similar statistics, and its metric, such as IPC. event_columns__note() adds the columns that a
 * row needs. Initialise to zero.
 */
struct event_columns {
	unsigned int shown; /* bit i: column i is shown */
};
void event_columns__note(struct event_columns *c, const struct report_row *row);
void event_columns__add_cols(const struct event_columns *c, struct table *t);
void event_columns__add_cells(const struct event_columns *c, struct table *t,
			      const struct report_row *row, const struct report_event *ev);
/* Returns true if another report of the same measurement may need different columns. */
bool event_columns__may_change(const struct event_columns *c);
/* Sets the header of the column for the keys of --by. */
void report_key__set_col(const struct report *r, struct table_col *col);
/*
 * Writes the line that says how long the measurement was, and on which machine. In a series (-I),
 * the line says when the interval ended.
 */
void report__print_summary(const struct report *r, const struct render_opts *o, FILE *out);

/* One of the tables of a report. */
struct report_table {
	struct table *table; /* NULL: the report does not need the table */
	char title[160];     /* what the table shows */
	/*
	 * Text output prints the line of headers. False in intervals of -I in which it is the same as before.
	 */
	bool header;
};
/* Makes a table, which the caller frees. *out is zero before the call. */
typedef void report_table_fn(const struct report *r, const struct render_opts *o,
			     struct report_table *out);
report_table_fn report__make_progs;  /* the programs, with a line for each event */
report_table_fn report__make_scopes; /* the scopes, with a line for each event */
/*
 * For each function of a call tree and each event: the cost of a call, and the part of it that is
 * the function's own
 */
report_table_fn report__make_tree;
/*
 * For each program and event: the cost per run of one program (--per), and the total of these costs
 */
report_table_fn report__make_path;
report_table_fn report__make_verify; /* the means at the rates of stat --verify */
/*
 * Makes the table of the next struct_ops map: the cost per second of each operation, and of all
 * together. *at is -1 for the first map. Returns false if there is no further map.
 */
bool report__make_ops(const struct report *r, int *at, struct report_table *out);
/* For each program and event: how the costs of the runs vary, and how the event was counted */
report_table_fn report__make_dist;
report_table_fn report__make_estimates; /* the totals that were estimated from samples */
report_table_fn report__make_sizes;	/* the sizes of the programs */

/* These functions return true if the report has that table. */
bool report__has_dist(const struct report *r, const struct render_opts *o);
bool report__has_tree(const struct report *r);
bool report__has_ops(const struct report *r);
bool report__has_estimates(const struct report *r);

/*
 * These functions print the other parts. A part begins with an empty line. A part without contents
 * prints nothing.
 */
/* Prints a histogram of each event. */
void report__print_hist(const struct report *r, const struct render_opts *o, FILE *out);
/* Prints the number of samples, how many samples were lost, and how much sampling cost. */
void report__print_samples(const struct report *r, const struct render_opts *o, FILE *out);
/*
 * Merges the buckets of an event into at most HIST_BARS bars. Each bar has one or more whole
 * buckets. Returns the number of bars.
 */
#define HIST_BARS 20
int report_event__merge_buckets(const struct report_event *ev, struct report_bucket *bar);
/* Returns true if the gap before bar i is wide enough to be shown. */
bool report_hist__is_gap(const struct report_bucket *bar, int cnt, int i);
/* Makes the table of these bars, which the caller frees. */
struct table *report_event__make_hist(const struct report_event *ev);
/*
 * Returns the names of the programs that are not in the total for this reason, or NULL. The caller
 * frees the string.
 */
char *report__name_left_out(const struct report *r, const struct per_table *t,
			    enum per_left_out why);
/* Prints the notes at the end. */
void report__print_notes(const struct report *r, const struct render_opts *o, FILE *out);

/* report__write_charts() writes the charts of all events that have a distribution or blocks. HTML only. */
bool report__has_charts(const struct report *r);
void report__write_charts(const struct report *r, const struct render_opts *o, struct html *h);

/* Returns true if no program has a value in this column of --sort. */
bool report_order__is_unknown(const struct report *r, const char *column);

#endif
