// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The path of a packet through the hooks of BPF programs. Owns the order of the hooks.
 */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "report/report_per.h"

/*
 * The hooks in the order in which a packet meets them: net/core/dev.c (__netif_receive_skb_core(),
 * __dev_queue_xmit()), net/ipv4/ip_input.c, udp.c and tcp_ipv4.c, net/core/filter.c
 * (sk_filter_trim_cap()). The first matching row decides; a row matches if one of the program's
 * hooks begins with "hook". A program whose hook is not known has the usual place of its type.
 */
static const struct {
	const char *type, *hook;
} path[] = {
	{"xdp", "xdp"},
	{"xdp", ""}, /* XDP programs of a CPU map or device map */
	{"flow_dissector", ""},
	{"sched_cls", "tcx ingress"},
	{"sched_cls", "tc ingress"},
	{"sched_act", ""},
	{"netfilter", ""},
	{"lwt_in", ""},
	{"lwt_seg6local", ""},
	{"sk_lookup", ""},
	{"sk_reuseport", ""},
	{"cgroup_skb", "cgroup_inet_ingress"},
	{"socket_filter", ""},
	{"sk_skb", ""},
	{"sock_ops", ""},
	{"sk_msg", ""},
	{"cgroup_sock_addr", ""},
	{"lwt_out", ""},
	{"cgroup_skb", "cgroup_inet_egress"},
	{"lwt_xmit", ""},
	{"sched_cls", "tcx egress"},
	{"sched_cls", "tc egress"},
	{"sched_cls", "netkit"},
	{"sched_cls", "tc class"},
	{"sched_cls", "tc qdisc"},
};

static bool is_at(const struct report_prog *p, const char *type, const char *hook)
{
	const char *at = strstr(text__or_empty(p->hook), hook);

	return !strcmp(text__or_empty(p->type), type) && at &&
	       (!*hook || at == p->hook || at[-1] == ' ');
}

int report_prog__path_place(const struct report_prog *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(path); i++)
		if (is_at(p, path[i].type, path[i].hook))
			return i;
	for (size_t i = 0; i < ARRAY_SIZE(path); i++)
		if (!strcmp(text__or_empty(p->type), path[i].type))
			return i;
	return ARRAY_SIZE(path);
}
