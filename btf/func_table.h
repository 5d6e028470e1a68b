/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of one BPF program: its BTF and func_info turned into full names.
 * Pure: works on bytes, prints nothing, asks no kernel.
 */
#ifndef BPROF_FUNC_TABLE_H
#define BPROF_FUNC_TABLE_H

#include <linux/types.h>

struct btf;
struct reason;

/* More is refused. The kernel takes 16 MiB of BTF (BTF_MAX_SIZE) and 256 functions. */
#define FUNC_TABLE_MAX_BTF_SZ (64u << 20)
#define FUNC_TABLE_MAX_FUNCS 65536u

struct bpf_fn {
	const char *name; /* the full name; owned by the table */
	__u32 type_id;	  /* of the BTF_KIND_FUNC */
	__u32 insn_off;	  /* first instruction, in translated instructions */
	__u32 arg_cnt;
	__u32 linkage; /* BTF_FUNC_STATIC, BTF_FUNC_GLOBAL */
};

struct func_table {
	struct btf *btf;	   /* the names lie in it */
	struct shared_btf *shared; /* what holds it */
	struct bpf_fn *fn;	   /* in program order; fn[0] is the entry function */
	__u32 cnt;
};

/*
 * Builds the table from raw BTF and cnt func_info records of rec_sz bytes each (the kernel's
 * struct bpf_func_info may have grown: only its first 8 bytes are read; func_info holds
 * cnt * rec_sz bytes). Both are copied. Hostile input gives -EINVAL and REASON_BAD_BTF, never
 * a crash; cnt 0 gives -ENODATA and REASON_NO_FUNC_INFO. The caller frees *out with
 * func_table__free(). libbpf may print about malformed BTF: see libbpf_set_print().
 */
int func_table__new(const void *btf_data, __u32 btf_sz, const void *func_info, __u32 rec_sz,
		    __u32 cnt, struct func_table **out, struct reason *reason);
/*
 * The same with the BTF of another table, which both hold from then on: the programs of one object
 * have one BTF.
 */
int func_table__new_like(const struct func_table *like, const void *func_info, __u32 rec_sz,
			 __u32 cnt, struct func_table **out, struct reason *reason);
void func_table__free(struct func_table *t); /* NULL is fine */

/*
 * The function of that name, or NULL. Static functions of one name can come from several
 * linked objects: the first is returned, which is also the one that the kernel attaches to
 * where they share a type_id (bpf_check_attach_target()).
 */
const struct bpf_fn *func_table__find(const struct func_table *t, const char *name);
/* The function whose BTF_KIND_FUNC has that id, or NULL. */
const struct bpf_fn *func_table__find_type(const struct func_table *t, __u32 type_id);

#endif
