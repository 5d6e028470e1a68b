/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BTFs of the kernel's modules. The type ids of each module continue those of vmlinux, so the
 * types of different modules have the same ids.
 */
#ifndef BPROF_MODULE_BTFS_H
#define BPROF_MODULE_BTFS_H

#include <stdbool.h>
#include <linux/types.h>

struct btf;

struct module_btf {
	__u32 id; /* id of the BTF */
	struct btf *btf;
};

/* Zero it before the first call. */
struct module_btfs {
	bool read;
	struct module_btf *v;
	int cnt;
};

/*
 * Reads the BTFs of all modules that libbpf and this process can read, unless it has read them
 * already. vmlinux must outlive *m. The caller frees *m with module_btfs__free().
 */
void module_btfs__read(struct module_btfs *m, struct btf *vmlinux);
void module_btfs__free(struct module_btfs *m);

/*
 * Returns the name of the function with that type id. Returns NULL if the id is not that of a
 * function, or if it is a type of vmlinux.
 */
const char *module_btf__func(const struct module_btf *m, __u32 id);
/* Returns the id of the module's function with that name, or 0. */
__u32 module_btf__find(const struct module_btf *m, const char *func);

#endif
