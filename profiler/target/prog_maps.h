/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The maps of a program, their memory, and the metadata in them.
 */
#ifndef BPROF_PROG_MAPS_H
#define BPROF_PROG_MAPS_H

#include <linux/bpf.h>

#include "base/util.h"
#include "btf/metadata.h"

struct prog;

struct prog_map {
	__u32 id;
	char name[BPF_OBJ_NAME_LEN];
	char type[32]; /* as in bpftool: "hash", "percpu_array" */
	__u64 memory;  /* bytes that the kernel accounts for the map */
	__u32 max_entries;
};

struct prog_maps {
	struct prog_map *v;
	int cnt;
	__u64 prog_memory; /* bytes that the kernel accounts for the program itself */
	struct metadata_list metadata;
};

/*
 * Fills *m. Reads the metadata with the BTF of the program's functions, if they are loaded. Returns
 * 0, -EPERM without CAP_SYS_ADMIN, or another -errno. After an error, *m has what could be read.
 * The caller frees *m with prog_maps__free(), also on failure.
 */
int prog_maps__load(struct prog_maps *m, struct prog *p);
void prog_maps__free(struct prog_maps *m);
/*
 * Returns the version that the program's metadata gives (bpf_metadata_version, or else _revision or
 * _commit). Returns NULL if the metadata gives none or cannot be read. The caller frees the
 * version.
 */
char *prog__load_version(struct prog *p);
/* Returns the sum of the memory of all maps. */
__u64 prog_maps__memory(const struct prog_maps *m);

#endif
