/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints the output of bprof watch: one line for each change, as text or as a JSON object.
 */
#ifndef BPROF_WATCH_PRINT_H
#define BPROF_WATCH_PRINT_H

#include <stdio.h>

#include "base/util.h"

struct prog_change;
struct screen;
struct table;

/* Returns the table of the text output, which has no rows, or NULL if out of memory. */
struct table *watch_print__new(const struct screen *screen);
/* These functions return 0 or -ENOMEM; the caller checks for write errors with ferror(out). */
int __must_check watch_print__text(struct table *t, const struct screen *screen,
				   const struct prog_change *change, FILE *out);
int __must_check watch_print__json(const struct prog_change *change, FILE *out);

#endif
