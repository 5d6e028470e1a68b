// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the knowledge of how the kernel's JIT for arm64 loads 64-bit numbers: emit_a64_mov_i64() in
 * arch/arm64/net/bpf_jit_comp.c. The JIT sets the highest 16-bit part that is not zero (MOVZ) and
 * then each other part that is not zero (MOVK). If this takes fewer instructions, it instead sets
 * all bits (MOVN) and then each part that is not all ones (MOVK). On machines with up to 4 GB,
 * addresses in the kernel's linear map are 0xffff0000xxxxxxxx or 0xfff00000xxxxxxxx. Loading such
 * an address takes a MOVZ and two MOVKs or, if one of the two lowest parts is zero, a MOVZ and one
 * MOVK. Must not know programs. Does not access the kernel.
 */
#include "btf/arm64_addrs.h"

#define COMMON_INSNS 3
#define MIN_TOP 0xff00 /* the smallest value of a kernel address's top 16 bits */

/* Returns true for MOVZ Xd, #imm, LSL #48, if it begins to load a kernel address. */
static bool begins_address(__u32 insn)
{
	return (insn & 0xffe00000) == 0xd2e00000 && (insn >> 5 & 0xffff) >= MIN_TOP;
}

/* Returns true for a MOVK of any part of the register that the instruction `first` loads. */
static bool continues_address(__u32 insn, __u32 first)
{
	return (insn & 0xff80001f) == (0xf2800000 | (first & 0x1f));
}

__u32 arm64__count_short(const __u32 *code, __u32 cnt)
{
	__u32 found = 0;

	for (__u32 i = 0; i < cnt; i++) {
		__u32 insns = 1;

		if (!begins_address(code[i]))
			continue;
		while (i + insns < cnt && continues_address(code[i + insns], code[i]))
			insns++;
		found += insns < COMMON_INSNS;
	}
	return found;
}

static int count_parts(__u64 v, __u16 but)
{
	int parts = 0;

	for (int shift = 0; shift < 64; shift += 16)
		parts += (__u16)(v >> shift) != but;
	return parts;
}

bool arm64__is_common_address(__u64 address)
{
	int parts = count_parts(address, 0), inverse_parts = count_parts(address, 0xffff);

	return (inverse_parts < parts ? inverse_parts : parts) == COMMON_INSNS;
}

__u32 arm64__count_short_constants(const struct bpf_insn *insns, __u32 cnt)
{
	__u32 found = 0;

	for (__u32 i = 0; i + 1 < cnt; i++) {
		__u64 v = (__u32)insns[i].imm | (__u64)(__u32)insns[i + 1].imm << 32;

		if (insns[i].code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		found += !insns[i].src_reg && v >> 48 >= MIN_TOP &&
			 count_parts(v, 0) < COMMON_INSNS &&
			 count_parts(v, 0) <= count_parts(v, 0xffff);
		i++;
	}
	return found;
}
