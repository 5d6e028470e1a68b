/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Renders reports and comparisons in all formats but JSON. Their models in report/ and compare/
 * write and read JSON. Each format has its own file.
 */
#ifndef BPROF_RENDER_H
#define BPROF_RENDER_H

#include "compare/compare.h"
#include "report/report.h"

report_render_fn report__render_text;
report_render_fn report__render_csv;
report_render_fn report__render_tsv;
report_render_fn report__render_benchfmt;
report_render_fn report__render_pprof;
report_render_fn report__render_html;
/* Can render only a series of reports (-I), not a single report. */
report_render_fn report__render_trace_event;

comparison_render_fn comparison__render_text;
comparison_render_fn comparison__render_markdown;
comparison_render_fn comparison__render_junit;
comparison_render_fn comparison__render_html;

/* Returns NULL if the string can separate the fields of CSV. Otherwise returns why it cannot. */
const char *report_csv__check_sep(const char *sep);

/* Returns the i-th column by which programs can be sorted, or NULL. */
const char *report_order__column(int i);
/*
 * Returns the number by which --sort COLUMN sorts the program whose first row is p; NaN if it is
 * not known. The column must contain numbers.
 */
double report_order__key(const struct report *r, const char *column, const struct report_prog *p);
/*
 * Makes *ordered from the programs of r that o selects, in the order of o->sort. Sets *hidden to
 * the number of the other programs. Everything in *ordered belongs to r, except for ordered->prog,
 * which the caller frees.
 */
void report__order(const struct report *r, const struct render_opts *o, struct report *ordered,
		   int *hidden);

/* Adds a cell with a statistic of the event, or with "-" if it is not known. */
void report_event__add_stat(const struct report_event *ev, enum stat_id id, struct table *t);
/* Returns true if the event has a known value of the statistic. */
bool report_event__has_stat(const struct report_event *ev, enum stat_id id);

/* Renders c to out and flushes out. Returns 0 or the error of out (-ENOSPC, ...). */
int comparison__render(const struct comparison *c, comparison_render_fn *render,
		       const struct compare_render_opts *o, FILE *out);
/*
 * Writes note i on the comparison to text. The differences between the reports are the first notes.
 * A note has no full stop and may contain unprintable characters. Returns false if there are fewer
 * notes.
 */
bool comparison__note(const struct comparison *c, int i, char *text, size_t sz);
#define COMPARE_NOTE_SZ 2048
/*
 * Writes "worse: 1 worse, 2 inconclusive, 5 same" to buf, for which 160 bytes are enough. Returns
 * buf.
 */
const char *comparison__headline(const struct comparison *c, char *buf, size_t sz);

#endif
