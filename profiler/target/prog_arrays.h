/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads all prog arrays (the maps that tail calls use) of programs, and the programs in them.
 */
#ifndef BPROF_PROG_ARRAYS_H
#define BPROF_PROG_ARRAYS_H

#include <linux/bpf.h>

#include "base/util.h"

/*
 * Limit on the number of lookups in all arrays together. Each lookup is a system call, and an array
 * may have 65536 elements.
 */
#define PROG_ARRAYS_MAX_LOOKUPS (1 << 18)

struct prog_array {
	__u32 map_id;
	char name[BPF_OBJ_NAME_LEN];
	__u32 *prog_id; /* programs in the array; may contain duplicates */
	int cnt;
};

struct prog_arrays {
	struct prog_array *v; /* sorted by map id */
	int cnt;
	bool known; /* v holds the prog arrays of all programs */
};

/*
 * Replaces the contents of *a by the prog arrays of all loaded programs. *a must be zeroed before
 * the first call. On failure (no CAP_SYS_ADMIN, too many elements), keeps the arrays read so far;
 * with -v, the reason is logged. The caller frees *a with prog_arrays__free().
 *
 * Call this rarely, and before bprof itself has opened maps. When the last user of a prog array
 * closes it, the kernel clears it in a work item. If a descriptor of the map is opened and closed
 * before that work has run, the map leaks until the next boot (kernel/bpf/arraymap.c:
 * prog_array_map_clear() takes another reference even if the work is already pending). So bprof
 * does not open maps that no program uses: the kernel may just be freeing them.
 */
void prog_arrays__load(struct prog_arrays *a);
void prog_arrays__free(struct prog_arrays *a);

bool prog_array__has(const struct prog_array *a, __u32 prog_id);
/* Returns true if one of the arrays contains the program. */
bool prog_arrays__has_prog(const struct prog_arrays *a, __u32 prog_id);
/* Returns true if the map is a prog array. */
bool prog_arrays__has_map(const struct prog_arrays *a, __u32 map_id);

#endif
