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
	bool known; /* these are all of them */
};

/*
 * Reads all prog arrays in place of those in a, which may be zeros. If that fails (no CAP_SYS_ADMIN,
 * too many elements, no memory), logs why with -v and keeps what was read until then. The caller
 * frees it with prog_arrays__free().
 *
 * Call it rarely, and before bprof itself has opened maps: if the only user of a prog array has just
 * closed it, the kernel clears it in a work item, and closing a descriptor of it before that has run
 * leaks the map for good (kernel/bpf/arraymap.c: prog_array_map_clear() takes a reference for a work
 * that is pending already).
 */
void prog_arrays__load(struct prog_arrays *a);
void prog_arrays__free(struct prog_arrays *a);

bool prog_array__has(const struct prog_array *a, __u32 prog_id);
/* Is the map with that id one? */
bool prog_arrays__has_map(const struct prog_arrays *a, __u32 map_id);

#endif
