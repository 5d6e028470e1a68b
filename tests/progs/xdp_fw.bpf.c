// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A small firewall, for the demonstration: drops UDP packets to closed ports and counts packets per
 * source address. Context: XDP.
 */
#include "packet.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __be32);
	__type(value, __u64);
} sources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __be16);
	__type(value, __u8);
} open_ports SEC(".maps");

SEC("xdp")
int xdp_fw(struct xdp_md *ctx)
{
	struct packet p;
	__u64 one = 1, *cnt;
	__be32 source;
	__be16 port;

	if (!packet__parse_udp(&p, ctx))
		return XDP_PASS;
	source = p.ip->saddr;
	cnt = bpf_map_lookup_elem(&sources, &source);
	if (cnt)
		__sync_fetch_and_add(cnt, 1);
	else
		bpf_map_update_elem(&sources, &source, &one, BPF_NOEXIST);
	port = p.udp->dest;
	return bpf_map_lookup_elem(&open_ports, &port) ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
