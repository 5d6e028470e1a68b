/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files that compare (compare.c, compare_host.c, compare_judge.c, compare_prog.c) share. For
 * them only.
 */
#ifndef BPROF_COMPARE_PRIV_H
#define BPROF_COMPARE_PRIV_H

#include "compare/compare.h"

/* Fills difference. 0 or -ENOMEM. */
int comparison__find_differences(struct comparison *c, const struct report *base,
				 const struct report *new, const struct compare_pairs *pairs);

/* Fills size. 0 or -ENOMEM. */
int comparison__find_sizes(struct comparison *c, const struct compare_pairs *pairs);

/*
 * Did the programs of a pair of functions return something else, as far as both reports know? Then
 * *out are the rows that have what they returned.
 */
bool compare_pair__returned(const struct compare_pair *pair, const struct report *base,
			    const struct report *new, struct compare_pair *out);

/* From the rows' changes and p to their verdicts and order, and that of the whole. 0 or -ENOMEM. */
int comparison__judge(struct comparison *c, const struct compare_limits *limits);

#endif
