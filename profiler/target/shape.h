/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The shape of a target's trampoline: how many arguments it saves, and whether it passes on the
 * tail call count. The cost of a probe depends on it.
 */
#ifndef BPROF_SHAPE_H
#define BPROF_SHAPE_H

#include <linux/types.h>

struct target;

/* Results that hold for all programs with the same type, context and return type. */
struct shape_cache {
	struct shape_answer {
		__u32 prog_type;
		__u32 ctx_kind;	   /* BTF kind of what the argument points to */
		__u32 ret_kind;	   /* BTF kind of the return type */
		char ctx_type[64]; /* name of the type that the argument points to */
		int saved_args;
	} * v;
	int cnt;
};

/*
 * Fills in target->shape unless it is known. The target's program must be open with its functions
 * loaded. May load programs into the kernel as a test.
 */
void shape__find(struct target *t, struct shape_cache *cache);
void shape_cache__free(struct shape_cache *cache);

#endif
