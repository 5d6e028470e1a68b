// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the knowledge of how the kernel's JIT for riscv64 loads 64-bit numbers: emit_imm() in
 * arch/riscv/net/bpf_jit_comp64.c. The JIT begins with the upper bits, then shifts and adds 12 bits at a
 * time. A single shift skips all zeros at the end of the upper part, and the JIT leaves out additions of
 * zero. So most addresses in the kernel take three to seven instructions, and neighbouring addresses can take
 * different numbers. Must not know programs. Does not access the kernel.
 */

#include "btf/riscv64_addrs.h"

#define LOW_BITS 12

int riscv64__load_insns(__u64 value)
{
	/* An immediate of 12 bits is signed. If it is negative, the upper part is greater by 1. */
	__s64 upper = (__s64)(value + (1 << (LOW_BITS - 1))) >> LOW_BITS;
	int low = !!(value & ((1 << LOW_BITS) - 1));

	if ((__s64)value == (__s32)value)
		return upper ? 2 : 1; /* LUI and ADDIW; LI */
	/* the upper part, SLLI, ADDI */
	return riscv64__load_insns(upper >> __builtin_ctzll(upper)) + 1 + low;
}

bool riscv64__loads_address(const struct bpf_insn *insns, __u32 cnt)
{
	for (__u32 i = 0; i < cnt; i++) {
		if (insns[i].code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		/* The address of a function is loaded relative to the code. */
		if (insns[i].src_reg && insns[i].src_reg != BPF_PSEUDO_FUNC)
			return true;
		i++;
	}
	return false;
}
