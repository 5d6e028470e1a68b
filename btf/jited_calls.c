// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the machine instructions by which the kernel's JITs call functions. Must not know which
 * functions exist. Does not access the kernel.
 */
#include <string.h>

#include "btf/jited_calls.h"

#define X86_CALL 0xe8
#define X86_CALL_SZ 5

bool x86_64__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target)
{
	__s32 distance;

	if (len < X86_CALL_SZ || off > len - X86_CALL_SZ || code[off] != X86_CALL)
		return false;
	memcpy(&distance, code + off + 1, sizeof(distance));
	*target = address + off + X86_CALL_SZ + distance;
	return true;
}

static __u32 arm64_insn(const __u8 *code, __u32 off)
{
	__u32 insn;

	memcpy(&insn, code + off, sizeof(insn));
	return insn;
}

/*
 * Decodes the number that is loaded into a 64-bit register before offset "end": the MOVZ or MOVN
 * and the MOVKs that follow it (emit_a64_mov_i64() in arch/arm64/net/bpf_jit_comp.c). Returns false
 * if these instructions do not begin with MOVZ or MOVN.
 */
static bool find_loaded(const __u8 *code, __u32 end, __u32 reg, __u64 *value)
{
	__u64 known = 0;

	*value = 0;
	for (__u32 off = end; off >= 4;) {
		__u32 insn = arm64_insn(code, off -= 4), kind = insn & 0xff800000;
		__u64 part = (__u64)(insn >> 5 & 0xffff) << (insn >> 21 & 3) * 16;

		if ((insn & 0x1f) != reg)
			return false;
		if (kind == 0xd2800000 || kind == 0x92800000) { /* MOVZ, MOVN */
			*value |= (kind == 0xd2800000 ? part : ~part) & ~known;
			return true;
		}
		if (kind != 0xf2800000) /* MOVK */
			return false;
		*value |= part & ~known;
		known |= 0xffffULL << (insn >> 21 & 3) * 16;
	}
	return false;
}

bool arm64__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target)
{
	__u32 insn;

	if (off % 4 || len < 4 || off > len - 4)
		return false;
	insn = arm64_insn(code, off);
	if ((insn & 0xfc000000) == 0x94000000) { /* BL: a signed number of instructions */
		*target = address + off + (__s64)(__s32)(insn << 6) / 64 * 4;
		return true;
	}
	if ((insn & 0xfffffc1f) == 0xd63f0000) /* BLR */
		return find_loaded(code, off, insn >> 5 & 0x1f, target);
	return false;
}

bool jited__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target)
{
#ifdef __aarch64__
	return arm64__find_call(code, len, address, off, target);
#elif defined(__x86_64__)
	return x86_64__find_call(code, len, address, off, target);
#else
	return false;
#endif
}

/* An element of returns[] that is no address: machine code calls the target more often than BPF code does. */
#define TOO_OFTEN (~0ULL)

static void set_all(const __u64 *target, __u64 *returns, int cnt, __u64 which, __u64 address)
{
	for (int i = 0; i < cnt; i++)
		if (target[i] == which)
			returns[i] = address;
}

/* Assigns a call in machine code to the first call of the same target that has no address yet. */
static void place_call(const __u64 *target, __u64 *returns, int cnt, __u64 which, __u64 address)
{
	for (int i = 0; i < cnt; i++)
		if (target[i] == which && !returns[i]) {
			returns[i] = address;
			return;
		}
	set_all(target, returns, cnt, which, TOO_OFTEN);
}

void jited__find_returns(const __u8 *code, __u32 len, __u64 address, const __u64 *target,
			 __u64 *returns, int cnt)
{
	__u64 which;

	memset(returns, 0, cnt * sizeof(*returns));
	for (__u32 off = 0; off < len; off++)
		if (jited__find_call(code, len, address, off, &which))
			place_call(target, returns, cnt, which, address + off + JITED_CALL_SZ);
	for (int i = 0; i < cnt; i++)
		if (!returns[i] || returns[i] == TOO_OFTEN)
			set_all(target, returns, cnt, target[i], 0);
}
