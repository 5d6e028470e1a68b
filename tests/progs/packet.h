/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the Ethernet, IPv4 and UDP headers of a packet, for XDP targets.
 */
#ifndef PROGS_PACKET_H
#define PROGS_PACKET_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct packet {
	struct ethhdr *eth;
	struct iphdr *ip;
	struct udphdr *udp;
};

/* Finds the headers. Returns false if the packet is not UDP over IPv4 without options. */
static __always_inline bool packet__parse_udp(struct packet *p, struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;

	p->eth = (void *)(long)ctx->data;
	p->ip = (void *)(p->eth + 1);
	p->udp = (void *)(p->ip + 1);
	return (void *)(p->udp + 1) <= end && p->eth->h_proto == bpf_htons(ETH_P_IP) &&
	       p->ip->ihl == 5 && p->ip->protocol == IPPROTO_UDP;
}

#endif
