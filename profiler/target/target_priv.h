/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files that select targets (target.c, target_pinned.c) share. For them only.
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

/* Adds what is pinned there, a program, a link, or a directory of them. 0 or -errno (reported). */
int target_list__select_pinned(struct target_list *targets, const char *path);

#endif
