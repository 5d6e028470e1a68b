/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The source lines of one BPF program: file, line number and text, from its line_info. Works only
 * on bytes in memory: prints nothing, and does not access the kernel.
 */
#ifndef BPROF_LINE_TABLE_H
#define BPROF_LINE_TABLE_H

#include <linux/types.h>

struct btf;

/*
 * A source position. It applies to the instructions from insn_off up to the next entry's insn_off.
 */
struct bpf_line {
	__u32 insn_off;	  /* index of the translated instruction */
	__u64 jited_addr; /* address of the instruction's JITed code; 0: unknown */
	__u32 line, col;
	const char *file, *text; /* strings in the BTF; "" if unknown */
};

/*
 * Builds the table from cnt records of rec_sz bytes each and, unless addrs is NULL, cnt addresses.
 * Reads only the first 16 bytes of each record, because the kernel's struct bpf_line_info may have
 * grown. The strings stay in btf, which has to outlive the table. The caller frees *out with
 * free(). Returns 0, or -EINVAL: the records are too small, not in ascending order of instructions,
 * or have names that are not in the BTF.
 */
int bpf_lines__new(const struct btf *btf, const void *recs, __u32 rec_sz, __u32 cnt,
		   const __u64 *addrs, struct bpf_line **out);

#endif
