/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs of struct_ops maps: the operations of a scheduler (sched_ext), of a TCP congestion
 * control, or of a queueing discipline.
 */
#ifndef BPROF_STRUCT_OPS_H
#define BPROF_STRUCT_OPS_H

#include <linux/types.h>

#include "base/util.h"

struct btf;

/* An operation: a member of a struct_ops map that a program implements. */
struct struct_ops_func {
	/* name of the map, which is the name of the variable in the program's source */
	const char *map;
	const char *member; /* name of the operation */
	__u32 prog_id;
};

typedef int (*struct_ops_fn)(const struct struct_ops_func *f, void *arg);

/*
 * Calls fn for each operation of all registered struct_ops maps. If fn returns non-zero, stops and
 * returns that value. vmlinux is the kernel's BTF; if it is NULL, the BTF is read when it is
 * needed. Returns -EPERM without CAP_SYS_ADMIN, or another -errno.
 */
int struct_ops__walk(struct btf *vmlinux, struct_ops_fn fn, void *arg);

/*
 * Reads the ids of the programs of all struct_ops maps whose name matches the glob. Warns if no map
 * matches. The caller frees *ids. Returns 0 or -errno (reported).
 */
int __must_check struct_ops__find(const char *glob, __u32 **ids, int *cnt);

#endif
