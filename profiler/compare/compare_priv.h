/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared only by compare.c, compare_host.c, compare_judge.c and compare_prog.c. */
#ifndef BPROF_COMPARE_PRIV_H
#define BPROF_COMPARE_PRIV_H

#include "compare/compare.h"

/* Fills c->difference. Returns 0 or -ENOMEM. */
int comparison__find_differences(struct comparison *c, const struct report *base,
				 const struct report *new, const struct compare_pairs *pairs);

/* Fills c->size. Returns 0 or -ENOMEM. */
int comparison__find_sizes(struct comparison *c, const struct compare_pairs *pairs);

/*
 * Returns true if both reports know the return values of the pair's program and the return values
 * differ. In this case sets *out to the rows that have the return values.
 */
bool compare_pair__retval_differs(const struct compare_pair *pair, const struct report *base,
				  const struct report *new, struct compare_pair *out);

/*
 * Sets the verdicts of the rows, sorts the rows, and sets the verdict of the comparison. Returns 0
 * or -ENOMEM.
 */
int comparison__judge(struct comparison *c);

#endif
