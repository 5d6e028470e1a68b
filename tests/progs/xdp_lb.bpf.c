// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A small load balancer, for the demonstration: chooses a backend with a hash of the flow, rewrites
 * the destination, updates the IP checksum and sends the packet back. Context: XDP.
 */
#include "packet.h"

#define BACKENDS 8

struct backend {
	__u8 mac[ETH_ALEN];
	__be32 ip;
	__u64 packets;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BACKENDS);
	__type(key, __u32);
	__type(value, struct backend);
} backends SEC(".maps");

/* Hashes addresses and ports with the finalizer of MurmurHash. */
static __always_inline __u32 hash_flow(const struct packet *p)
{
	__u32 h = p->ip->saddr ^ p->ip->daddr ^ ((__u32)p->udp->source << 16 | p->udp->dest);

	h ^= h >> 16;
	h *= 0x85ebca6b;
	h ^= h >> 13;
	h *= 0xc2b2ae35;
	return h ^ h >> 16;
}

static __always_inline __u16 checksum(const struct iphdr *ip)
{
	const __u16 *word = (const void *)ip;
	__u32 sum = 0;

	for (int i = 0; i < (int)sizeof(*ip) / 2; i++)
		sum += word[i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

SEC("xdp")
int xdp_lb(struct xdp_md *ctx)
{
	struct packet p;
	struct backend *to;
	__u32 key;

	if (!packet__parse_udp(&p, ctx))
		return XDP_PASS;
	key = hash_flow(&p) % BACKENDS;
	to = bpf_map_lookup_elem(&backends, &key);
	if (!to)
		return XDP_ABORTED;
	__builtin_memcpy(p.eth->h_source, p.eth->h_dest, ETH_ALEN);
	__builtin_memcpy(p.eth->h_dest, to->mac, ETH_ALEN);
	p.ip->daddr = to->ip;
	p.ip->check = 0;
	p.ip->check = checksum(p.ip);
	to->packets++;
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
