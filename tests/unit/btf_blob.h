/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small BTF blob, as clang makes it for an XDP program with two subprograms, and its func_info.
 * The tests and the fuzzer of func_table use it.
 */
#ifndef BPROF_BTF_BLOB_H
#define BPROF_BTF_BLOB_H

#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <linux/btf.h>

/* The ids of the types. The types are added in this order. */
enum {
	BLOB_INT = 1,
	BLOB_CTX,	 /* struct xdp_md { int data; } */
	BLOB_PTR,	 /* struct xdp_md * */
	BLOB_PROTO_MAIN, /* int (struct xdp_md *ctx) */
	BLOB_MAIN,
	BLOB_PROTO_SUB, /* int (struct xdp_md *ctx, int len) */
	BLOB_STATIC,
	BLOB_GLOBAL,
	BLOB_TYPE_END,
};

#define BLOB_MAIN_NAME "xdp_with_a_name_longer_than_the_kernel_keeps"
#define BLOB_FN_CNT 3

static const struct bpf_func_info blob_funcs[BLOB_FN_CNT] = {
	{.insn_off = 0, .type_id = BLOB_MAIN},
	{.insn_off = 20, .type_id = BLOB_STATIC},
	{.insn_off = 33, .type_id = BLOB_GLOBAL},
};

/*
 * Returns the raw BTF in a block of exactly *sz bytes, or NULL if memory is short. The caller frees
 * it.
 */
static inline void *blob__new(__u32 *sz)
{
	struct btf *btf = btf__new_empty();
	const void *raw;
	void *copy = NULL;

	if (!btf)
		return NULL;
	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_struct(btf, "xdp_md", 4);
	btf__add_field(btf, "data", BLOB_INT, 0, 0);
	btf__add_ptr(btf, BLOB_CTX);
	btf__add_func_proto(btf, BLOB_INT);
	btf__add_func_param(btf, "ctx", BLOB_PTR);
	btf__add_func(btf, BLOB_MAIN_NAME, BTF_FUNC_GLOBAL, BLOB_PROTO_MAIN);
	btf__add_func_proto(btf, BLOB_INT);
	btf__add_func_param(btf, "ctx", BLOB_PTR);
	btf__add_func_param(btf, "len", BLOB_INT);
	btf__add_func(btf, "parse", BTF_FUNC_STATIC, BLOB_PROTO_SUB);
	btf__add_func(btf, "count", BTF_FUNC_GLOBAL, BLOB_PROTO_SUB);

	raw = btf__raw_data(btf, sz);
	if (raw && btf__type_cnt(btf) == BLOB_TYPE_END)
		copy = malloc(*sz);
	if (copy)
		memcpy(copy, raw, *sz);
	btf__free(btf);
	return copy;
}

#endif
