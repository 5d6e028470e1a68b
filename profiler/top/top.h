/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The screen of bprof top, as a model: which programs it shows in which order, what each key does,
 * and its lines as text. Needs neither a terminal nor the kernel.
 */
#ifndef BPROF_TOP_H
#define BPROF_TOP_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

#include "base/table.h"
#include "base/util.h"

struct report;
struct report_prog;
struct top;

/* What the list shows beside a report. */
struct top_stats {
	double own_cpu; /* CPU time of bprof itself, as a share of a CPU; NaN: not known */
	int programs;	/* the programs that are measured, whether they have run or not */
	__u64 interval_ns;
};

/* What the screen shows. On every page but the list, the text is that of top__set_text(). */
enum top_page {
	TOP_LIST,
	TOP_HELP,
	TOP_MESSAGES,
	TOP_DETAIL,
	TOP_TREE,
	TOP_CALLS,
	TOP_ANNOTATE,
	TOP_COLUMNS,
	TOP_PAGE_CNT
};

/* Returns true for the pages that measure in place of the list, which stays as it was meanwhile. */
static inline bool top_page__measures(enum top_page page)
{
	return page == TOP_TREE || page == TOP_CALLS;
}

/* What the caller has to do after a key, in addition to drawing the screen again. */
enum top_action {
	TOP_NOTHING,
	TOP_QUIT,
	TOP_PAGE,     /* the page has changed: see top__page() and top__selected() */
	TOP_READ,     /* read the counts now, which ends the interval */
	TOP_DIVIDE,   /* measure anew: with a row for each return value, or without */
	TOP_WRITE,    /* write the rows to files: see top__rows() */
	TOP_REMEMBER, /* the columns were chosen anew: see top__columns() */
	TOP_SLOWER,   /* make the interval longer or shorter */
	TOP_FASTER,
};

/* Keys that are not characters. A character's key is its Unicode code point. */
enum {
	TOP_KEY_UP = 0x110000,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_ENTER,
	TOP_KEY_ESCAPE,
	TOP_KEY_BACKSPACE,
	TOP_KEY_CLICK, /* the mouse: top__click() handles it */
	TOP_KEY_WHEEL_UP,
	TOP_KEY_WHEEL_DOWN,
	TOP_KEY_OTHER, /* a key without a name here */
};

struct top *top__new(void);
void top__free(struct top *t); /* accepts NULL */

/*
 * Shows a report on the last interval. If it has rows for return values, a row with all runs precedes
 * them. Takes ownership of it.
 */
void top__set_report(struct top *t, struct report *r, const struct top_stats *stats);
/* Tells the pictures of the last minutes of a time in which the programs of the list were not measured. */
void top__skip(struct top *t, __u64 ns);
/* Sets the text of a page. Takes ownership of the malloc'ed text; NULL: there is none yet. */
void top__set_text(struct top *t, char *text);
/* Shows a message until the next key is pressed. NULL: none. */
void top__set_message(struct top *t, const char *message);
/* The same, and keeps the message for the page of messages. */
void top__add_message(struct top *t, const char *message);

/*
 * Sets the function that says where a program is attached; "": not known. Its text must last until
 * the next call. Without one, there is no such column.
 */
void top__set_attached(struct top *t, const char *(*attached)(void *arg, __u32 id), void *arg);
/* Sets the column to sort by, one of report_order__column(), which must be one of the list's. */
void top__sort_by(struct top *t, const char *column);
/* Returns the i-th column that the list can be sorted by, or NULL. */
const char *top__column(int i);

/* Sets *shown to the names of the i-th keys, and *help to what they do. Returns false at the end. */
bool top__key(int i, const char **shown, const char **help);
/* Handles a key. */
enum top_action top__press(struct top *t, int key);
/* Handles a click of the mouse on the screen as it was printed last; x and y count from 0. */
enum top_action top__click(struct top *t, int x, int y);

/*
 * Chooses the columns that the list may have, by a list of names such as "name,cpu%". Returns NULL, or
 * says what is wrong, in a text that the caller frees.
 */
char *__must_check top__choose_columns(struct top *t, const char *list);
/* Returns such a list of the columns that the list may have. The caller frees it. */
char *top__columns(const struct top *t);

bool top__is_paused(const struct top *t);
bool top__shows_idle(const struct top *t);
enum top_page top__page(const struct top *t);
/* Returns to the list, such as after a page could not be opened. */
void top__leave_page(struct top *t);
/* Returns the program that a page is about, by its id; 0: none. */
__u32 top__selected(const struct top *t);

/* Returns the rows of the list; NULL: there is no report yet. They last until the next key or report. */
const struct report *top__rows(const struct top *t);

/*
 * Prints the lines of the screen: at most "height" of them. Sets *cursor to the line of the selected
 * program, counted from 0, or to -1.
 */
void top__render(struct top *t, const struct screen *screen, int height, FILE *out, int *cursor);
/* Returns the rows in the order of the last interval alone, as top__print() shows them. */
const struct report *top__rows_of_interval(struct top *t);
/*
 * Prints the list with all its programs, for a file or a pipe, in the order of the last interval
 * alone.
 */
void top__print(struct top *t, const struct screen *screen, FILE *out);

#endif
