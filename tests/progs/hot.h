/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The same three programs in several objects that differ by some instructions, for comparisons.
 * Context: XDP, driven by BPF_PROG_TEST_RUN.
 */
#ifndef PROGS_HOT_H
#define PROGS_HOT_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/*
 * Defines a program that executes cnt BPF instructions for every packet that has a word, and
 * returns verdict. 9 of the instructions are clang's; test_bench.c checks the total.
 */
#define DEFINE_HOT(name, cnt, verdict)                                \
	SEC("xdp") int name(struct xdp_md *ctx)                       \
	{                                                             \
		const __u32 *word = (void *)(long)ctx->data;          \
		__u64 sum;                                            \
                                                                      \
		if ((void *)(word + 1) > (void *)(long)ctx->data_end) \
			return XDP_DROP;                              \
		sum = *word;                                          \
		asm volatile(".rept %[more]\n\t"                      \
			     "%[sum] += 1\n\t"                        \
			     ".endr"                                  \
			     : [sum] "+r"(sum)                        \
			     : [more] "i"((cnt)-9));                  \
		return verdict;                                       \
	}

/* The programs before and after the one that differs are the same in all objects. */
#define DEFINE_HOT_OBJECT(cnt, verdict)      \
	DEFINE_HOT(xdp_calm, 100, XDP_PASS)  \
	DEFINE_HOT(xdp_hot, cnt, verdict)    \
	DEFINE_HOT(xdp_still, 200, XDP_PASS) \
	char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
