/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extension programs (BPF_PROG_TYPE_EXT, "freplace"): which of them replaces which function of
 * which other program. libxdp attaches several XDP programs to one interface this way: its
 * dispatcher calls prog0, prog1, ..., and each is replaced by a program.
 */
#ifndef BPROF_EXTENSION_H
#define BPROF_EXTENSION_H

#include <linux/types.h>

#include "base/util.h"

struct extension {
	__u32 prog_id;
	__u32 target_id;   /* the program that it extends */
	char *target_name; /* "xdp_dispatcher" */
	char *func;	   /* "prog0"; "": unknown */
};

struct extensions {
	/* By target, and then by function, which is the order in which libxdp calls them. */
	struct extension *v;
	int cnt;
};

/*
 * Finds the attached extensions from the kernel's links; an extension of two programs appears
 * twice. Finds none before Linux 5.13, which does not report a link's target. Returns 0, -EPERM
 * (listing links needs CAP_SYS_ADMIN) or -ENOMEM. The caller frees *e with extensions__free().
 */
int __must_check extensions__load(struct extensions *e);
void extensions__free(struct extensions *e);

/* Returns the first extension by that program of target_id (0: any), or NULL. */
const struct extension *extensions__find(const struct extensions *e, __u32 prog_id,
					 __u32 target_id);

/*
 * Reads the name of a program, and of its function with BTF type type_id ("" if unknown). The
 * caller frees both. Returns 0, -ENOENT (unloaded), -EPERM, -ENOMEM or another -errno.
 */
int __must_check read_func_name(__u32 prog_id, __u32 type_id, char **prog_name, char **func);

#endif
