/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contexts of programs. A program sees a struct such as __sk_buff, but the kernel passes another
 * struct, such as struct sk_buff. These tables say which struct the kernel passes, and where in it the
 * kernel has the value of each field that programs see. The verifier translates the programs' accesses
 * (net/core/filter.c, ..._convert_ctx_access()).
 */
#ifndef BPROF_ARG_CONTEXT_H
#define BPROF_ARG_CONTEXT_H

#include <linux/types.h>

/*
 * A field that the kernel's struct does not have under the same name. path leads to the value in the
 * kernel's structs. If cast is not NULL, path leads to bytes that are a struct called cast, and the
 * value is that struct's member "member". If minus is not NULL, the value is the pointer at path
 * minus the pointer at the path "minus".
 */
struct arg_field {
	const char *name, *path, *cast, *member, *minus;
	__u32 words; /* not 0: the value is an array with this number of 32-bit words */
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
