/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The renderers of a history. Each returns 0, or the error of a table or a page; out is a stream in
 * memory.
 */
#ifndef BPROF_HISTORY_SHOW_H
#define BPROF_HISTORY_SHOW_H

#include "history/history_series.h"

struct history_show_opts {
	struct screen screen; /* text only */
	int verbose;	      /* text only: also the smallest and the largest block, and p */
	bool one_line;	      /* print the JSON document on one line */
};

/* Renders the history as text: a line for each commit, and for each change between commits. */
void history_all__render_text(const struct history_all *all, const struct history_show_opts *o,
			      FILE *out);
void history_all__render_json(const struct history_all *all, const struct history_show_opts *o,
			      FILE *out);
/* Renders the history as an HTML page with a chart of each series. */
void history_all__render_html(const struct history_all *all, const struct history_show_opts *o,
			      FILE *out);

/* A change, with the medians of the segments before and after it. */
struct history_change {
	const struct history_point *point; /* the first point after the change */
	double before, after;
	double share; /* (after - before) / before; infinite if before is 0 */
	double p;     /* NaN: exact */
};
void history_series__change(const struct history_series *s, int i, struct history_change *out);
/* Writes "+50 (+10.0%)" to buf of CHANGE_SZ bytes. Returns buf. */
const char *history_change__format(const struct history_series *s, const struct history_change *c,
				   char *buf);
/* Writes the value with its unit to buf of QUANTITY_SZ bytes. Returns buf. */
const char *history_series__format(const struct history_series *s, double v, char *buf);
/* Writes "3 changes in 500 commits on 6.12.90 aarch64" to buf of HISTORY_FACTS_SZ bytes. */
#define HISTORY_FACTS_SZ 600
const char *history_series__facts(const struct history_series *s, char *buf);
/*
 * Writes note i to buf of sz bytes. A note says, for example, how many points a later measurement
 * replaced. Returns false if there are fewer notes.
 */
bool history_all__note(const struct history_all *all, int i, char *buf, size_t sz);

#endif
