/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints the output of bprof watch: one line for each change, as text, CSV or JSON.
 */
#ifndef BPROF_WATCH_PRINT_H
#define BPROF_WATCH_PRINT_H

#include <stdio.h>
#include <linux/types.h>

struct csv_style;
struct prog_change;
struct screen;
struct table;

/* Returns the table of the text output. It has no rows yet. */
struct table *watch_print__new(const struct screen *screen);
/* The caller checks for write errors with ferror(out). */
void watch_print__text(struct table *t, const struct screen *screen,
		       const struct prog_change *change, FILE *out);
/*
 * Print CSV, with times in UTC. The first function prints the line of column names, unless the
 * style has none. The second function prints a change.
 */
void watch_print__csv_names(struct table *t, const struct csv_style *style, FILE *out);
void watch_print__csv(struct table *t, const struct csv_style *style,
		      const struct prog_change *change, FILE *out);
void watch_print__json(const struct prog_change *change, FILE *out);
/*
 * Print the Trace Event Format. Its time 0 is start_ns on CLOCK_MONOTONIC. Earlier changes are
 * shown at time 0. The document ends with trace_event__end().
 */
void watch_print__begin_timeline(__u64 start_ns, FILE *out);
void watch_print__timeline(const struct prog_change *change, __u64 start_ns, FILE *out);

#endif
