// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs whose path depends on fields that a capture lacks, and one that only reads the packet.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* Passes IPv4 only, and takes longer for it than for other packets. */
SEC("tc")
int tc_packet(struct __sk_buff *skb)
{
	struct ethhdr *eth = (void *)(long)skb->data;
	__u64 sum = 0;

	if ((void *)(eth + 1) > (void *)(long)skb->data_end)
		return TC_ACT_SHOT;
	if (eth->h_proto != bpf_htons(ETH_P_IP))
		return TC_ACT_SHOT;
	asm volatile(".rept 1000\n\t"
		     "%[sum] += 1\n\t"
		     ".endr"
		     : [sum] "+r"(sum));
	return TC_ACT_OK;
}

static __noinline int is_marked(struct __sk_buff *skb)
{
	return skb->mark == 5 || skb->hash == 5;
}

SEC("tc")
int tc_fields(struct __sk_buff *skb)
{
	return skb->vlan_tci == 5 || is_marked(skb) ? TC_ACT_SHOT : TC_ACT_OK;
}

SEC("xdp")
int xdp_queue(struct xdp_md *ctx)
{
	return ctx->rx_queue_index ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
