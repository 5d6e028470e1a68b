/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that compares two versions: what counts as worse, and what is no
 * failure. They are a member of the command's own options, and their rows stand among the command's
 * tables, with that member's offset as the table's base.
 */
#ifndef BPROF_COMPARE_OPTS_H
#define BPROF_COMPARE_OPTS_H

#include <stdbool.h>

#include "compare/compare.h"
#include "base/options.h"

struct compare_flags {
	struct compare_limits limits; /* --fail-on; none: the default ones */
	struct compare_matches matches;
	bool strict, inconclusive_ok, one_sided_ok, allow_retval_change;
};

extern const struct option_row compare_rows[];

/* What they say is no failure: bits of enum compare_excuse. */
unsigned int compare_flags__excuses(const struct compare_flags *f);
/* Was any of them given? They say nothing where there is nothing to compare with. */
bool compare_flags__any(const struct compare_flags *f);
void compare_flags__free(struct compare_flags *f);

#endif
