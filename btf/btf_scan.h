/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds in a BTF file the offsets of members of one struct, or the ids of functions, without
 * indexing the whole file. libbpf would read and index all 5 MB of the kernel's BTF. In a VM this
 * takes 15 to 40 ms, as long as attaching probes to ten functions.
 */
#ifndef BPROF_BTF_SCAN_H
#define BPROF_BTF_SCAN_H

#include <linux/types.h>

#define VMLINUX_BTF "/sys/kernel/btf/vmlinux" /* the running kernel's BTF */

/*
 * Looks up cnt members of the struct "type" in the BTF file: offset[i] is the offset of member[i]
 * in bytes, or 0 if the struct has no such direct member (members of unnamed members are not
 * searched). Returns 0; -ENOENT: no such struct; -EINVAL: not BTF; -EOPNOTSUPP: BTF with a kind of type
 * that is unknown and has no layout (btf_kinds.h); or -errno.
 */
int btf_scan__find(const char *path, const char *type, const char *const *member, __u32 *offset,
		   int cnt);

/*
 * Looks up cnt functions (BTF_KIND_FUNC) in the BTF file: id[i] is the id of the function name[i].
 * Returns the same values as btf_scan__find(); -ENOENT: one of the functions does not exist.
 */
int btf_scan__find_funcs(const char *path, const char *const *name, __u32 *id, int cnt);

#endif
