/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that compares two versions: what counts as worse, and what is no
 * failure. They are a member of the command's own options, and their rows stand among the command's
 * tables, with that member's offset as the table's base.
 */
#ifndef BPROF_COMPARE_OPTS_H
#define BPROF_COMPARE_OPTS_H

#include <stdbool.h>

#include "base/options.h"
#include "lib/bprof.h"

struct compare_flags {
	struct bprof_rules *rules; /* --fail-on and --match; NULL: none was given */
	bool strict, inconclusive_ok, one_sided_ok, allow_retval_change;
};

extern const struct option_row compare_rows[];

/* The same for bprof_compare(). They point to f. */
struct bprof_compare_opts compare_flags__opts(const struct compare_flags *f);
/* Was any of them given? They say nothing where there is nothing to compare with. */
bool compare_flags__any(const struct compare_flags *f);
void compare_flags__free(struct compare_flags *f);

#endif
