/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A function of a BPF program: an element of the table of functions (func_table.h).
 */
#ifndef BPROF_BPF_FN_H
#define BPROF_BPF_FN_H

#include <linux/types.h>

struct bpf_fn {
	const char *name;  /* full name, owned by the table; several functions may have it */
	const char *label; /* unique in the program (func_label.h); owned by the table */
	/* memory of the label, if the label differs from the name; else NULL or unused */
	char *own_label;
	/* id of its BTF_KIND_FUNC in the program's BTF; static functions of linked files may share an id */
	__u32 type_id;
	/*
	 * Index of the first function with the same type_id. The kernel finds the function to attach
	 * to by its type_id and takes the first function with this id (bpf_check_attach_target()), so
	 * the others cannot be probed.
	 */
	__u32 first;
	__u32 insn_off; /* index of its first translated instruction; unique, unlike type_id */
	__u32 arg_cnt;
	__u32 ret_sz;  /* size in bytes of the returned integer; 0: it returns no integer */
	__u32 linkage; /* BTF_FUNC_STATIC or BTF_FUNC_GLOBAL */
};

#endif
