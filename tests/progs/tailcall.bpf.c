// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that end with a tail call to the program that the loader puts into jumps[0]. A tail call
 * bypasses the trampoline at the entry of the called program, so fentry misses the called program's
 * run. tail_in_sub makes the tail call in a subprogram, and has another subprogram without a tail
 * call. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} jumps SEC(".maps");

SEC("xdp")
int tail_leaf(struct xdp_md *ctx)
{
	return XDP_DROP;
}

SEC("xdp")
int tail_root(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &jumps, 0);
	return XDP_ABORTED;
}

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, __u64);
} looked_up SEC(".maps");

/* Calls functions of the kernel, with and without a map. Its calls are in runs of a program that makes none itself. */
SEC("xdp")
int tail_looks_up(struct xdp_md *ctx)
{
	int found = 0;

	for (__u32 i = 0; i < 8; i++) {
		__u32 key = i;

		found += bpf_map_lookup_elem(&looked_up, &key) != 0;
	}
	return found + (bpf_get_prandom_u32() & 1) ? XDP_PASS : XDP_DROP;
}

/* Ends the chain of tail calls if the kernel does not limit it. */
#define MAX_ROUNDS 1000

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} rounds SEC(".maps");

static __attribute__((noinline)) int sub_hop(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &jumps, 0);
	return XDP_ABORTED;
}

/* Calls sub_hop(), which makes the tail call. */
static __attribute__((noinline)) int sub_to_hop(struct xdp_md *ctx)
{
	int verdict = sub_hop(ctx);

	asm volatile("" : "+r"(verdict));
	return verdict;
}

static __attribute__((noinline)) int sub_plain(int x)
{
	asm volatile("" : "+r"(x));
	return x + 1;
}

SEC("xdp")
int tail_in_sub(struct xdp_md *ctx)
{
	__u64 *round = bpf_map_lookup_elem(&rounds, &(__u32){0});

	if (!round || ++*round > MAX_ROUNDS)
		return XDP_ABORTED;
	return sub_plain(sub_to_hop(ctx));
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
