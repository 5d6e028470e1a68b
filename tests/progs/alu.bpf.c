// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets for exactness: xdp_alu_K is an empty XDP program with K additions. One BPF addition is
 * one instruction on arm64 and on x86-64, so that the net cost of xdp_alu_K is K instructions above
 * that of xdp_alu_0. Context: XDP, driven by BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/*
 * Starts K below the verdict, so that the additions result in it: loading the constant takes one
 * instruction, whatever K.
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
