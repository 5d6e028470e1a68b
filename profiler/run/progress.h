/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The line on a terminal that shows how far a measurement is. It is written to stderr. Each new
 * line replaces the previous one.
 */
#ifndef BPROF_PROGRESS_H
#define BPROF_PROGRESS_H

#include <stdbool.h>

/* Returns true if stderr is a terminal. */
bool progress__is_wanted(void);
/* Shows the text, such as "block 3 of 20". Adds that Ctrl-C ends the measurement. */
void progress__show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Removes the line. */
void progress__end(void);

#endif
