// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two programs for each program type that has test runs, except for XDP (see alu.bpf.c). TYPE_0
 * does nothing. TYPE_64 has 64 additions, which are 64 instructions as in alu.bpf.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define DEFINE_ALU(sec, name, k)               \
	SEC(sec) int name##_##k(void *ctx)     \
	{                                      \
		long verdict = -(k);           \
                                               \
		asm volatile(".rept " #k "\n"  \
			     "%0 += 1\n"       \
			     ".endr"           \
			     : "+r"(verdict)); \
		return verdict;                \
	}

#define DEFINE_PAIR(sec, name)   \
	DEFINE_ALU(sec, name, 0) \
	DEFINE_ALU(sec, name, 64)

DEFINE_PAIR("tc", sched_cls)
DEFINE_PAIR("action", sched_act)
DEFINE_PAIR("cgroup_skb/ingress", cgroup_skb)
DEFINE_PAIR("socket", socket_filter)
DEFINE_PAIR("lwt_in", lwt_in)
DEFINE_PAIR("lwt_out", lwt_out)
DEFINE_PAIR("lwt_xmit", lwt_xmit)
DEFINE_PAIR("lwt_seg6local", lwt_seg6local)
DEFINE_PAIR("flow_dissector", flow_dissector)
DEFINE_PAIR("sk_lookup", sk_lookup)
DEFINE_PAIR("raw_tp/task_rename", raw_tp)
DEFINE_PAIR("raw_tp.w/nbd_send_request", raw_tp_w)
DEFINE_PAIR("syscall", syscall)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
