/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that compares two versions. They say which changes count as worse,
 * and which results do not make the command fail. The command's options have a member of type
 * struct compare_flags. The command's tables of options include compare_rows, with the member's
 * offset in command_spec.base.
 */
#ifndef BPROF_COMPARE_OPTS_H
#define BPROF_COMPARE_OPTS_H

#include <stdbool.h>

#include "compare/compare.h"
#include "options/options.h"

struct compare_flags {
	struct compare_limits limits;	/* of --fail-on */
	struct compare_matches matches; /* of --match */
	bool strict, inconclusive_ok, one_sided_ok, allow_retval_change;
};

extern const struct option_row compare_rows[];

/* Converts the flags for compare__parts(). The result points to members of *f. */
struct compare_opts compare_flags__opts(const struct compare_flags *f);
/* Returns the verdicts that the user accepts, as bits of enum compare_excuse. */
unsigned int compare_flags__excuses(const struct compare_flags *f);
/*
 * Returns true if the user gave any of these options. These options make sense only with a
 * comparison.
 */
bool compare_flags__any(const struct compare_flags *f);
void compare_flags__free(struct compare_flags *f);

#endif
