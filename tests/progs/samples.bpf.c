// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs with runs of varying length: runs of equal length can synchronize with the sampling
 * timer, which would then always hit the same places. hop_root makes a tail call to jumps[0], and
 * hop_middle makes one to more[0]; the test fills both arrays. hop_leaf is entered only by tail
 * calls, from hop_root directly or through hop_middle, and takes nearly all of the time. Context:
 * XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* Executes n instructions without effect that no compiler removes. */
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")
#define KEEP_LOOP _Pragma("clang loop unroll(disable)")

struct jumps {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
};
struct jumps jumps SEC(".maps"), more SEC(".maps");

/* Executes 2,800 instructions on average. */
SEC("xdp")
int uneven_short(struct xdp_md *ctx)
{
	__u32 n = bpf_get_prandom_u32() & 255;

	KEEP_LOOP
	for (__u32 i = 0; i < n; i++)
		WORK(20);
	return XDP_DROP;
}

/* Executes 46,000 instructions on average. */
SEC("xdp")
int hop_leaf(struct xdp_md *ctx)
{
	__u32 n = 100 + (bpf_get_prandom_u32() & 255);

	KEEP_LOOP
	for (__u32 i = 0; i < n; i++)
		WORK(200);
	return XDP_DROP;
}

SEC("xdp")
int hop_middle(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &more, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int hop_root(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &jumps, 0);
	return XDP_ABORTED;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
