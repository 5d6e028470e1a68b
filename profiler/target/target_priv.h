/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations only for the files that select and sort targets.
 */
#ifndef BPROF_TARGET_PRIV_H
#define BPROF_TARGET_PRIV_H

#include "target/target.h"

/* Adds a copy of *new to the skipped programs and functions unless it is there already. */
void target_list__add_skipped(struct target_list *targets, const struct skipped *new);

/* Adds a kernel function (target__is_called()) to the list of skipped programs and functions. */
void target_list__skip_called(struct target_list *targets, const struct target *t,
			      const struct reason *reason);
/* Returns the target of a function, or NULL. Works before the targets are sorted, too. */
struct target *target_list__find_func(const struct target_list *targets, __u32 id,
				      __u32 func_index);
/*
 * Sets reached[i] for each function i of t's program that the function "from" calls, directly or
 * through functions that are not targets. The cost of these functions counts as the own cost (SELF)
 * of t. The program's calls must be loaded.
 */
void target_list__reach(const struct target_list *targets, const struct target *t, __u32 from,
			bool *reached);
/* Returns true if s is a kernel function that the target calls. */
static inline bool skipped__is_called_by(const struct skipped *s, const struct target *t)
{
	return s->called && s->id == t->id && s->func_index == t->func_index;
}
/* Lets prog share the parsed BTF of a target of the same object: parsing a large BTF is slow. */
void target_list__share_btf(const struct target_list *targets, struct prog *prog);
/* Replaces targets->v by v, which holds the same targets in another order. Takes ownership of v. */
void target_list__replace(struct target_list *targets, struct target *v);
/* Builds the index again, because targets have moved. */
void target_list__index(struct target_list *targets);
void target_list__free_index(struct target_list *targets);

#endif
