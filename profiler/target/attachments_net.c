// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches the interfaces of this network namespace for programs: XDP, tcx, netkit, and classic tc
 * filters. Must not know the links, which are read later and merged with these results.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "target/attachments_priv.h"

/*
 * Maximum size in bytes of a datagram of a netlink dump (net/netlink/af_netlink.c, netlink_dump()).
 */
#define DUMP_SZ 32768

#define MAX_PROGS 64

static void add_xdp(struct attach_search *s, const struct if_nameindex *dev)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);

	if (bpf_xdp_query(dev->if_index, 0, &query))
		return;

	const struct {
		__u32 prog_id;
		const char *mode;
	} modes[] = {
		{query.drv_prog_id, "native"},
		{query.skb_prog_id, "generic"},
		{query.hw_prog_id, "offload"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct attachment at = {
			.prog_id = modes[i].prog_id,
			.kind = "xdp",
			.ifindex = dev->if_index,
		};

		snprintf(at.attach_type, sizeof(at.attach_type), "%s", modes[i].mode);
		if (at.prog_id)
			attach_search__add(s, &at, "%s", dev->if_name);
	}
}

/*
 * The hooks of an interface (tcx and netkit) whose lists of programs BPF_PROG_QUERY returns
 * (kernel/bpf/mprog.c).
 */
static const struct {
	__u32 attach_type;
	const char *kind;
	const char *side;
} mprog_lists[] = {
	{ATTACH_TYPE_TCX_INGRESS, "tcx", "ingress"},
	{ATTACH_TYPE_TCX_EGRESS, "tcx", "egress"},
	{ATTACH_TYPE_NETKIT_PRIMARY, "netkit", "primary"},
	{ATTACH_TYPE_NETKIT_PEER, "netkit", "peer"},
};

static void add_mprogs(struct attach_search *s, const struct if_nameindex *dev)
{
	__u32 ids[MAX_PROGS], cnt;

	for (size_t i = 0; i < ARRAY_SIZE(mprog_lists); i++) {
		struct attachment at = {.ifindex = dev->if_index};

		cnt = MAX_PROGS;
		if (bpf_prog_query(dev->if_index, mprog_lists[i].attach_type, 0, NULL, ids, &cnt))
			continue;
		snprintf(at.kind, sizeof(at.kind), "%s", mprog_lists[i].kind);
		snprintf(at.attach_type, sizeof(at.attach_type), "%s", mprog_lists[i].side);
		for (__u32 j = 0; j < cnt && j < MAX_PROGS; j++) {
			at.prog_id = ids[j];
			attach_search__add(s, &at, "%s", dev->if_name);
		}
	}
}

static void for_each_dev(struct attach_search *s,
			 void (*add)(struct attach_search *s, const struct if_nameindex *dev))
{
	struct if_nameindex *devs = if_nameindex();

	for (struct if_nameindex *dev = devs; dev && dev->if_index; dev++)
		add(s, dev);
	if (devs)
		if_freenameindex(devs);
}

void attach_search__xdp(struct attach_search *s)
{
	for_each_dev(s, add_xdp);
}

static const struct rtattr *find_attr(const struct rtattr *attr, int len, int type)
{
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len))
		if ((attr->rta_type & NLA_TYPE_MASK) == type)
			return attr;
	return NULL;
}

/*
 * Returns the program id of a cls_bpf filter (net/sched/cls_bpf.c: cls_bpf_dump()), or 0 if the
 * filter is of another kind.
 */
static __u32 read_filter(const struct nlmsghdr *msg)
{
	const struct tcmsg *tc = NLMSG_DATA(msg);
	const struct rtattr *kind, *opts, *id;
	__u32 prog_id;

	if (msg->nlmsg_type != RTM_NEWTFILTER || msg->nlmsg_len < NLMSG_LENGTH(sizeof(*tc)))
		return 0;
	kind = find_attr(TCA_RTA(tc), TCA_PAYLOAD(msg), TCA_KIND);
	opts = find_attr(TCA_RTA(tc), TCA_PAYLOAD(msg), TCA_OPTIONS);
	if (!kind || !opts || strncmp(RTA_DATA(kind), "bpf", RTA_PAYLOAD(kind)))
		return 0;
	id = find_attr(RTA_DATA(opts), RTA_PAYLOAD(opts), TCA_BPF_ID);
	if (!id || RTA_PAYLOAD(id) < sizeof(prog_id))
		return 0;
	memcpy(&prog_id, RTA_DATA(id), sizeof(prog_id));
	return prog_id;
}

/*
 * Adds the tc filters with this parent, which is a qdisc or one side of clsact. The caller has set
 * the interface and the direction in *at.
 */
static void dump_filters(struct attach_search *s, int sock, const struct if_nameindex *dev,
			 __u32 parent, struct attachment *at)
{
	struct {
		struct nlmsghdr hdr;
		struct tcmsg tc;
	} req = {
		.hdr.nlmsg_len = sizeof(req),
		.hdr.nlmsg_type = RTM_GETTFILTER,
		.hdr.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.tc.tcm_ifindex = dev->if_index,
		.tc.tcm_parent = parent,
	};
	/* An array of headers, so that the buffer is aligned for a message. */
	struct nlmsghdr buf[DUMP_SZ / sizeof(struct nlmsghdr)];

	if (send(sock, &req, sizeof(req), 0) != sizeof(req))
		return;
	for (;;) {
		ssize_t n = recv(sock, buf, sizeof(buf), 0);

		if (n <= 0)
			return;
		for (struct nlmsghdr *msg = buf; NLMSG_OK(msg, (size_t)n);
		     msg = NLMSG_NEXT(msg, n)) {
			if (msg->nlmsg_type == NLMSG_DONE || msg->nlmsg_type == NLMSG_ERROR)
				return;
			at->prog_id = read_filter(msg);
			if (at->prog_id)
				attach_search__add(s, at, "%s", dev->if_name);
		}
	}
}

static void add_filters(struct attach_search *s, const struct if_nameindex *dev)
{
	static const struct {
		__u32 parent;
		const char *side;
	} parents[] = {
		{TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), "ingress"},
		{TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS), "egress"},
		{0, "qdisc"}, /* filters attached to the root queueing discipline */
	};
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (sock < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
		struct attachment at = {.kind = "tc", .ifindex = dev->if_index};

		snprintf(at.attach_type, sizeof(at.attach_type), "%s", parents[i].side);
		dump_filters(s, sock, dev, parents[i].parent, &at);
	}
	close(sock);
}

void attach_search__tc(struct attach_search *s)
{
	for_each_dev(s, add_mprogs);
	for_each_dev(s, add_filters);
}
