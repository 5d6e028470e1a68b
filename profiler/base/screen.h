/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The abilities of the terminal on which a reader sees a stream.
 */
#ifndef BPROF_SCREEN_H
#define BPROF_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/* What the reader's terminal can show. All members zero: any width, and no escapes. */
struct screen {
	int width;  /* columns of a line; 0: no limit */
	bool color; /* terminal escapes: bold headers, dim and coloured cells */
};

/* The environment variable that tells screen__of() that standard output goes to a pager. */
#define PAGER_IN_USE "BPROF_PAGER_IN_USE"

#define SCREEN_MAX_WIDTH 65535
/*
 * Returns what the reader of out can see. If out is a terminal, the result has its width. It has
 * colours unless NO_COLOR is set and not empty, or TERM is "dumb". For standard output, the
 * variable COLUMNS takes precedence over the width of the terminal, and also applies without a
 * terminal.
 */
struct screen screen__of(FILE *out);

#endif
