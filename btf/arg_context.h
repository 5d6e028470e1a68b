/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contexts of programs. A program sees a struct such as __sk_buff, but the kernel passes a struct of
 * its own. These tables tell which struct the kernel passes, and where it has the fields of the struct that
 * programs see. The verifier translates the programs' accesses (net/core/filter.c,
 * ..._convert_ctx_access()).
 */
#ifndef BPROF_ARG_CONTEXT_H
#define BPROF_ARG_CONTEXT_H

#include <linux/types.h>

/*
 * A field that the kernel's struct does not have under the same name. path leads to the value in the
 * kernel's structs. If cast is not NULL, path leads to a struct of that name, and the value is its
 * member. If minus is not NULL, it is the path of a pointer that is subtracted.
 */
struct arg_field {
	const char *name, *path, *cast, *member, *minus;
	__u32 words; /* the number of elements of an array of 32-bit words */
};

struct arg_context {
	const char *name; /* of the struct that programs see */
	const char *kernel;
	const struct arg_field *fields; /* the last element has the name NULL */
};

/* Returns the context that a program of that type sees as struct "name", or NULL. */
const struct arg_context *arg_context__find(const char *name, __u32 prog_type);
/* Returns the context of programs of that type, or NULL if the context depends on the program. */
const struct arg_context *arg_context__of_type(__u32 prog_type);

#endif
