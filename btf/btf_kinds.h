/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sizes of types in BTF, including BTF of kernels and compilers that are newer than this bprof.
 * Since Linux 7.1, BTF can have a layout section (include/uapi/linux/btf.h). For each kind of type,
 * it has the number of bytes that follow struct btf_type. With this section, types of unknown kinds
 * can be skipped. Linux 7.1 has also widened a type's number of elements from 16 to 24 bits and its
 * kind from 5 to 7 bits.
 */
#ifndef BPROF_BTF_KINDS_H
#define BPROF_BTF_KINDS_H

#include <stdbool.h>
#include <linux/btf.h>
#include <linux/types.h>

/* The header since Linux 7.1. Before 7.1, the header ended before layout_off (btf_header.hdr_len). */
struct btf_header_7_1 {
	struct btf_header old;
	__u32 layout_off, layout_len; /* in bytes, from the end of the header */
};

/* An element of the layout section; its index is the kind. */
struct btf_kind_size {
	__u8 info_sz; /* bytes between struct btf_type and the elements */
	__u8 elem_sz; /* bytes for each of the type's elements */
	__u16 flags;
};

/* The layout section. cnt 0: the BTF has no such section. */
struct btf_kinds {
	const struct btf_kind_size *v;
	__u32 cnt;
};

static inline unsigned int btf_kinds__kind(const struct btf_type *t)
{
	return t->info >> 24 & 0x7f;
}

/* Returns the type's number of elements: members, values, parameters. */
static inline __u32 btf_kinds__vlen(const struct btf_type *t)
{
	return t->info & 0xffffff;
}

/*
 * Returns the number of bytes that follow the type's struct btf_type, or -EOPNOTSUPP if its kind is
 * unknown and has no layout.
 */
__s64 btf_kinds__tail_size(const struct btf_kinds *kinds, const struct btf_type *t);

/* Returns true if the headers that bprof is built with have the kind. */
bool btf_kinds__knows(unsigned int kind);

#endif
