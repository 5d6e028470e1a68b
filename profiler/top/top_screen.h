/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The terminal of bprof top: shows lines of text, and reads keys.
 */
#ifndef BPROF_TOP_SCREEN_H
#define BPROF_TOP_SCREEN_H

#include "base/table.h"
#include "base/util.h"

struct top_screen;

/*
 * Returns 0 if top_screen__open() can draw on standard output, or -EINVAL (reported). A command
 * calls it before it measures.
 */
int __must_check top_screen__check(void);
/*
 * Takes over the terminal of standard input and output, until top_screen__close() or the end of the
 * process. Returns 0 or -errno (reported).
 */
int __must_check top_screen__open(struct top_screen **out);
void top_screen__close(struct top_screen *s); /* accepts NULL */

/* Returns a descriptor to poll: it is readable when top_screen__key() has something to do. */
int top_screen__fd(const struct top_screen *s);
/*
 * Returns the next key in the form that top__press() takes, or 0 if no key was pressed. Adapts to a
 * changed size of the terminal. -EIO: the terminal is gone.
 */
int top_screen__key(struct top_screen *s);
/* Sets *x and *y to the place of the last TOP_KEY_CLICK, counted from 0. */
void top_screen__clicked(const struct top_screen *s, int *x, int *y);
/* Sets *screen to the width that fits on the terminal, and *height to its number of lines. */
void top_screen__size(const struct top_screen *s, struct screen *screen, int *height);
/*
 * Shows a text, which may have the escapes of table.h. Leaves out all other unprintable characters.
 * The line "marked", counted from 0, is highlighted; -1: none.
 */
void top_screen__show(struct top_screen *s, const char *text, int marked);

#endif
