/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that a command writes its result to: standard output, or the file of -o.
 */
#ifndef BPROF_OUTPUT_H
#define BPROF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Opens path, or standard output for NULL. Returns 0, or -errno after reporting the error. */
int output__open(const char *path, bool append, FILE **out);
/*
 * Closes the file. err: the first error so far, which is returned. If it is 0, returns 0, or -errno
 * after reporting the error: output is lost.
 */
int output__close(FILE *out, const char *path, int err);
/* Returns true for a terminal with colours, unless NO_COLOR is set. */
bool output__wants_color(FILE *out);

#endif
