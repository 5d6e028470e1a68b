/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The source lines of one BPF program: its line_info turned into files, lines and text.
 * Pure: works on bytes, prints nothing, asks no kernel.
 */
#ifndef BPROF_LINE_TABLE_H
#define BPROF_LINE_TABLE_H

#include <linux/types.h>

struct btf;

/* From this instruction on, up to the next entry's. */
struct bpf_line {
	__u32 insn_off;	  /* in translated instructions */
	__u64 jited_addr; /* of its JITed code; 0: not known */
	__u32 line, col;
	const char *file, *text; /* the BTF's, "" where there is none */
};

/*
 * Builds the table from cnt records of rec_sz bytes each (the kernel's struct bpf_line_info may have
 * grown: only its first 16 bytes are read) and, where addrs is not NULL, as many addresses. The strings
 * stay in btf, which has to outlive the table; *out is the caller's to free(). 0, -ENOMEM, or -EINVAL:
 * the records are too small, their instructions not in ascending order, or names not in the BTF.
 */
int bpf_lines__new(const struct btf *btf, const void *recs, __u32 rec_sz, __u32 cnt,
		   const __u64 *addrs, struct bpf_line **out);

#endif
