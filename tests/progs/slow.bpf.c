// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets that are sometimes slow: each invocation writes its number into the packet, and one
 * invocation in SLOW_PERIOD executes SLOW_INSNS more instructions and returns another value.
 * Context: XDP and tc, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include "slow.h"

#define BLOCK_INSNS 1000

__u64 number; /* number of the next invocation */

static __always_inline int run(__u64 *in_packet, int fast, int slow)
{
	__u64 n = number++;

	*in_packet = n;
	if (n % SLOW_PERIOD != SLOW_AT)
		return fast;
#pragma clang loop unroll(disable)
	for (int i = 0; i < SLOW_INSNS / BLOCK_INSNS; i++)
		asm volatile(".rept %[cnt]\n\t"
			     "%[n] += 1\n\t"
			     ".endr"
			     : [n] "+r"(n)
			     : [cnt] "i"(BLOCK_INSNS));
	return slow;
}

SEC("xdp")
int xdp_slow(struct xdp_md *ctx)
{
	__u64 *word = (void *)(long)ctx->data;

	if ((void *)(word + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	return run(word, XDP_DROP, XDP_TX);
}

SEC("tc")
int tc_slow(struct __sk_buff *ctx)
{
	__u64 *word = (void *)(long)ctx->data;

	if ((void *)(word + 1) > (void *)(long)ctx->data_end)
		return TC_ACT_SHOT;
	return run(word, TC_ACT_OK, TC_ACT_STOLEN);
}

/* All runs but one execute the same number of instructions. */
SEC("xdp")
int xdp_outlier(struct xdp_md *ctx)
{
	__u64 n = number++;

	asm volatile(".rept 655\n\t"
		     "%[n] += 1\n\t"
		     ".endr\n\t"
		     "%[n] += -655"
		     : [n] "+r"(n));
	if (n != OUTLIER_AT)
		return XDP_DROP;
	asm volatile(".rept %[cnt]\n\t"
		     "%[n] += 1\n\t"
		     ".endr"
		     : [n] "+r"(n)
		     : [cnt] "i"(OUTLIER_INSNS));
	return n ? XDP_DROP : XDP_PASS;
}

/* Accepts packets with fragments. */
SEC("xdp.frags")
int xdp_parts(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
