// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that libbpf 1.1 cannot handle: two sections that later versions know, a section that no version
 * knows, and a variable in an arena (libbpf 1.4). The variable only has the section name of an arena, because
 * clang 14 has no address spaces for BPF.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC(".addr_space.1") __u64 in_arena;

static __attribute__((noinline)) int add_one(void)
{
	return in_arena++;
}

SEC("xdp")
int plain(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int uses_arena(struct xdp_md *ctx)
{
	in_arena++;
	return add_one() ? XDP_PASS : XDP_DROP; /* libbpf refuses this function, too */
}

SEC("xdp")
int calls_arena(struct xdp_md *ctx)
{
	return add_one() ? XDP_PASS : XDP_DROP;
}

SEC("tcx/ingress")
int tcx(struct __sk_buff *skb)
{
	return -1;
}

SEC("netfilter")
int filter(void *ctx)
{
	return 1;
}

SEC("newer/than/all")
int unknown(struct __sk_buff *skb)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
