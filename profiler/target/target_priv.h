/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files that select and sort targets share. For them only.
 */
#ifndef BPROF_TARGET_PRIV_H
#define BPROF_TARGET_PRIV_H

#include "target/target.h"

/*
 * Appends the program's functions as targets. func: which, NULL for what --func says. named: the
 * program was named by itself, and did not come along with others. Takes over prog. 0 or -errno
 * (reported).
 */
int target_list__add_prog(struct target_list *targets, struct prog *prog, const char *func,
			  bool named, bool with_extensions);

/*
 * Adds what is pinned there, a program, a link, or a directory of them. func as above. 0 or -errno
 * (reported).
 */
int target_list__select_pinned(struct target_list *targets, const char *path, const char *func);

/* The target that is this function, also before the targets are sorted; NULL: there is none. */
struct target *target_list__find_func(const struct target_list *targets, __u32 id,
				      __u32 func_btf_id);
/*
 * The programs of one object have one BTF, which may be long: takes it from a target that has the same.
 */
void target_list__share_btf(const struct target_list *targets, struct prog *prog);
/* The targets in another order; takes over v. 0 or -ENOMEM (reported). */
int target_list__replace(struct target_list *targets, struct target *v);
void target_list__free_index(struct target_list *targets);

#endif
