// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that tail-calls itself from a subprogram. It shows whether a probe on the subprogram
 * makes the kernel lose the count of tail calls. The program counts its own runs, and stops by
 * itself if the kernel does not stop it. User space puts the program into bprof_hops[0] and starts
 * it by BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "trytail.h"

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} bprof_hops SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} bprof_rounds SEC(".maps");

static __attribute__((noinline)) int bprof_hop(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &bprof_hops, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int bprof_hopper(struct xdp_md *ctx)
{
	__u64 *rounds = bpf_map_lookup_elem(&bprof_rounds, &(__u32){0});

	if (!rounds || ++*rounds >= TRYTAIL_END)
		return XDP_ABORTED;
	return bprof_hop(ctx);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
