/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options that select the functions to measure. The command's options have a member of type
 * struct target_opts, whose offset is in command_spec.base.
 */
#ifndef BPROF_TARGET_OPTS_H
#define BPROF_TARGET_OPTS_H

#include "base/options.h"
#include "target/target.h"

struct target_opts {
	struct selector_list selectors;
	const char *func; /* glob of --func, or NULL */
};

extern const struct option_row target_rows[];

/* The error message if there is no selector. */
extern const char target_opts_missing[];

void target_opts__free(struct target_opts *o);

#endif
