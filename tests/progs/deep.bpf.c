// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that runs deep on the stack for interrupts. Each packet that arrives at a device is
 * sent to the device's peer as a copy, by one of the programs carrier_N, which then runs again for
 * the copy, inside of its own run. After "levels" copies, the program "leaf" runs. N changes how
 * much of the stack each level takes. test_called.c attaches a carrier at ingress and egress of the
 * device, and leaf after the carrier at egress. Context: soft interrupts.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
#define LEAF_STACK 192

#define DEFINE_MAP(name, kind, entries)       \
	struct {                              \
		__uint(type, kind);           \
		__uint(max_entries, entries); \
		__type(key, __u32);           \
		__type(value, __u64);         \
	} name SEC(".maps")

DEFINE_MAP(flows, BPF_MAP_TYPE_HASH, 64);
DEFINE_MAP(levels, BPF_MAP_TYPE_ARRAY, 1);
DEFINE_MAP(counts, BPF_MAP_TYPE_ARRAY, 1); /* runs of leaf */

/* The packet's mark is the number of copies so far. */
static __always_inline int carry(struct __sk_buff *skb)
{
	__u32 key = 0;
	__u64 *cnt = bpf_map_lookup_elem(&levels, &key);

	if (!cnt || skb->mark >= *cnt)
		return TC_ACT_UNSPEC; /* the next program runs */
	skb->mark++;
	bpf_clone_redirect(skb, skb->ifindex, 0);
	return TC_ACT_SHOT;
}

#define DEFINE_CARRIER(n)                                  \
	SEC("tc") int carrier_##n(struct __sk_buff *skb)   \
	{                                                  \
		char room[n] = {};                         \
                                                           \
		asm volatile("" : : "r"(room) : "memory"); \
		return carry(skb);                         \
	}

DEFINE_CARRIER(8)
DEFINE_CARRIER(96)
DEFINE_CARRIER(184)
DEFINE_CARRIER(272)
DEFINE_CARRIER(360)

static NOINLINE long inner(long x)
{
	__u32 key = 1;
	__u64 value = x;

	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);
	return x;
}

SEC("tc")
int leaf(struct __sk_buff *skb)
{
	char room[LEAF_STACK] = {};
	__u32 key = 0;
	__u64 value = 7, *count = bpf_map_lookup_elem(&counts, &key);

	asm volatile("" : : "r"(room) : "memory");
	if (count)
		__sync_fetch_and_add(count, 1);
	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);
	return inner(3) == 3 ? TC_ACT_SHOT : TC_ACT_OK;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
