/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extension programs (BPF_PROG_TYPE_EXT, "freplace"): which of them stands in for which function of
 * which other program. libxdp attaches several XDP programs to one interface so: its dispatcher
 * calls prog0, prog1, ..., each replaced by a program.
 */
#ifndef BPROF_EXTENSION_H
#define BPROF_EXTENSION_H

#include <linux/types.h>

#include "base/util.h"

struct extension {
	__u32 prog_id;
	__u32 target_id;   /* the program that it extends */
	char *target_name; /* "xdp_dispatcher" */
	char *func;	   /* "prog0"; "" where unknown */
};

struct extensions {
	struct extension
		*v; /* by target, and there by function: the order in which libxdp calls them */
	int cnt;
};

/*
 * Finds those that are attached, from the kernel's links. An extension of two programs is there
 * twice. 0, -EPERM (links are listed for CAP_SYS_ADMIN), -ENOMEM. Linux before 5.13 does not say
 * what a link's target is: none then. The caller frees it with extensions__free().
 */
int __must_check extensions__load(struct extensions *e);
void extensions__free(struct extensions *e);

/* The first one of that program whose target is target_id (0: any), or NULL. */
const struct extension *extensions__find(const struct extensions *e, __u32 prog_id,
					 __u32 target_id);

/*
 * The name of a program, and that of its function whose BTF type is type_id ("" where unknown).
 * The caller frees both. 0, -ENOENT (gone), -EPERM, -ENOMEM, ...
 */
int __must_check read_func_name(__u32 prog_id, __u32 type_id, char **prog_name, char **func);

#endif
