/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells how many arguments the kernel's functions take that a loaded program calls.
 */
#ifndef BPROF_CALL_ARGS_H
#define BPROF_CALL_ARGS_H

#include <linux/types.h>

struct bpf_insn;
struct btf;
struct ksyms;

#define CALL_ARGS_KNOWN 64

/* All 0 at first. */
struct call_args {
	/* What was found out: of a call with this imm. It is overwritten when there is no room. */
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
 * A call_args_fn (btf/arg_reads.h) for translated instructions. ctx: a struct call_args. 1 if the
 * number is not known, as when the kernel hides which function it is (kernel.kptr_restrict): nearly
 * all take at least one.
 */
int call_args__count(void *ctx, const struct bpf_insn *call);
/* Frees the symbols and types, several megabytes. What was found out stays. */
void call_args__close(struct call_args *c);

#endif
