// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets for tests of exact counts: xdp_alu_K is an empty XDP program with K additions. One BPF
 * addition is one instruction on arm64 and on x86-64. Therefore the net count of xdp_alu_K is K
 * instructions higher than that of xdp_alu_0. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/*
 * Starts with the verdict minus K, so that K additions give the verdict. Loading this constant
 * takes one instruction for any K.
 */
#define DEFINE_ALU(k)                                  \
	SEC("xdp") int xdp_alu_##k(struct xdp_md *ctx) \
	{                                              \
		long verdict = XDP_PASS - (k);         \
                                                       \
		asm volatile(".rept " #k "\n\t"        \
			     "%0 += 1\n\t"             \
			     ".endr"                   \
			     : "+r"(verdict));         \
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
