/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Three programs for comparisons. Several objects define them with different numbers of
 * instructions. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#ifndef PROGS_HOT_H
#define PROGS_HOT_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/*
 * Defines a program that executes cnt BPF instructions for every packet with at least one word, and
 * returns verdict. clang generates 9 of these instructions; test_bench.c checks the total.
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

/* Only the second of the three programs differs between the objects. */
#define DEFINE_HOT_OBJECT(cnt, verdict)      \
	DEFINE_HOT(xdp_calm, 100, XDP_PASS)  \
	DEFINE_HOT(xdp_hot, cnt, verdict)    \
	DEFINE_HOT(xdp_still, 200, XDP_PASS) \
	char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
