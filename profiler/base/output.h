/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that a command writes its result to: standard output, or the file of -o.
 */
#ifndef BPROF_OUTPUT_H
#define BPROF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/table.h"
#include "base/util.h"

/* Opens path, or standard output for NULL. Returns 0, or -errno after reporting the error. */
int output__open(const char *path, bool append, FILE **out);
/*
 * Closes the file. err is the first error so far, or 0. Returns err if it is not 0. Otherwise
 * returns 0, or -errno after reporting that output was lost.
 */
int output__close(FILE *out, const char *path, int err);
/* Flushes the file. Returns 0, or -errno after reporting the error. */
int output__flush(FILE *out, const char *path);

/* A text that is built in memory first, so that it is written completely or not at all. */
struct draft {
	FILE *mem; /* the memory stream that the text is written to */
	char *text;
	size_t sz;
};

/* Returns 0 or -ENOMEM. The caller calls draft__end() in either case. */
int __must_check draft__begin(struct draft *d);
/*
 * err is the first error so far, or 0. If it is 0, writes the text to "out" and flushes "out".
 * Returns err, -ENOMEM, or the -errno of writing (-ENOSPC, ...). Frees the draft in any case.
 */
int __must_check draft__end(struct draft *d, int err, FILE *out);
/*
 * Ends a draft whose text becomes a part of another one, out: folds lines that are wider than max
 * between two words. max 0: no limit. Returns err or -ENOMEM. Frees the draft in any case.
 */
int __must_check draft__fold(struct draft *d, int err, int max, FILE *out);

#define OUTPUT_MAX_WIDTH 65535
/*
 * Returns what the reader of out can see. If out is a terminal, lines have its width, and colours
 * are used unless NO_COLOR is set and not empty, or TERM is "dumb". For standard output, the
 * variable COLUMNS takes precedence over the width of the terminal, also without a terminal.
 */
struct screen output__screen(FILE *out);

#endif
