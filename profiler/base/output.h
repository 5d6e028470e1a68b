/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a command writes its result: standard output, or the file of -o.
 */
#ifndef BPROF_OUTPUT_H
#define BPROF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* path NULL: standard output. 0 or -errno (reported). */
int output__open(const char *path, bool append, FILE **out);
/* err: what went wrong so far. Returns it; if it is 0, 0 or -errno (reported): output is lost. */
int output__close(FILE *out, const char *path, int err);
/* Is it a terminal that has colors, and has nobody said NO_COLOR? */
bool output__wants_color(FILE *out);

#endif
