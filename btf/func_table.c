// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the conversion of BTF bytes and func_info records to names. Must not know where the bytes
 * came from. The bytes may be hostile. libbpf parses the types, but validates BTF only since
 * version 1.3, so this file makes the checks that older versions lack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <linux/btf.h>

#include "base/memory.h"
#include "btf/btf_compat.h"
#include "btf/func_label.h"
#include "btf/func_table.h"
#include "btf/reason.h"

/* The part of a func_info record that every kernel has (struct bpf_func_info). */
struct func_info_rec {
	__u32 insn_off;
	__u32 type_id;
};

/* Parsed BTF, and the number of tables that use it. */
struct shared_btf {
	struct btf *btf;
	int refs;
};

#define bad_btf(reason, ...) reason__set(reason, REASON_BAD_BTF, EINVAL, __VA_ARGS__)

/*
 * Checks the header before libbpf reads it: the byte order must be this machine's, and the sections
 * must lie inside the blob.
 */
static int check_header(const void *data, __u32 sz, struct reason *reason)
{
	struct btf_header h;
	__u64 body;

	if (!data || sz < sizeof(h))
		return bad_btf(reason, "truncated: %u bytes", data ? sz : 0);
	if (sz > FUNC_TABLE_MAX_BTF_SZ)
		return bad_btf(reason, "larger than %u MiB", FUNC_TABLE_MAX_BTF_SZ >> 20);
	memcpy(&h, data, sizeof(h));
	if (h.magic == __builtin_bswap16(BTF_MAGIC))
		return bad_btf(reason, "has the other byte order");
	if (h.magic != BTF_MAGIC)
		return bad_btf(reason, "wrong magic 0x%04x", h.magic);
	if (h.version != BTF_VERSION)
		return bad_btf(reason, "unknown version %u", h.version);
	if (h.hdr_len < sizeof(h) || h.hdr_len > sz || h.hdr_len % 4)
		return bad_btf(reason, "header of %u bytes in a blob of %u", h.hdr_len, sz);
	body = sz - h.hdr_len;
	if (h.type_off % 4 || (__u64)h.type_off + h.type_len > body)
		return bad_btf(reason, "types at %u+%u in a blob of %u", h.type_off, h.type_len,
			       sz);
	if ((__u64)h.str_off + h.str_len > body)
		return bad_btf(reason, "strings at %u+%u in a blob of %u", h.str_off, h.str_len,
			       sz);
	return 0;
}

/*
 * Returns true for printable ASCII without spaces, because names are written to terminals, and
 * without LABEL_SEPARATORS. The kernel allows only identifiers as function names
 * (btf_name_valid_identifier()), but compilers of some languages emit other characters.
 */
static bool is_kernel_name(const char *name)
{
	if (!name || !*name)
		return false;
	for (; *name; name++)
		if (*name <= ' ' || *name >= 0x7f || strchr(LABEL_SEPARATORS, *name))
			return false;
	return true;
}

const struct btf_type *btf_type__strip(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* Returns the size of the integer or enum that a function returns, or 0 if it returns neither. */
static __u32 find_ret_sz(const struct btf *btf, const struct btf_type *proto)
{
	int id = btf__resolve_type(btf, proto->type);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	return t && (btf_is_int(t) || btf_is_any_enum(t)) ? t->size : 0;
}

/* Fills *fn from record i of func_info. prev_off: insn_off of the previous record. */
static int fill_fn(const struct btf *btf, const struct func_info_rec *rec, __u32 i, __u32 prev_off,
		   struct bpf_fn *fn, struct reason *reason)
{
	const struct btf_type *func, *proto;

	if (i ? rec->insn_off <= prev_off : rec->insn_off)
		return bad_btf(reason, "func_info %u: instruction %u is out of order", i,
			       rec->insn_off);
	func = btf__type_by_id(btf, rec->type_id);
	if (!func || !btf_is_func(func))
		return bad_btf(reason, "func_info %u: type %u is not a function", i, rec->type_id);
	proto = btf__type_by_id(btf, func->type);
	if (!proto || !btf_is_func_proto(proto))
		return bad_btf(reason, "function type %u: no prototype (type %u)", rec->type_id,
			       func->type);
	if (btf_vlen(func) > BTF_FUNC_EXTERN) /* The vlen of a BTF_KIND_FUNC is its linkage. */
		return bad_btf(reason, "function type %u: unknown linkage", rec->type_id);

	fn->name = btf__name_by_offset(btf, func->name_off);
	if (!is_kernel_name(fn->name))
		return bad_btf(reason, "function type %u: invalid name", rec->type_id);
	fn->type_id = rec->type_id;
	fn->insn_off = rec->insn_off;
	fn->arg_cnt = btf_vlen(proto);
	fn->linkage = btf_vlen(func);
	if (!btf__type_by_id(btf, proto->type))
		return bad_btf(reason, "function type %u: return type %u does not exist",
			       rec->type_id, proto->type);
	/* btf__new() has checked that all parameters lie inside the section of types. */
	for (__u32 k = 0; k < fn->arg_cnt; k++)
		if (!btf__type_by_id(btf, btf_params(proto)[k].type))
			return bad_btf(reason, "function type %u: argument %u has no type",
				       rec->type_id, k);
	fn->ret_sz = find_ret_sz(btf, proto);
	return 0;
}

static int check_recs(const void *func_info, __u32 rec_sz, __u32 cnt, struct reason *reason)
{
	reason__set(reason, REASON_NONE, 0, NULL);
	if (!cnt)
		return reason__set(reason, REASON_NO_FUNC_INFO, ENODATA, NULL);
	if (rec_sz < sizeof(struct func_info_rec))
		return bad_btf(reason, "func_info records of %u bytes", rec_sz);
	if (!func_info || cnt > FUNC_TABLE_MAX_FUNCS)
		return bad_btf(reason, "%u func_info records", cnt);
	return 0;
}

static int parse_btf(const void *data, __u32 sz, struct shared_btf **out, struct reason *reason)
{
	struct shared_btf *shared = xcalloc(1, sizeof(*shared));

	*out = NULL;
	shared->btf = btf_compat__new(data, sz);
	if (!shared->btf) {
		int err = errno;

		free(shared);
		if (err == ENOMEM)
			out_of_memory();
		return bad_btf(reason, err == EOPNOTSUPP
					       ? "newer than this bprof, without a layout of "
						 "its types"
					       : "malformed, or too new for the libbpf of this "
						 "build");
	}
	*out = shared;
	return 0;
}

/*
 * Builds the table from records that check_recs() accepted. Takes a reference to shared, and drops
 * it on failure.
 */
static int new_table(struct shared_btf *shared, const void *func_info, __u32 rec_sz, __u32 cnt,
		     struct func_table **out, struct reason *reason)
{
	struct func_table *t = xcalloc(1, sizeof(*t));
	struct bpf_fn *fn = xcalloc(cnt, sizeof(*fn));
	struct func_info_rec rec;
	__u32 prev_off = 0;
	int err = 0;

	shared->refs++;
	*t = (struct func_table){.btf = shared->btf, .shared = shared, .fn = fn, .cnt = cnt};
	for (__u32 i = 0; !err && i < cnt; i++) {
		/* A newer kernel's records may be larger, and not aligned. */
		memcpy(&rec, (const char *)func_info + (size_t)i * rec_sz, sizeof(rec));
		err = fill_fn(t->btf, &rec, i, prev_off, &t->fn[i], reason);
		prev_off = rec.insn_off;
	}
	if (err) {
		func_table__free(t);
		return err;
	}
	t->has_namesakes = func_label__set(t->fn, t->cnt, NULL, 0);
	*out = t;
	return 0;
}

int func_table__new(const void *btf_data, __u32 btf_sz, const void *func_info, __u32 rec_sz,
		    __u32 cnt, struct func_table **out, struct reason *reason)
{
	struct shared_btf *shared;
	int err;

	*out = NULL;
	err = check_recs(func_info, rec_sz, cnt, reason) ?:
	      check_header(btf_data, btf_sz, reason) ?:
	      parse_btf(btf_data, btf_sz, &shared, reason);
	return err ?: new_table(shared, func_info, rec_sz, cnt, out, reason);
}

int func_table__new_like(const struct func_table *like, const void *func_info, __u32 rec_sz,
			 __u32 cnt, struct func_table **out, struct reason *reason)
{
	int err = check_recs(func_info, rec_sz, cnt, reason);

	*out = NULL;
	return err ?: new_table(like->shared, func_info, rec_sz, cnt, out, reason);
}

void func_table__free(struct func_table *t)
{
	if (!t)
		return;
	if (!--t->shared->refs) {
		btf__free(t->shared->btf);
		free(t->shared);
	}
	for (__u32 i = 0; i < t->cnt; i++)
		free(t->fn[i].own_label);
	free(t->fn);
	free(t);
}

const struct bpf_fn *func_table__find(const struct func_table *t, const char *name)
{
	for (__u32 i = 0; i < t->cnt; i++)
		if (!strcmp(t->fn[i].name, name))
			return &t->fn[i];
	return NULL;
}

const struct bpf_fn *func_table__find_type(const struct func_table *t, __u32 type_id)
{
	for (__u32 i = 0; i < t->cnt; i++)
		if (t->fn[i].type_id == type_id)
			return &t->fn[i];
	return NULL;
}
