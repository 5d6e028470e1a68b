/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes HTML that is also well-formed XML: elements, attributes and text, and the frame of a page.
 * All text is escaped. A page has no script and loads nothing. In every locale, a page is ASCII:
 * other characters become character references.
 */
#ifndef BPROF_HTML_H
#define BPROF_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "base/table.h"

#define HTML_DEPTH 32

/*
 * The state of writing elements. Initialise it with {.out = …}. If the caller makes a mistake, such
 * as closing an element that is not open or setting an attribute outside of a tag, an assertion ends
 * the process.
 */
struct html {
	FILE *out; /* a stream in memory */
	const char *open[HTML_DEPTH];
	int depth;
	bool in_tag; /* the last tag is not closed yet, so attributes may follow */
};

/* Opens an element. Its attributes must follow, then its content. tag must be a literal. */
void html__begin(struct html *h, const char *tag);
void html__attr(struct html *h, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Closes the element that was opened last. */
void html__end(struct html *h);
void html__text(struct html *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes an element with text, and with a class unless that is NULL. */
void html__element(struct html *h, const char *tag, const char *class, const char *text);
/* Writes an item of an open list of facts, <dl class="facts">. */
void html__fact(struct html *h, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Call this at the end: checks that all elements are closed. */
void html__finish(const struct html *h);

/*
 * Begin and end a table in a box that scrolls if the page is too narrow. caption says what the
 * table shows.
 */
void html_box__begin(struct html *h, const char *caption);
void html_box__end(struct html *h);
/* Writes a table in a box (html_box__begin()). */
void html__table(struct html *h, const struct table *t, const char *caption);

/* Returns the output of print(), which the caller frees. */
char *html__capture(void (*print)(const void *arg, FILE *out), const void *arg);

/* Writes each line of a text as an item of a list. The text before a ':' is emphasised. */
void html__lines(struct html *h, const char *text);

/*
 * Embeds JSON as data that scripts and bprof can read. Whatever the data contains, it cannot end
 * the element.
 */
void html__json(struct html *h, const char *json);

/*
 * Copies the JSON documents that html__json() embedded in a page. Also copies the line breaks of
 * the other text, but nothing else of it. Returns the number of documents, or the -errno of reading
 * or writing.
 */
int html__extract_json(FILE *page, FILE *out);

/* Writes the beginning of a page, up to its first section. title is also the main heading. */
void html_page__begin(FILE *out, const char *title);
void html_page__end(FILE *out);

/* The style sheet of every page. */
extern const char html_style[];

#endif
