/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of the text report (report_text.c, report_columns.c, report_dist.c,
 * report_hist.c, report_notes.c, report_samples.c, report_scope.c, report_size.c, report_tree.c)
 * only.
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

/* True for the only block or the first of several, which alone prints what never changes. */
static inline bool render_opts__is_first(const struct render_opts *o)
{
	return !o->interval || o->header;
}

#define UNIT_SZ 64
/*
 * The suffix of an event's name if its values have no unit beside them: " (ns)", or "". buf has
 * UNIT_SZ bytes. Returns buf.
 */
const char *report_event__unit_suffix(const struct report_event *ev, char *buf);

/*
 * The columns for events and metrics at the end of a table: those of all the rows passed to
 * event_columns__note(), in order of appearance. Starts zeroed.
 */
struct event_columns {
	const char **name; /* of each event; owned by the report */
	int cnt;
	__u64 metrics; /* bit i: some row has both events of metrics[i] */
	bool changed;  /* some event has a change from another version */
	bool repeated; /* some event has a variation over repeats */
	int err;       /* -ENOMEM: some event has no column */
};
void event_columns__note(struct event_columns *c, const struct report_row *row);
/* suffix follows each event's name: "/run" */
void event_columns__add_headers(const struct event_columns *c, struct table *t, const char *suffix);
void event_columns__add_cells(const struct event_columns *c, struct table *t,
			      const struct report_row *row);
void event_columns__free(struct event_columns *c);

/*
 * The parts below the table of programs. Each prints an empty line first, or nothing at all if it
 * has nothing to say. 0 or -ENOMEM.
 */
/* The table of scopes. It is the first table if there are no programs. */
int report__print_scopes(const struct report *r, const struct render_opts *o, FILE *out);
/*
 * The table of distributions: per program and event, the spread of its runs and how it was counted.
 */
bool report__has_dist(const struct report *r, const struct render_opts *o);
int report__print_dist(const struct report *r, const struct render_opts *o, FILE *out);
/* The sizes of the programs. */
int report__print_sizes(const struct report *r, const struct render_opts *o, FILE *out);
/* The call trees of programs with several measured functions. */
bool report__has_tree(const struct report *r);
int report__print_tree(const struct report *r, const struct render_opts *o, FILE *out);
/* A histogram of each event. */
int report__print_hist(const struct report *r, const struct render_opts *o, FILE *out);
/* The estimates from samples, and the number of samples. */
bool report__has_estimates(const struct report *r);
int report__print_samples(const struct report *r, const struct render_opts *o, FILE *out);
/* The footers. */
int report__print_notes(const struct report *r, const struct render_opts *o, FILE *out);

#endif
