/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the text report (report_text.c, report_columns.c, report_dist.c, report_hist.c,
 * report_notes.c, report_samples.c, report_scope.c, report_size.c, report_tree.c) share. For them only.
 */
#ifndef BPROF_REPORT_PRIV_H
#define BPROF_REPORT_PRIV_H

#include "report/report.h"

struct table;

/*
 * "process 123 (nginx)", "cgroup /user.slice", "system". Not made printable. The caller frees it;
 * NULL: out of memory.
 */
char *report_scope__label(const struct report_scope *s);

/* Is it the first block of several, or the only one? What stays the same is said once. */
static inline bool render_opts__is_first(const struct render_opts *o)
{
	return !o->interval || o->header;
}

#define UNIT_SZ 64
/* What stands behind an event's name where its values have no unit beside them: " (ns)", or "".
 * Returns buf, of UNIT_SZ bytes. */
const char *report_event__unit_suffix(const struct report_event *ev, char *buf);

/*
 * The columns for events and metrics at the end of a table: of all the rows that were noted, in order
 * of appearance. Begins zeroed.
 */
struct event_columns {
	const char **name; /* of each event; the report's */
	int cnt;
	__u64 metrics; /* bit i: some row has both events of metrics[i] */
	bool changed;  /* some event is compared with another version's */
	bool repeated; /* some event has a variation over repeats */
	int err;       /* -ENOMEM: not all have a column */
};
void event_columns__note(struct event_columns *c, const struct report_row *row);
/* suffix stands behind each event's name: "/run" */
void event_columns__add_headers(const struct event_columns *c, struct table *t, const char *suffix);
void event_columns__add_cells(const struct event_columns *c, struct table *t,
			      const struct report_row *row);
void event_columns__free(struct event_columns *c);

/*
 * The parts below the table of programs, each with an empty line before it, or nothing where
 * there is nothing to say. 0 or -ENOMEM.
 */
/* The table of scopes, which is the first one where there are no programs. */
int report__print_scopes(const struct report *r, const struct render_opts *o, FILE *out);
/* The second table: per program and event, how its runs are spread, and how it was counted. */
bool report__has_dist(const struct report *r, const struct render_opts *o);
int report__print_dist(const struct report *r, const struct render_opts *o, FILE *out);
/* How large the programs are. */
int report__print_sizes(const struct report *r, const struct render_opts *o, FILE *out);
/* The call trees, where several functions of a program were measured. */
bool report__has_tree(const struct report *r);
int report__print_tree(const struct report *r, const struct render_opts *o, FILE *out);
/* A drawing of each event's buckets. */
int report__print_hist(const struct report *r, const struct render_opts *o, FILE *out);
/* What was estimated from samples, and from how many. */
bool report__has_estimates(const struct report *r);
int report__print_samples(const struct report *r, const struct render_opts *o, FILE *out);
/* The footers. */
int report__print_notes(const struct report *r, const struct render_opts *o, FILE *out);

#endif
