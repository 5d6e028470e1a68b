// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets for tests of exact counts: xdp_alu_K is an empty XDP program with K additions. One BPF
 * addition is one instruction on arm64, x86-64 and riscv64. Therefore the net count of xdp_alu_K is K
 * instructions higher than that of xdp_alu_0. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/*
 * The additions add 1 and -1 by turns, so for any K the program starts with a small constant, the verdict or
 * the verdict - 1. riscv64 loads only small constants with one instruction. The verdict has 32 bits, as in a
 * program in C; riscv64 extends it to 64 bits by one more instruction.
 */
#define DEFINE_ALU(k)                                  \
	SEC("xdp") int xdp_alu_##k(struct xdp_md *ctx) \
	{                                              \
		int verdict = XDP_PASS - ((k)&1);      \
                                                       \
		asm volatile(".rept " #k " / 2\n\t"    \
			     "%0 += 1\n\t"             \
			     "%0 += -1\n\t"            \
			     ".endr\n\t"               \
			     ".rept " #k " & 1\n\t"    \
			     "%0 += 1\n\t"             \
			     ".endr"                   \
			     : "+w"(verdict));         \
		return verdict;                        \
	}

DEFINE_ALU(0)
DEFINE_ALU(1)
DEFINE_ALU(7)
DEFINE_ALU(64)
DEFINE_ALU(100)
DEFINE_ALU(1000)
DEFINE_ALU(10000)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
