/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared only by the files that show annotations to people: annotate_text.c, annotate_html.c. */
#ifndef BPROF_ANNOTATE_PRIV_H
#define BPROF_ANNOTATE_PRIV_H

#include "base/table.h"
#include "base/text.h"
#include "sampling/annotate.h"

/* Prints lines that say how long samples were taken, on which machine, and how. */
void annotation__print_head(const struct record *r, FILE *out);
/* Prints a line for each reason why programs were not sampled, each after an empty line. */
void annotation__print_skipped(const struct record *r, FILE *out);
/* Prints the names of the program's functions that have no samples, if there are any. */
void annotated_prog__print_cold(const struct annotated_prog *p, FILE *out);

/* Returns true if there are enough samples to show shares of them. */
bool annotated__has_shares(const struct annotated *whole);
/*
 * Formats a share in percent, "12.3%", with the digits that the number of samples allows. buf has
 * SHARE_SZ bytes. Returns buf.
 */
#define SHARE_SZ (NUMBER_SZ + 1)
const char *annotated__format_share(const struct annotated *part, const struct annotated *whole,
				    char *buf);
/*
 * The first function adds columns for shares and samples of *whole to a table. The second one adds
 * the cells of a row for *part.
 */
void annotated__add_cols(struct table *t, const struct annotated *whole);
void annotated__add_cells(struct table *t, const struct annotated *part,
			  const struct annotated *whole);
/*
 * Prints the function's share of the program, or its number of samples if there are too few for a
 * share.
 */
void annotated_func__print_share(const struct annotated_func *f, const struct annotated_prog *p,
				 FILE *out);
/* Prints how many samples the program has, or why it has few or none. */
void annotated_prog__print_samples(const struct annotation *a, const struct annotated_prog *p,
				   FILE *out);
/*
 * Prints lines that say, as far as it is known, how much time the program's runs took, and how much
 * of it is in the program's own code and in functions that it calls.
 */
void annotated_prog__print_cost(const struct annotation *a, const struct annotated_prog *p,
				FILE *out);
/* Formats "NAME (MAP, TYPE)". The caller frees the result. */
char *annotated_callee__format(const struct annotated_callee *c);
/* Returns true if the callee's share is too small to be shown. */
bool annotated_callee__is_small(const struct annotated_callee *c, const struct annotated_prog *p,
				const struct annotate_opts *o);
/*
 * Prints a line with the function's own share, and lines with the shares of the functions that it
 * calls. Prints nothing if it calls no function that has samples.
 */
void annotated_func__print_callees(const struct annotated_func *f, const struct annotated_prog *p,
				   const struct annotate_opts *o, FILE *out);
/* Returns true if the line's share is below the limit, so that the line is not shown by itself. */
bool annotated_line__is_rest(const struct annotated_line *l, const struct annotated_prog *p,
			     const struct annotate_opts *o);

#endif
