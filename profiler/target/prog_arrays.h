/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All prog arrays of the kernel, the maps that tail calls use, and the programs in them.
 */
#ifndef BPROF_PROG_ARRAYS_H
#define BPROF_PROG_ARRAYS_H

#include <linux/bpf.h>

#include "base/util.h"

/*
 * Limit for all lookups together: each is a system call, and arrays of 65536 elements are in use.
 */
#define PROG_ARRAYS_MAX_LOOKUPS (1 << 18)

struct prog_array {
	__u32 map_id;
	char name[BPF_OBJ_NAME_LEN];
	__u32 *prog_id; /* with duplicates */
	int cnt;
};

struct prog_arrays {
	struct prog_array *v; /* by map id */
	int cnt;
	bool known; /* these are all of them */
};

/*
 * Reads all prog arrays, and replaces those in *a, which may be zeroed. On failure (no CAP_SYS_ADMIN,
 * too many elements, no memory), logs why with -v and keeps the arrays read so far. The caller frees
 * *a with prog_arrays__free().
 *
 * Call this rarely, and before bprof itself has opened maps. When the last user of a prog array
 * closes it, the kernel clears it in a work item, and closing a descriptor of the map before that
 * work has run leaks the map for good (kernel/bpf/arraymap.c: prog_array_map_clear() takes a
 * reference for work that is pending already).
 */
void prog_arrays__load(struct prog_arrays *a);
void prog_arrays__free(struct prog_arrays *a);

bool prog_array__has(const struct prog_array *a, __u32 prog_id);
/* Returns true if the map is a prog array. */
bool prog_arrays__has_map(const struct prog_arrays *a, __u32 map_id);

#endif
