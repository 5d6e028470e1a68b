// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The call tree of tree.bpf.c in programs of other types, and two programs that read their packet.
 * tests/kernel/backend/fentry/test_contexts_tree.c attaches and drives these programs.
 */
#include "tree.bpf.c"

#include <linux/pkt_cls.h>
#include <linux/ptrace.h>

#include "packet.h"

#define DEFINE_TREE(sec, name, ctx_type)   \
	SEC(sec) int name(ctx_type ctx)    \
	{                                  \
		return run_tree() ? 0 : 1; \
	}

DEFINE_TREE("tc", tc_tree, struct __sk_buff *)
DEFINE_TREE("raw_tp", raw_tp_tree, struct bpf_raw_tracepoint_args *)
DEFINE_TREE("kprobe", kprobe_tree, struct pt_regs *)
DEFINE_TREE("syscall", syscall_tree, void *)

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} jumps SEC(".maps");

/* Makes a tail call that fails, because the array is empty. */
static NOINLINE int jump(struct __sk_buff *skb)
{
	bpf_tail_call(skb, &jumps, 0);
	return TC_ACT_OK;
}

/* On x86-64, a program with tail calls passes the tail call count to each of its functions. */
SEC("tc")
int tc_tail_tree(struct __sk_buff *skb)
{
	USE(jump(skb));
	return run_tree() ? TC_ACT_OK : TC_ACT_SHOT;
}

/* tc_calls makes twelve calls of global and static functions, some with the packet as argument. */
#define CALLEE(storage, name)                            \
	storage NOINLINE int name(struct __sk_buff *skb) \
	{                                                \
		WORK(10);                                \
		return skb->len;                         \
	}

CALLEE(, global_1)
CALLEE(, global_2)
CALLEE(, global_3)
CALLEE(static, static_1)
CALLEE(static, static_2)
CALLEE(static, static_3)

SEC("tc")
int tc_calls(struct __sk_buff *skb)
{
	USE(global_1(skb) + global_2(skb) + global_3(skb));
	USE(static_1(skb) + static_2(skb) + static_3(skb));
	USE(leaf(1) + leaf(2));
	empty_0();
	empty_3(0, 0, 0);
	empty_5(0, 0, 0, 0, 0);
	USE(leaf(3));
	return TC_ACT_OK;
}

/* Defines an extension for global_1 or global_2, with K additions as in alu.bpf.c. */
#define DEFINE_EXTENSION(k)                                                    \
	SEC("freplace") int extension_##k(struct __sk_buff *skb)               \
	{                                                                      \
		long zero = -(k);                                              \
                                                                               \
		asm volatile(".rept " #k "\n\t%0 += 1\n\t.endr" : "+r"(zero)); \
		return zero;                                                   \
	}

DEFINE_EXTENSION(0)
DEFINE_EXTENSION(100)

/* Sums the fields of a UDP packet. */
static __always_inline __u32 read_packet(void *data, void *end)
{
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);

	if ((void *)(udp + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP))
		return 0;
	return ip->ttl + ip->tot_len + udp->dest;
}

SEC("xdp")
int xdp_packet(struct xdp_md *ctx)
{
	return read_packet((void *)(long)ctx->data, (void *)(long)ctx->data_end) ? XDP_PASS
										 : XDP_DROP;
}

SEC("tc")
int tc_packet(struct __sk_buff *skb)
{
	return read_packet((void *)(long)skb->data, (void *)(long)skb->data_end) ? TC_ACT_OK
										 : TC_ACT_SHOT;
}
