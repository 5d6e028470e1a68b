/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files that compare (compare.c, compare_host.c, compare_judge.c) share. For them only.
 */
#ifndef BPROF_COMPARE_PRIV_H
#define BPROF_COMPARE_PRIV_H

#include "compare.h"

/* Fills difference. 0 or -ENOMEM. */
int comparison__find_differences(struct comparison *c, const struct report *base,
				 const struct report *new, const struct compare_pairs *pairs);

/* From the rows' changes and p to their verdicts and order, and that of the whole. 0 or -ENOMEM. */
int comparison__judge(struct comparison *c, const struct compare_limits *limits);

#endif
