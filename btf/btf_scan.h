/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where members of one struct of a BTF file are, without reading all of the file. libbpf reads and
 * indexes the kernel's 5 MB, which takes 15 to 40 ms in the test VM: as long as setting up ten targets.
 */
#ifndef BPROF_BTF_SCAN_H
#define BPROF_BTF_SCAN_H

#include <linux/types.h>

/*
 * Looks up cnt members of the struct "type" in the BTF in that file: offset[i], in bytes, is that of
 * member[i], or 0 where the struct has no such member of its own (those of unnamed members are not
 * looked at). 0; -ENOENT: there is no such struct; -EINVAL: it is no BTF, or one with a kind of type
 * that this does not know; or -errno.
 */
int btf_scan__find(const char *path, const char *type, const char *const *member, __u32 *offset,
		   int cnt);

#endif
