// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A tc program that leaves a VLAN tag beside the packet in every other run, as a device does for a
 * frame that it receives; and a program whose path depends on this tag.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define TPID 0x88a8 /* 802.1ad */
#define TCI 0x2005  /* priority 1, id 5 */

__u64 runs;

SEC("tc")
int tc_tag(struct __sk_buff *skb)
{
	bpf_skb_vlan_push(skb, bpf_htons(TPID), TCI);
	if (runs++ & 1)
		bpf_skb_vlan_pop(skb);
	return TC_ACT_OK;
}

SEC("tc")
int tc_tagged(struct __sk_buff *skb)
{
	return skb->vlan_present ? TC_ACT_SHOT : TC_ACT_OK;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
