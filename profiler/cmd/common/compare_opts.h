/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that compares two versions: what counts as worse, and what is not a
 * failure. struct compare_flags is a member of the command's options, and compare_rows one of its
 * tables, with the offset of that member in command_spec.base.
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

/* Converts the flags for bprof_compare(). The result points to f->rules. */
struct bprof_compare_opts compare_flags__opts(const struct compare_flags *f);
/* True if any of the options was given. They make no sense without a comparison. */
bool compare_flags__any(const struct compare_flags *f);
void compare_flags__free(struct compare_flags *f);

#endif
