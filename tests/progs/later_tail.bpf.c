// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that are entered by tail calls, with their functions. xdp_jump and xdp_jump_sub jump to the program
 * that the loader puts into jumps[0], xdp_jump_two to jumps[0] and jumps[1] in turns, and xdp_rounds to itself
 * (jumps[2]), twice in each run. xdp_target and xdp_other call functions of their own. Context: XDP, in
 * BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
#define USE(value) asm volatile("" : : "r"(value))
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 3);
	__type(key, __u32);
	__type(value, __u32);
} jumps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} counter SEC(".maps");

#define DEFINE_LEAF(name, n)              \
	static NOINLINE long name(long x) \
	{                                 \
		WORK(n);                  \
		return x;                 \
	}

DEFINE_LEAF(leaf, 100)
DEFINE_LEAF(leaf_target, 300)
DEFINE_LEAF(leaf_other, 500)

static __always_inline __u64 count(void)
{
	__u64 *n = bpf_map_lookup_elem(&counter, &(__u32){0});

	return n ? ++*n : 0;
}

SEC("xdp")
int xdp_target(struct xdp_md *ctx)
{
	USE(leaf_target(1));
	USE(leaf_target(2));
	return XDP_DROP;
}

SEC("xdp")
int xdp_other(struct xdp_md *ctx)
{
	USE(leaf_other(1));
	return XDP_DROP;
}

SEC("xdp")
int xdp_jump(struct xdp_md *ctx)
{
	USE(leaf(1));
	bpf_tail_call(ctx, &jumps, 0);
	return XDP_ABORTED;
}

/* Has no function of its own. */
SEC("xdp")
int xdp_jump_only(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &jumps, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int xdp_jump_two(struct xdp_md *ctx)
{
	USE(leaf(1));
	bpf_tail_call(ctx, &jumps, count() & 1);
	return XDP_ABORTED;
}

static NOINLINE int jump(struct xdp_md *ctx)
{
	WORK(50);
	bpf_tail_call(ctx, &jumps, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int xdp_jump_sub(struct xdp_md *ctx)
{
	USE(leaf(1));
	return jump(ctx);
}

SEC("xdp")
int xdp_rounds(struct xdp_md *ctx)
{
	USE(leaf(1));
	if (count() % 3)
		bpf_tail_call(ctx, &jumps, 2);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
