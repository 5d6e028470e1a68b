/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options that say which functions are measured, for every command that attaches probes: a
 * member of the command's own options, at the place that its command_spec.base has.
 */
#ifndef BPROF_TARGET_OPTS_H
#define BPROF_TARGET_OPTS_H

#include "base/options.h"
#include "target/target.h"

struct target_opts {
	struct selector_list selectors;
	const char *func; /* --func, or NULL */
};

extern const struct option_row target_rows[];

/*
 * What a row of options is to call (options.h) whose member is a struct selector_list; its min is the
 * kind of selector.
 */
int selector_list__add_option(void *list, const struct option_row *row, const char *arg);
/* The same for any kind of selector: selector_list__add() with its errors reported as the option's. */
int selector_list__report_add(struct selector_list *list, enum selector_kind kind,
			      const struct option_row *row, const char *arg);

/* What is said where there is no selector. */
extern const char target_opts_missing[];

void target_opts__free(struct target_opts *o);

#endif
