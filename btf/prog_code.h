/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of a loaded program: the JITed code, its addresses and its source lines.
 */
#ifndef BPROF_PROG_CODE_H
#define BPROF_PROG_CODE_H

#include "btf/line_table.h"
#include "btf/prog.h"

struct prog_code {
	__u32 func_cnt; /* number of functions, which are in the order of func_info if there is any */
	__u64 *addr;	/* memory address of each function */
	__u32 *len;	/* length of each function in bytes */
	__u8 *jited;	/* the code of all functions, one after the other */
	__u32 jited_len;
	/* The source lines in program order. Without line_info or BTF there are no lines. */
	struct bpf_line *line;
	__u32 line_cnt;
};

/* Where the functions of a program are in memory. */
struct prog_funcs {
	__u32 cnt;
	__u64 *addr; /* addresses */
	__u32 *len;  /* lengths in bytes */
};

/*
 * Reads where the JITed functions of a program are. Returns 0; -ENODATA: the program is not JITed;
 * -EPERM: the kernel hides addresses from this process; or -errno. The caller frees *out with
 * prog_funcs__free().
 */
int prog__read_addresses(const struct prog *p, struct prog_funcs *out);
void prog_funcs__free(struct prog_funcs *funcs);
/*
 * Returns the symbol that the kernel gives the code of function i, "bpf_prog_TAG_NAME"; NULL: out of
 * memory. Loads the program's functions to get the name. The caller frees the symbol.
 */
char *prog__func_symbol(struct prog *p, __u32 i);

/*
 * Reads the code of a program. Load the program's functions before: otherwise the code has no
 * source lines. p->funcs has to outlive *out. Returns 0, or -errno with *reason: REASON_NOT_JITED,
 * REASON_NO_PERM, REASON_CODE_HIDDEN, REASON_SYSTEM. The caller frees *out with prog_code__free(),
 * also on failure.
 */
int prog__read_code(const struct prog *p, struct prog_code *out, struct reason *reason);
void prog_code__free(struct prog_code *code);

#endif
