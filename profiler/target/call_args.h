/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds how many arguments the kernel functions take that a loaded program calls.
 */
#ifndef BPROF_CALL_ARGS_H
#define BPROF_CALL_ARGS_H

#include <linux/types.h>

struct bpf_insn;
struct btf;
struct ksyms;

#define CALL_ARGS_KNOWN 64

/* Zero it before the first call. */
struct call_args {
	/*
	 * Results: how many arguments a call with this imm has. If there is no room, a new result
	 * overwrites an old one.
	 */
	struct {
		__s32 imm;
		__u8 src_reg;
		__s8 cnt;
	} known[CALL_ARGS_KNOWN];
	__u32 known_cnt;
	/* The kernel's symbols and types, read when first needed. */
	struct ksyms *ksyms;
	__u64 base; /* the address to which imm is relative; 0: not known */
	struct btf *btf;
};

/*
 * A call_args_fn (btf/arg_reads.h) for translated instructions. ctx: a struct call_args. Returns 1
 * if the number is not known, for example because the kernel hides which function is called
 * (kernel.kptr_restrict): nearly all functions take at least one argument.
 */
int call_args__count(void *ctx, const struct bpf_insn *call);
/* Frees the symbols and types, several megabytes. Keeps the results. */
void call_args__close(struct call_args *c);

#endif
