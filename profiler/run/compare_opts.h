/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of every command that compares two versions: which changes count as worse, and which
 * results do not make the command fail. The command's options have a member of type struct
 * compare_flags. The command's tables of options include compare_rows, with the member's offset in
 * command_spec.base.
 */
#ifndef BPROF_COMPARE_OPTS_H
#define BPROF_COMPARE_OPTS_H

#include <stdbool.h>

#include "lib/bprof.h"
#include "options/options.h"

struct compare_flags {
	struct bprof_rules *rules; /* limits of --fail-on and pairs of --match, or NULL */
	bool strict, inconclusive_ok, one_sided_ok, allow_retval_change;
};

extern const struct option_row compare_rows[];

/* Converts the flags for bprof_compare(). The result points to f->rules. */
struct bprof_compare_opts compare_flags__opts(const struct compare_flags *f);
/* Returns true if the user gave any of these options, which need a comparison. */
bool compare_flags__any(const struct compare_flags *f);
void compare_flags__free(struct compare_flags *f);

#endif
