/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of one BPF program with their full names, which come from its BTF and func_info.
 * Works only on bytes in memory: prints nothing, and does not access the kernel.
 */
#ifndef BPROF_FUNC_TABLE_H
#define BPROF_FUNC_TABLE_H

#include <stdbool.h>
#include <linux/types.h>

#include "btf/bpf_fn.h"

struct btf;
struct reason;

/*
 * Limits for hostile input. The kernel accepts at most 16 MiB of BTF (BTF_MAX_SIZE) and 256
 * functions.
 */
#define FUNC_TABLE_MAX_BTF_SZ (64u << 20)
#define FUNC_TABLE_MAX_FUNCS 65536u

struct func_table {
	struct btf *btf;	   /* parsed BTF with the functions' names; owned by shared */
	struct shared_btf *shared; /* owner of the BTF, which other tables may use, too */
	struct bpf_fn *fn;	   /* in program order; fn[0] is the entry function */
	__u32 cnt;
	bool has_namesakes; /* several functions have the same name */
};

/*
 * Builds the table from raw BTF and cnt func_info records of rec_sz bytes each; func_info holds cnt
 * * rec_sz bytes. Reads only the first 8 bytes of each record, because the kernel's struct
 * bpf_func_info may have grown. The table keeps copies of the BTF and the records. Hostile input
 * gives -EINVAL and REASON_BAD_BTF, never a crash. If cnt is 0, the result is -ENODATA and
 * REASON_NO_FUNC_INFO. The caller frees *out with func_table__free(). libbpf may print messages
 * about malformed BTF: see libbpf_set_print(). The labels have no places yet: func_label__set()
 * adds the places.
 */
int func_table__new(const void *btf_data, __u32 btf_sz, const void *func_info, __u32 rec_sz,
		    __u32 cnt, struct func_table **out, struct reason *reason);
/*
 * Like func_table__new(), but shares the BTF of the table "like". This saves memory, because the
 * programs of one object have the same BTF.
 */
int func_table__new_like(const struct func_table *like, const void *func_info, __u32 rec_sz,
			 __u32 cnt, struct func_table **out, struct reason *reason);
void func_table__free(struct func_table *t); /* NULL is allowed */

/*
 * Returns the type behind modifiers and typedefs, or NULL. The kernel accepts no BTF in which types
 * form a cycle.
 */
const struct btf_type *btf_type__strip(const struct btf *btf, __u32 id);
/* Returns the first function called name, or NULL. */
const struct bpf_fn *func_table__find(const struct func_table *t, const char *name);
/* Returns the first function whose BTF_KIND_FUNC has that id, or NULL. */
const struct bpf_fn *func_table__find_type(const struct func_table *t, __u32 type_id);

#endif
