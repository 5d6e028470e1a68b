// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What one call of a helper costs: each program makes one. They show which helper made the programs
 * of other projects cheaper or more expensive (docs/field.md).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MAP(name, map_type)              \
	struct {                         \
		__uint(type, map_type);  \
		__uint(max_entries, 64); \
		__type(key, __u32);      \
		__type(value, __u64);    \
	} name SEC(".maps")

MAP(array, BPF_MAP_TYPE_ARRAY);
MAP(percpu_array, BPF_MAP_TYPE_PERCPU_ARRAY);
MAP(hash, BPF_MAP_TYPE_HASH);
MAP(percpu_hash, BPF_MAP_TYPE_PERCPU_HASH);
MAP(lru_hash, BPF_MAP_TYPE_LRU_HASH);

SEC("xdp")
int smp_processor_id(struct xdp_md *ctx)
{
	return bpf_get_smp_processor_id() ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int ktime_get_ns(struct xdp_md *ctx)
{
	return bpf_ktime_get_ns() ? XDP_PASS : XDP_DROP;
}

#define LOOKUP(map)                                                           \
	SEC("xdp")                                                            \
	int lookup_##map(struct xdp_md *ctx)                                  \
	{                                                                     \
		__u32 key = 1;                                                \
                                                                              \
		return bpf_map_lookup_elem(&map, &key) ? XDP_PASS : XDP_DROP; \
	}

LOOKUP(array)
LOOKUP(percpu_array)
LOOKUP(hash)
LOOKUP(percpu_hash)
LOOKUP(lru_hash)

/* As long as the keys of load balancers. */
struct vip {
	__u32 words[6];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct vip);
	__type(value, __u64);
} hash_24 SEC(".maps");

SEC("xdp")
int lookup_hash_24(struct xdp_md *ctx)
{
	struct vip key = {};

	key.words[0] = 1;
	return bpf_map_lookup_elem(&hash_24, &key) ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int update_hash(struct xdp_md *ctx)
{
	__u32 key = 1;
	__u64 value = 1;

	return bpf_map_update_elem(&hash, &key, &value, BPF_EXIST) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int adjust_head(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, 0) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int load_bytes(struct xdp_md *ctx)
{
	__u8 head[14];

	return bpf_xdp_load_bytes(ctx, 0, head, sizeof(head)) ? XDP_DROP : XDP_PASS;
}

static __attribute__((noinline)) int subprog(struct xdp_md *ctx)
{
	return ctx->rx_queue_index ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int call_subprog(struct xdp_md *ctx)
{
	return subprog(ctx);
}

SEC("tc")
int skb_load_bytes(struct __sk_buff *skb)
{
	__u8 head[14];

	return bpf_skb_load_bytes(skb, 0, head, sizeof(head)) ? 2 : 0;
}

SEC("tc")
int current_task(struct __sk_buff *skb)
{
	return bpf_get_current_task() ? 0 : 2;
}

char _license[] SEC("license") = "GPL";
