/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts between the types of bprof.h and the internal types behind them, for the command line,
 * which uses both. A struct bprof_report is a struct report.
 */
#ifndef BPROF_BPROF_MODEL_H
#define BPROF_BPROF_MODEL_H

#include "compare/compare.h"
#include "lib/bprof.h"
#include "report/report.h"

static inline struct bprof_report *bprof_report__of(struct report *r)
{
	return (struct bprof_report *)r;
}

static inline const struct report *bprof_report__model(const struct bprof_report *r)
{
	return (const struct report *)r;
}

/* Returns the exit status of a comparison with that outcome. */
int bprof_outcome__exit_status(enum compare_outcome outcome);

/* Returns the pairs of programs that bprof_rules_add_match() added. rules may be NULL. */
const struct compare_matches *bprof_rules__matches(const struct bprof_rules *rules);
/* Returns the limits that bprof_rules_add_limit() added. rules may be NULL. */
const struct compare_limits *bprof_rules__limits(const struct bprof_rules *rules);

/* Returns the part of a comparison that these options describe. base may be NULL. */
struct compare_part bprof_part__make(const struct bprof_report *base,
				     const struct bprof_report *new_report,
				     const struct bprof_compare_opts *o);
/*
 * Like bprof_compare(), for several pairs of reports. flags: BPROF_COMPARE_INCONCLUSIVE_OK and
 * BPROF_COMPARE_ONE_SIDED_OK.
 */
int bprof_compare__parts(const struct compare_part *parts, int cnt, uint64_t flags,
			 struct bprof_comparison **out, struct bprof_error *error);

#endif
