// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that leaves through a tail call: tail_leaf is entered without the trampoline on its
 * entry, so that fentry sees none of these runs. The loader puts tail_leaf into jumps[0]. Context:
 * XDP.
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";
