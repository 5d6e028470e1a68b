/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The screen of bprof top, as a model: which programs it shows in which order, what each key does,
 * and its lines as text. Works without a terminal and without the kernel.
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

/* What the list shows in addition to a report. */
struct top_stats {
	double own_cpu;	  /* CPU time of bprof itself, as a share of a CPU; NaN: not known */
	int programs;	  /* the programs that are measured, whether they have run or not */
	int running;	  /* how many of them have run, or may have run */
	bool unprobed;	  /* programs are measured, but none by a probe */
	const char *cpus; /* a list of the CPUs that are measured (-C); NULL: all */
	__u64 interval_ns;
};

/* What the screen shows. On every page except the list, the text is that of top__set_text(). */
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

/*
 * Returns true for the pages that make a measurement of their own. While such a page is open, the
 * list stays as it was.
 */
static inline bool top_page__measures(enum top_page page)
{
	return page == TOP_TREE || page == TOP_CALLS;
}

/* What the caller has to do after a key, in addition to drawing the screen again. */
enum top_action {
	TOP_NOTHING,
	TOP_QUIT,
	TOP_PAGE,     /* another page is open: see top__page() and top__selected() */
	TOP_READ,     /* read the counts now; this ends the interval */
	TOP_DIVIDE,   /* measure again, with a row for each return value, or without such rows */
	TOP_WRITE,    /* write the rows to files: see top__rows() */
	TOP_REMEMBER, /* the user has chosen other columns: see top__columns() */
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
	TOP_KEY_OTHER, /* a key that has no name here */
};

struct top *top__new(void);
void top__free(struct top *t); /* accepts NULL */

/*
 * Shows a report on the last interval. If the report has rows for return values, a row with all
 * runs precedes them. Takes ownership of r.
 */
void top__set_report(struct top *t, struct report *r, const struct top_stats *stats);
/*
 * Adds a gap of ns to the pictures (bars of CPU share and percentiles) of the last minutes: in this
 * time, the programs of the list were not measured.
 */
void top__skip(struct top *t, __u64 ns);
/* Sets the text of a page. Takes ownership of the malloc'ed text; NULL: there is no text yet. */
void top__set_text(struct top *t, char *text);
/* Shows a message until the next key is pressed. NULL: shows no message. */
void top__set_message(struct top *t, const char *message);
/* Shows a message like top__set_message(), and keeps it for the page of messages. */
void top__add_message(struct top *t, const char *message);

/*
 * Sets the function that returns where a program is attached, or "" if that is not known. The
 * returned text must last until the next call. Without this function, the list has no column for
 * attachments.
 */
void top__set_attached(struct top *t, const char *(*attached)(void *arg, __u32 id), void *arg);
/* Sets the column by which the list is sorted: one of report_order__column() that the list has. */
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
 * Chooses the columns that the list may have, by a list of names such as "name,cpu%". Returns NULL,
 * or an error text, which the caller frees.
 */
char *__must_check top__choose_columns(struct top *t, const char *list);
/* Returns the columns that the list may have, such as "name,cpu%". The caller frees it. */
char *top__columns(const struct top *t);

bool top__is_paused(const struct top *t);
bool top__shows_idle(const struct top *t);
enum top_page top__page(const struct top *t);
/* Returns to the list, for example if a page could not be opened. */
void top__leave_page(struct top *t);
/* Returns the id of the program that a page is about; 0: none. */
__u32 top__selected(const struct top *t);

/* Returns true if the program was in the last report, or a page is about it. */
bool top__lists(const struct top *t, __u32 id);
/* Returns the rows of the list, valid until the next key or report; NULL: no report yet. */
const struct report *top__rows(const struct top *t);
/*
 * on: from now on, the rows are those for top_write__report(). They include the runs that were not
 * measured, so that the runs of all rows add up.
 */
void top__set_writing(struct top *t, bool on);

/*
 * Prints the lines of the screen, at most "height" lines. Sets *cursor to the line of the selected
 * program, counted from 0, or to -1.
 */
void top__render(struct top *t, const struct screen *screen, int height, FILE *out, int *cursor);
/* Returns the rows as top__print() shows them: sorted by the last interval alone. */
const struct report *top__rows_of_interval(struct top *t);
/* Prints the list with all programs, for a file or a pipe, sorted by the last interval alone. */
void top__print(struct top *t, const struct screen *screen, FILE *out);

#endif
