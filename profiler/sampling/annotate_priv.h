/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared only by the files that show annotations to people: annotate_text.c, annotate_html.c. */
#ifndef BPROF_ANNOTATE_PRIV_H
#define BPROF_ANNOTATE_PRIV_H

#include "base/text.h"
#include "sampling/annotate.h"

/* Prints lines that say how long, on which machine and how the samples were taken. */
int annotation__print_head(const struct record *r, FILE *out);
/* Prints a line for each program that was not sampled, each after an empty line. */
int annotation__print_skipped(const struct record *r, FILE *out);
/* Prints the names of the functions without samples, if there are any. */
int annotated_prog__print_cold(const struct annotated_prog *p, FILE *out);

/* Formats a share in percent, "12.3%". buf has SHARE_SZ bytes. Returns buf. */
#define SHARE_SZ (NUMBER_SZ + 1)
const char *annotated__format_share(const struct annotated *part, const struct annotated *whole,
				    char *buf);
/* Returns true if the line's share is below the limit, so that it is not shown by itself. */
bool annotated_line__is_rest(const struct annotated_line *l, const struct annotated_prog *p,
			     const struct annotate_opts *o);

#endif
