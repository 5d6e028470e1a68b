/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the shape of a target's trampoline: how many arguments the trampoline saves, and whether it
 * passes on the tail call count. The bias and the overhead of the target's probe depend on this
 * shape.
 */
#ifndef BPROF_SHAPE_H
#define BPROF_SHAPE_H

#include <linux/types.h>

struct target;

/*
 * A cache of how many arguments trampolines save. The number is the same for all main programs with
 * the same type, context and return type.
 */
struct shape_cache {
	struct shape_answer {
		__u32 prog_type;
		__u32 ctx_kind;	   /* BTF kind of the program's context, such as BTF_KIND_STRUCT */
		__u32 ret_kind;	   /* BTF kind of the return type */
		char ctx_type[64]; /* name of the context's type, such as "xdp_md" */
		int saved_args;
	} * v;
	int cnt;
};

/*
 * Fills in target->shape unless it is known. The target's program must be open, with its functions
 * loaded. May load small programs into the kernel to test what it accepts. cache may be NULL for a
 * subprogram.
 */
void shape__find(struct target *t, struct shape_cache *cache);
void shape_cache__free(struct shape_cache *cache);

#endif
