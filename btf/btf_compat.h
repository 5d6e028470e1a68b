/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads BTF with libbpf, also BTF that is newer than the linked libbpf. Types that this libbpf does
 * not know become forward declarations (BTF_KIND_FWD) of the same name, so that all other types
 * keep their ids.
 */
#ifndef BPROF_BTF_COMPAT_H
#define BPROF_BTF_COMPAT_H

#include <stdbool.h>
#include <linux/types.h>

struct btf;

/*
 * Parses BTF without a base, in this machine's byte order. On failure returns NULL and sets errno.
 * EINVAL: the BTF is malformed. EOPNOTSUPP: the BTF has a kind of type that is unknown and has no
 * layout (btf_kinds.h). Other values come from libbpf. The caller frees the BTF with btf__free().
 */
struct btf *btf_compat__new(const void *data, __u32 sz);

/*
 * Returns the running kernel's BTF, which the caller frees, or NULL with errno. Takes 10 to 40 ms.
 */
struct btf *btf_compat__load_vmlinux(void);

/*
 * Returns true if libbpf itself can read the kernel's BTF. libbpf reads it to load BPF programs
 * with CO-RE relocations, iterators, and programs that are attached to kernel functions.
 */
bool btf_compat__libbpf_reads_vmlinux(void);

#endif
