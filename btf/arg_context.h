/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contexts of programs: what the kernel passes in the place of the structs that programs see, and where
 * it has their fields. The verifier translates the programs' accesses to these (net/core/filter.c,
 * ..._convert_ctx_access()).
 */
#ifndef BPROF_ARG_CONTEXT_H
#define BPROF_ARG_CONTEXT_H

#include <linux/types.h>

/*
 * A field that the kernel's struct does not have under the same name. path, and member in a struct "cast"
 * that is there, are of the kernel's structs. If minus is not NULL, the pointer there is subtracted.
 */
struct arg_field {
	const char *name, *path, *cast, *member, *minus;
	__u32 words; /* the number of elements of an array of 32-bit words */
};

struct arg_context {
	const char *name; /* of the struct that programs see */
	const char *kernel;
	const struct arg_field *fields; /* ends with a name that is NULL */
};

/* Returns the context that a program of that type sees as struct "name", or NULL. */
const struct arg_context *arg_context__find(const char *name, __u32 prog_type);
/* Returns the context of programs of that type, or NULL if it depends on the program. */
const struct arg_context *arg_context__of_type(__u32 prog_type);

#endif
