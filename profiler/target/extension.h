/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extension programs (BPF_PROG_TYPE_EXT, "freplace"): finds the programs that replace a function of
 * another program, and this function. libxdp attaches several XDP programs to one interface this
 * way: its dispatcher calls the functions prog0, prog1, ..., and an XDP program replaces each of
 * them.
 */
#ifndef BPROF_EXTENSION_H
#define BPROF_EXTENSION_H

#include <linux/bpf.h>
#include <linux/types.h>

#include "base/util.h"

struct extension {
	__u32 prog_id;
	__u32 target_id; /* id of the program that is extended */
	enum bpf_prog_type target_type;
	char *target_name; /* name of the extended program, e.g. "xdp_dispatcher" */
	char *func;	   /* the function that is replaced, e.g. "prog0"; "": unknown */
};

struct extensions {
	/* Sorted by target_id and then by func, which is the order in which libxdp calls them. */
	struct extension *v;
	int cnt;
};

/*
 * Finds the attached extensions from the kernel's links. A program that extends two programs
 * appears twice. Finds no extensions on kernels before 5.13, which do not report a link's target.
 * Returns 0, -EPERM (listing links needs CAP_SYS_ADMIN) or another -errno. The caller frees *e with
 * extensions__free().
 */
int __must_check extensions__load(struct extensions *e);
void extensions__free(struct extensions *e);

/* Returns the first extension in which prog_id extends target_id (0: any program), or NULL. */
const struct extension *extensions__find(const struct extensions *e, __u32 prog_id,
					 __u32 target_id);

/*
 * Reads the name of a program, and the name of its function with the BTF type type_id ("" if
 * unknown). The caller frees both names, which are NULL on failure. Returns 0, -ENOENT (unloaded),
 * -EPERM, or another -errno.
 */
int __must_check read_func_name(__u32 prog_id, __u32 type_id, char **prog_name, char **func);

#endif
