/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options that select the functions to measure. The command's options have a member of type
 * struct target_opts, whose offset is in command_spec.base.
 */
#ifndef BPROF_TARGET_OPTS_H
#define BPROF_TARGET_OPTS_H

#include "options/options.h"
#include "target/target.h"

struct target_opts {
	struct selector_list selectors; /* the first member, for selector_rows */
	const char *func;		/* glob of --func, or NULL */
	const char *calls;		/* glob of --calls, or NULL */
};

/* The text on what several selectors mean, for the summaries of commands. */
#define SELECTORS_RULE                                                                       \
	"If you give several kinds of selectors, such as --name and --type, a program must " \
	"match each kind. If you give one kind several times, it must match one of them."

/* The options that select programs. Their struct is a struct selector_list. */
extern const struct option_row selector_rows[];
/* Further options that select the functions to measure. */
extern const struct option_row target_rows[];
/* The options that select kernel functions which the targets call, to be measured, too. */
extern const struct option_row calls_rows[];

/*
 * Appends a selector from an argument that is no option. The argument has ids as for --prog-id, the
 * path of a pin as for --pinned, or else a name as for --name. Returns 0 or -EINVAL (reported).
 */
int selector_list__add_operand(struct selector_list *list, const char *command, const char *arg);
/* Returns true if arg is a list of program ids, as in --prog-id. */
bool target_opts__is_id(const char *arg);
/*
 * Returns 0 if there is a selector. Otherwise reports that there is none and returns -EINVAL. If
 * the command to run looks like a program's id, the message says which option to give. command may
 * be NULL.
 */
int target_opts__check(const struct target_opts *o, char *const *command);
/* Returns true if any selector can match programs that are loaded later. */
bool target_opts__can_follow(const struct target_opts *o);

/*
 * Selects the targets, and the kernel functions of --calls. by_site: each place of a call is a
 * target of its own. Otherwise like target_list__select().
 */
int target_opts__select(const struct target_opts *o, bool by_site, struct target_list *out);

void target_opts__free(struct target_opts *o);

#endif
