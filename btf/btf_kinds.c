// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the table of the kinds of BTF types and their sizes (Documentation/bpf/btf.rst). Must not
 * know where BTF comes from. Prints nothing.
 */
#include <errno.h>
#include <stdbool.h>

#include "btf/btf_kinds.h"

/* BTF kinds that the build's headers may lack. */
#define KIND_DECL_TAG 17
#define KIND_TYPE_TAG 18
#define KIND_ENUM64 19

static const struct {
	/*
	 * known is 1 for each kind in this table. In BTF, struct btf_type is followed by a part of
	 * `fixed` bytes, and then by vlen elements of `each` bytes.
	 */
	__u8 known, fixed, each;
} known_kinds[] = {
	[BTF_KIND_INT] = {1, 4, 0},	   [BTF_KIND_PTR] = {1, 0, 0},
	[BTF_KIND_ARRAY] = {1, 12, 0},	   [BTF_KIND_STRUCT] = {1, 0, 12},
	[BTF_KIND_UNION] = {1, 0, 12},	   [BTF_KIND_ENUM] = {1, 0, 8},
	[BTF_KIND_FWD] = {1, 0, 0},	   [BTF_KIND_TYPEDEF] = {1, 0, 0},
	[BTF_KIND_VOLATILE] = {1, 0, 0},   [BTF_KIND_CONST] = {1, 0, 0},
	[BTF_KIND_RESTRICT] = {1, 0, 0},   [BTF_KIND_FUNC] = {1, 0, 0},
	[BTF_KIND_FUNC_PROTO] = {1, 0, 8}, [BTF_KIND_VAR] = {1, 4, 0},
	[BTF_KIND_DATASEC] = {1, 0, 12},   [BTF_KIND_FLOAT] = {1, 0, 0},
	[KIND_DECL_TAG] = {1, 4, 0},	   [KIND_TYPE_TAG] = {1, 0, 0},
	[KIND_ENUM64] = {1, 0, 12},
};

bool btf_kinds__knows(unsigned int kind)
{
	return kind < sizeof(known_kinds) / sizeof(known_kinds[0]) && known_kinds[kind].known;
}

__s64 btf_kinds__tail_size(const struct btf_kinds *kinds, const struct btf_type *t)
{
	unsigned int kind = btf_kinds__kind(t);
	__s64 vlen = btf_kinds__vlen(t);

	/* For a BTF_KIND_FUNC, vlen is the function's linkage, so `each` is 0. */
	if (btf_kinds__knows(kind))
		return known_kinds[kind].fixed + known_kinds[kind].each * vlen;
	if (kind >= kinds->cnt)
		return -EOPNOTSUPP;
	return kinds->v[kind].info_sz + kinds->v[kind].elem_sz * vlen;
}
