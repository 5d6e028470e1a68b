// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets on the path of one packet: XDP, tc, the cgroup of the socket, the socket. Two of them drop some of the
 * packets, so that later ones on the path run less often. path_clone makes path_egress run within its own run.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include "path.h"

struct path_seen seen;

/* Each addition is an instruction on all architectures (alu.bpf.c). */
#define WORK(insns)                                      \
	do {                                             \
		int work = 1;                            \
                                                         \
		asm volatile(".rept %[half]\n\t"         \
			     "%[work] += 1\n\t"          \
			     "%[work] += -1\n\t"         \
			     ".endr"                     \
			     : [work] "+w"(work)         \
			     : [half] "i"((insns) / 2)); \
	} while (0)

SEC("xdp")
int path_xdp(struct xdp_md *ctx)
{
	WORK(PATH_XDP_INSNS);
	return ++seen.xdp % PATH_XDP_DROPS ? XDP_PASS : XDP_DROP;
}

SEC("tc")
int path_tc(struct __sk_buff *skb)
{
	WORK(PATH_TC_INSNS);
	return ++seen.tc % PATH_TC_DROPS ? TC_ACT_OK : TC_ACT_SHOT;
}

SEC("cgroup_skb/ingress")
int path_cgroup(struct __sk_buff *skb)
{
	WORK(PATH_CGROUP_INSNS);
	seen.cgroup++;
	return 1;
}

SEC("socket")
int path_filter(struct __sk_buff *skb)
{
	WORK(PATH_FILTER_INSNS);
	seen.filter++;
	return 0xffff;
}

SEC("tc")
int path_clone(struct __sk_buff *skb)
{
	seen.clone++;
	bpf_clone_redirect(skb, seen.to, 0);
	return TC_ACT_OK;
}

SEC("tc")
int path_egress(struct __sk_buff *skb)
{
	WORK(PATH_TC_INSNS);
	seen.egress++;
	return TC_ACT_SHOT;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
