/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's prog arrays: the maps that tail calls go through, and the programs in them.
 */
#ifndef BPROF_PROG_ARRAYS_H
#define BPROF_PROG_ARRAYS_H

#include <linux/bpf.h>

#include "base/util.h"

/* Elements that are looked at in all; a lookup is a system call, and arrays of 65536 are in use. */
#define PROG_ARRAYS_MAX_LOOKUPS (1 << 18)

struct prog_array {
	__u32 map_id;
	char name[BPF_OBJ_NAME_LEN];
	__u32 *prog_id; /* those in it, a program that is there more than once as well */
	int cnt;
};

struct prog_arrays {
	struct prog_array *v; /* by map id */
	int cnt;
};

/*
 * Reads them all: 0; -EPERM without CAP_SYS_ADMIN; -E2BIG: there were more elements than are looked
 * at; -ENOMEM. What was read until then is there, too. The caller frees it with
 * prog_arrays__free().
 *
 * To be called once and early: where the only user of a prog array has just let go of it, the
 * kernel clears it in a work item, and closing a descriptor of it before that has run leaks the map
 * for good (kernel/bpf/arraymap.c: prog_array_map_clear() takes a reference for a work that is
 * pending already). So each is opened only once, and before bprof itself has had any.
 */
int __must_check prog_arrays__load(struct prog_arrays *a);
void prog_arrays__free(struct prog_arrays *a);

bool prog_array__has(const struct prog_array *a, __u32 prog_id);
/* Is the map with that id one? */
bool prog_arrays__has_map(const struct prog_arrays *a, __u32 map_id);

#endif
