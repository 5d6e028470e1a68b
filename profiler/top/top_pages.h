/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pages of bprof top about one program, and the measurements while such a page is open.
 */
#ifndef BPROF_TOP_PAGES_H
#define BPROF_TOP_PAGES_H

#include "base/table.h"
#include "base/util.h"
#include "top/top.h"

struct cpus;
struct event_list;
struct live;
struct overhead_opts;
struct prog_counting;
struct top_pages;

/* The data that the pages show. All of it must outlive the pages. */
struct top_pages_source {
	struct live *live;
	struct prog_counting *counting; /* the measurement of the list, which "live" reads */
	struct event_list *events;
	const struct cpus *cpus;
	char **argv;
	const struct overhead_opts *overhead;
};

struct top_pages *top_pages__new(const struct top_pages_source *source);
void top_pages__free(struct top_pages *p); /* accepts NULL; closes the page */

/*
 * Opens a page about a program, and closes the previous page. For TOP_LIST and TOP_HELP, only
 * closes the previous page. Returns 0 or -errno (reported).
 */
int top_pages__open(struct top_pages *p, enum top_page page, __u32 id);
enum top_page top_pages__page(const struct top_pages *p);
/*
 * Sets *text to the page, for a screen of this width, or to NULL for a page that top_page.c or
 * top_columns.c prints, such as the help. now: a snapshot of this moment. The caller frees *text.
 * Returns 0 or -errno (reported).
 */
int __must_check top_pages__render(struct top_pages *p, const void *now,
				   const struct screen *screen, char **text);
/*
 * Call it at each tick of the main measurement. Returns 0, -errno (reported), or 1 (reported) if
 * the page must be closed.
 */
int top_pages__tick(struct top_pages *p);
/* Returns the time in ns until the page wants the next tick; 0: the tick may come at any time. */
__u64 top_pages__next_tick(const struct top_pages *p);

#endif
