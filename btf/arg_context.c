// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the tables of contexts and their fields. The tables leave out two kinds of fields: those whose
 * value the kernel does not read but computes, and those that only some programs may read, such as
 * egress_ifindex. For programs that may not read such a field, the kernel does not set it.
 */
#include <stddef.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/util.h"
#include "btf/arg_context.h"

static const struct arg_field xdp_fields[] = {
	/* the length of the linear part: data_end - data */
	{"len", "data_end", .minus = "data"},
	{"ingress_ifindex", "rxq->dev->ifindex"},
	{"rx_queue_index", "rxq->queue_index"},
	{},
};

static const struct arg_field skb_fields[] = {
	{"ifindex", "dev->ifindex"},
	{"ingress_ifindex", "skb_iif"},
	{"wire_len", "cb", "qdisc_skb_cb", "pkt_len"},
	{"tc_classid", "cb", "qdisc_skb_cb", "tc_classid"},
	{"cb", "cb", "qdisc_skb_cb", "data", .words = 5},
	{"family", "sk->__sk_common.skc_family"},
	{},
};

static const struct arg_field sock_fields[] = {
	{"bound_dev_if", "__sk_common.skc_bound_dev_if"},
	{"family", "__sk_common.skc_family"},
	{"type", "sk_type"},
	{"protocol", "sk_protocol"},
	{"mark", "sk_mark"},
	{"priority", "sk_priority"},
	{"src_port", "__sk_common.skc_num"},
	{"dst_port", "__sk_common.skc_dport"},
	{"state", "__sk_common.skc_state"},
	{},
};

static const struct arg_field perf_fields[] = {
	{"sample_period", "data->period"},
	{"addr", "data->addr"},
	{},
};

static const struct arg_context contexts[] = {
	{"xdp_md", "xdp_buff", xdp_fields},
	{"__sk_buff", "sk_buff", skb_fields},
	{"pt_regs", "pt_regs"},
	{"user_pt_regs", "pt_regs"},
	{"bpf_perf_event_data", "bpf_perf_event_data_kern", perf_fields},
	{"bpf_sock", "sock", sock_fields},
	{"bpf_sock_ops", "bpf_sock_ops_kern"},
	{"bpf_sock_addr", "bpf_sock_addr_kern"},
	{"bpf_sk_lookup", "bpf_sk_lookup_kern"},
	{"bpf_sysctl", "bpf_sysctl_kern"},
	{"bpf_sockopt", "bpf_sockopt_kern"},
	{"sk_msg_md", "sk_msg"},
	{"sk_reuseport_md", "sk_reuseport_kern"},
};

/* Flow dissectors also see struct __sk_buff, but the kernel passes them a struct bpf_flow_dissector. */
static const struct arg_context dissector = {"__sk_buff", "bpf_flow_dissector"};

static const struct {
	__u32 type;
	const char *name;
} context_types[] = {
	{BPF_PROG_TYPE_XDP, "xdp_md"},
	{BPF_PROG_TYPE_SCHED_CLS, "__sk_buff"},
	{BPF_PROG_TYPE_SCHED_ACT, "__sk_buff"},
	{BPF_PROG_TYPE_SOCKET_FILTER, "__sk_buff"},
	{BPF_PROG_TYPE_CGROUP_SKB, "__sk_buff"},
	{BPF_PROG_TYPE_SK_SKB, "__sk_buff"},
	{BPF_PROG_TYPE_LWT_IN, "__sk_buff"},
	{BPF_PROG_TYPE_LWT_OUT, "__sk_buff"},
	{BPF_PROG_TYPE_LWT_XMIT, "__sk_buff"},
	{BPF_PROG_TYPE_LWT_SEG6LOCAL, "__sk_buff"},
	{BPF_PROG_TYPE_FLOW_DISSECTOR, "__sk_buff"},
	{BPF_PROG_TYPE_KPROBE, "pt_regs"},
	{BPF_PROG_TYPE_PERF_EVENT, "bpf_perf_event_data"},
	{BPF_PROG_TYPE_CGROUP_SOCK, "bpf_sock"},
	{BPF_PROG_TYPE_SOCK_OPS, "bpf_sock_ops"},
	{BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "bpf_sock_addr"},
	{BPF_PROG_TYPE_SK_LOOKUP, "bpf_sk_lookup"},
	{BPF_PROG_TYPE_CGROUP_SYSCTL, "bpf_sysctl"},
	{BPF_PROG_TYPE_CGROUP_SOCKOPT, "bpf_sockopt"},
	{BPF_PROG_TYPE_SK_MSG, "sk_msg_md"},
	{BPF_PROG_TYPE_SK_REUSEPORT, "sk_reuseport_md"},
};

const struct arg_context *arg_context__find(const char *name, __u32 prog_type)
{
	if (prog_type == BPF_PROG_TYPE_FLOW_DISSECTOR && !strcmp(name, dissector.name))
		return &dissector;
	for (size_t i = 0; i < ARRAY_SIZE(contexts); i++)
		if (!strcmp(contexts[i].name, name))
			return &contexts[i];
	return NULL;
}

const struct arg_context *arg_context__of_type(__u32 prog_type)
{
	for (size_t i = 0; i < ARRAY_SIZE(context_types); i++)
		if (context_types[i].type == prog_type)
			return arg_context__find(context_types[i].name, prog_type);
	return NULL;
}
