// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets on hooks of packets and sockets, which tests/kernel/drive/contexts.c attaches and drives.
 * The programs pass everything, except for packets that were redirected to another CPU.
 */
#include <linux/netfilter.h>
#include <linux/pkt_cls.h>

#include "contexts.h"
#include "contexts_shapes.h"

#define WHOLE_PACKET 0xffff /* number of bytes that a socket filter keeps */

CONTEXT("xdp", xdp, struct xdp_md *, XDP_PASS)
CONTEXT("xdp/cpumap", xdp_cpumap, struct xdp_md *, XDP_DROP)
CONTEXT("tc", tc, struct __sk_buff *, TC_ACT_OK)
CONTEXT("action", action, struct __sk_buff *, TC_ACT_OK)
CONTEXT("socket", socket_filter, struct __sk_buff *, WHOLE_PACKET)
CONTEXT("sk_reuseport", sk_reuseport, struct sk_reuseport_md *, SK_PASS)
CONTEXT("sk_lookup", sk_lookup, struct bpf_sk_lookup *, SK_PASS)
CONTEXT("sk_msg", sk_msg, struct sk_msg_md *, SK_PASS)
CONTEXT("sk_skb/stream_verdict", sk_skb, struct __sk_buff *, SK_PASS)
CONTEXT("flow_dissector", flow_dissector, struct __sk_buff *, BPF_OK)
CONTEXT("lwt_in", lwt_in, struct __sk_buff *, BPF_OK)
CONTEXT("lwt_out", lwt_out, struct __sk_buff *, BPF_OK)
CONTEXT("lwt_xmit", lwt_xmit, struct __sk_buff *, BPF_OK)

/* Some versions of libbpf do not know this program type, so the loader sets it. */
struct bpf_nf_ctx;
CONTEXT("netfilter", netfilter, struct bpf_nf_ctx *, NF_ACCEPT)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
