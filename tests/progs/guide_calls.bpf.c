// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs of the examples in docs/guide-calls.md. Each spends most of its time in one function that it
 * calls. Each run handles another flow than the run before. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define DEFINE_MAP(name, kind, entries)       \
	struct {                              \
		__uint(type, kind);           \
		__uint(max_entries, entries); \
		__type(key, __u32);           \
		__type(value, __u64);         \
	} name SEC(".maps")

enum { AF_INET = 2, FLOWS = 1000 };

DEFINE_MAP(sessions, BPF_MAP_TYPE_LRU_HASH, FLOWS);
DEFINE_MAP(flows, BPF_MAP_TYPE_HASH, FLOWS);
DEFINE_MAP(routed, BPF_MAP_TYPE_HASH, FLOWS);

__u32 runs;

/* Adds a new flow in each run. After FLOWS runs, the map is full. */
SEC("xdp")
int xdp_sessions(struct xdp_md *ctx)
{
	__u32 flow = runs++;
	__u64 packets = 1;

	bpf_map_update_elem(&sessions, &flow, &packets, BPF_ANY);
	return XDP_PASS;
}

static void count(void *map, __u32 flow)
{
	__u64 *packets = bpf_map_lookup_elem(map, &flow), one = 1;

	if (packets)
		(*packets)++;
	else
		bpf_map_update_elem(map, &flow, &one, BPF_ANY);
}

/* Counts packets of the same FLOWS flows again and again. */
SEC("xdp")
int xdp_flows(struct xdp_md *ctx)
{
	count(&flows, runs++ % FLOWS);
	return XDP_PASS;
}

SEC("xdp")
int xdp_router(struct xdp_md *ctx)
{
	__u32 flow = runs++ % FLOWS;
	struct bpf_fib_lookup route = {
		.family = AF_INET,
		.ifindex = ctx->ingress_ifindex,
		.ipv4_src = bpf_htonl(0x7f000001),
		.ipv4_dst = bpf_htonl(0x7f000100 + flow),
	};

	count(&routed, flow);
	return bpf_fib_lookup(ctx, &route, sizeof(route), 0) < 0 ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
