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

/*
 * Handles the options that add selectors to a list: it is the function add() of their rows
 * (options.h). In such a row, member is the offset of a struct selector_list, and min is the kind
 * of selector.
 */
int selector_list__add_option(void *list, const struct option_row *row, const char *arg);
/* Calls selector_list__add() and reports an error with the name of the option. */
int selector_list__report_add(struct selector_list *list, enum selector_kind kind,
			      const struct option_row *row, const char *arg);

/* The error message if there is no selector. */
extern const char target_opts_missing[];

void target_opts__free(struct target_opts *o);

#endif
