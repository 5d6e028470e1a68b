/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the text report (report_text.c, report_dist.c, report_hist.c, report_notes.c)
 * share. For them only.
 */
#ifndef BPROF_REPORT_PRIV_H
#define BPROF_REPORT_PRIV_H

#include "report.h"

#define LABEL_SZ 1100 /* two names of the kernel's maximum, KSYM_NAME_LEN */

/*
 * "program", or "program:function" for a subprogram; the function alone where the program's name
 * is the beginning of it that the kernel had room for. Not made printable. Returns buf, of
 * LABEL_SZ bytes.
 */
const char *report_prog__label(const struct report_prog *p, char *buf);

/* Is it the first block of several, or the only one? What stays the same is said once. */
static inline bool render_opts__is_first(const struct render_opts *o)
{
	return !o->interval || o->header;
}

/*
 * The parts below the table of programs, each with an empty line before it, or nothing where
 * there is nothing to say. 0 or -ENOMEM.
 */
/* The second table: per program and event, how its runs are spread, and how it was counted. */
bool report__has_dist(const struct report *r, const struct render_opts *o);
int report__print_dist(const struct report *r, const struct render_opts *o, FILE *out);
/* The call trees, where several functions of a program were measured. */
bool report__has_tree(const struct report *r);
int report__print_tree(const struct report *r, const struct render_opts *o, FILE *out);
/* A drawing of each event's buckets. */
int report__print_hist(const struct report *r, const struct render_opts *o, FILE *out);
/* The footers. */
int report__print_notes(const struct report *r, const struct render_opts *o, FILE *out);

#endif
