/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of a loaded program as the kernel gives it out: what was JITed, where it is, and which source
 * line it came from.
 */
#ifndef BPROF_PROG_CODE_H
#define BPROF_PROG_CODE_H

#include "btf/line_table.h"
#include "btf/prog.h"

struct prog_code {
	__u32 func_cnt; /* of which each was JITed by itself; as in func_info, where there is any */
	__u64 *addr;	/* of each in memory */
	__u32 *len;	/* of each, in bytes */
	__u8 *jited;	/* all of them, one after the other */
	__u32 jited_len;
	/* In program order; none without line_info, or without BTF. */
	struct bpf_line *line;
	__u32 line_cnt;
};

/*
 * Reads it of a program whose functions have been loaded, if there are any (p->funcs has to outlive
 * *out). 0, or -errno with *reason: REASON_NOT_JITED, REASON_NO_PERM, REASON_CODE_HIDDEN,
 * REASON_SYSTEM. The caller frees with prog_code__free(), also on failure.
 */
int prog__read_code(const struct prog *p, struct prog_code *out, struct reason *reason);
void prog_code__free(struct prog_code *code);

#endif
