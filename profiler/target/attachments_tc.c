// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches the traffic control of this network namespace for programs: filters of queueing
 * disciplines and of their classes, and actions. Must not know the other programs of interfaces
 * (attachments_net.c).
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_bpf.h>
#include <sys/socket.h>

#include "base/util.h"
#include "target/attachments_priv.h"

/* Maximum size in bytes of a datagram of a netlink dump (af_netlink.c: netlink_dump()). */
#define DUMP_SZ 32768

/* Where filters can be: a queueing discipline, a class, or one side of clsact. */
struct tc_place {
	__u32 ifindex, parent;
	const char *side;
};

struct tc_search {
	struct attach_search *s;
	int sock;
	struct tc_place *place;
	int place_cnt;
	const struct tc_place *at; /* the place whose filters are read */
};

typedef void (*tc_message_fn)(struct tc_search *t, const struct nlmsghdr *msg);

/* Sends a request for a dump, and calls fn with each message of the answer. */
static void dump_tc(struct tc_search *t, const struct nlmsghdr *req, tc_message_fn fn)
{
	/* An array of headers, so that the buffer is aligned for a message. */
	struct nlmsghdr buf[DUMP_SZ / sizeof(struct nlmsghdr)];

	if (send(t->sock, req, req->nlmsg_len, 0) != req->nlmsg_len)
		return;
	for (;;) {
		ssize_t n = recv(t->sock, buf, sizeof(buf), 0);

		if (n <= 0)
			return;
		for (struct nlmsghdr *msg = buf; NLMSG_OK(msg, (size_t)n);
		     msg = NLMSG_NEXT(msg, n)) {
			if (msg->nlmsg_type == NLMSG_DONE || msg->nlmsg_type == NLMSG_ERROR)
				return;
			fn(t, msg);
		}
	}
}

static void dump_tc_of(struct tc_search *t, int type, __u32 ifindex, __u32 parent, tc_message_fn fn)
{
	const struct {
		struct nlmsghdr hdr;
		struct tcmsg tc;
	} req = {
		.hdr.nlmsg_len = sizeof(req),
		.hdr.nlmsg_type = type,
		.hdr.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.tc.tcm_ifindex = ifindex,
		.tc.tcm_parent = parent,
	};

	dump_tc(t, &req.hdr, fn);
}

static const struct rtattr *find_attr(const struct rtattr *attr, int len, int type)
{
	for (; attr && RTA_OK(attr, len); attr = RTA_NEXT(attr, len))
		if ((attr->rta_type & NLA_TYPE_MASK) == type)
			return attr;
	return NULL;
}

static const struct rtattr *find_in(const struct rtattr *nest, int type)
{
	return nest ? find_attr(RTA_DATA(nest), RTA_PAYLOAD(nest), type) : NULL;
}

static __u32 read_u32_attr(const struct rtattr *attr)
{
	__u32 value = 0;

	if (attr && RTA_PAYLOAD(attr) >= sizeof(value))
		memcpy(&value, RTA_DATA(attr), sizeof(value));
	return value;
}

/* Returns the attributes after the struct tcmsg; NULL: the message is too short. */
static const struct rtattr *attrs_of(const struct nlmsghdr *msg)
{
	return msg->nlmsg_len < NLMSG_LENGTH(sizeof(struct tcmsg)) ? NULL
								   : TCA_RTA(NLMSG_DATA(msg));
}

/* ---- filters ---- */

/* Adds a cls_bpf filter (cls_bpf_dump() in the kernel). Other kinds of filters have no program. */
static void add_filter(struct tc_search *t, const struct nlmsghdr *msg)
{
	const struct rtattr *attr = attrs_of(msg), *kind;
	struct attachment at = {.kind = "tc", .ifindex = t->at->ifindex};
	char name[IF_NAMESIZE] = "";

	if (!attr || msg->nlmsg_type != RTM_NEWTFILTER)
		return;
	kind = find_attr(attr, TCA_PAYLOAD(msg), TCA_KIND);
	if (!kind || strncmp(RTA_DATA(kind), "bpf", RTA_PAYLOAD(kind)))
		return;
	at.prog_id =
		read_u32_attr(find_in(find_attr(attr, TCA_PAYLOAD(msg), TCA_OPTIONS), TCA_BPF_ID));
	if (!at.prog_id)
		return;
	snprintf(at.attach_type, sizeof(at.attach_type), "%s", t->at->side);
	attach_search__add(t->s, &at, "%s", if_indextoname(at.ifindex, name) ?: "");
}

static void add_tc_place(struct tc_search *t, __u32 ifindex, __u32 parent, const char *side)
{
	*(struct tc_place *)array__add(&t->place, &t->place_cnt, sizeof(*t->place)) =
		(struct tc_place){ifindex, parent, side};
}

static void add_class(struct tc_search *t, const struct nlmsghdr *msg)
{
	const struct tcmsg *tc = NLMSG_DATA(msg);

	if (attrs_of(msg) && msg->nlmsg_type == RTM_NEWTCLASS)
		add_tc_place(t, tc->tcm_ifindex, tc->tcm_handle, "class");
}

/*
 * Skips the root queueing discipline: attach_search__filters() adds a place for it for each
 * interface, because it may have no handle.
 */
static void add_qdisc(struct tc_search *t, const struct nlmsghdr *msg)
{
	const struct tcmsg *tc = NLMSG_DATA(msg);

	if (!attrs_of(msg) || msg->nlmsg_type != RTM_NEWQDISC)
		return;
	if (tc->tcm_handle && tc->tcm_parent != TC_H_ROOT && tc->tcm_parent != TC_H_INGRESS)
		add_tc_place(t, tc->tcm_ifindex, tc->tcm_handle, "qdisc");
}

/* ---- actions ---- */

/* Adds the programs of a message of actions (net/sched/act_bpf.c: tcf_bpf_dump()). */
static void add_actions(struct tc_search *t, const struct nlmsghdr *msg)
{
	const struct rtattr *attr =
		(void *)((char *)NLMSG_DATA(msg) + NLMSG_ALIGN(sizeof(struct tcamsg)));
	int len = msg->nlmsg_len - NLMSG_SPACE(sizeof(struct tcamsg));
	const struct rtattr *table = find_attr(attr, len, TCA_ACT_TAB);
	int rest = table ? RTA_PAYLOAD(table) : 0;

	attr = table ? RTA_DATA(table) : NULL;
	for (; attr && RTA_OK(attr, rest); attr = RTA_NEXT(attr, rest)) {
		struct attachment at = {.kind = "tc", .attach_type = "action"};

		at.prog_id = read_u32_attr(find_in(find_in(attr, TCA_ACT_OPTIONS), TCA_ACT_BPF_ID));
		if (at.prog_id)
			attach_search__add(t->s, &at, "%s", "");
	}
}

/* Actions belong to no interface, because filters of several interfaces may use an action. */
static void search_actions(struct tc_search *t)
{
	struct {
		struct nlmsghdr hdr;
		struct tcamsg tca;
		struct rtattr tab, one, kind;
		char name[4];
	} req = {
		.hdr = {.nlmsg_len = sizeof(req),
			.nlmsg_type = RTM_GETACTION,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.tab = {3 * sizeof(struct rtattr) + 4, TCA_ACT_TAB | NLA_F_NESTED},
		.one = {2 * sizeof(struct rtattr) + 4, 1 | NLA_F_NESTED},
		.kind = {sizeof(struct rtattr) + 4, TCA_ACT_KIND},
		.name = "bpf",
	};

	dump_tc(t, &req.hdr, add_actions);
}

void attach_search__filters(struct attach_search *s)
{
	struct tc_search t = {.s = s,
			      .sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
	struct if_nameindex *devs = if_nameindex();

	if (t.sock >= 0) {
		for (struct if_nameindex *dev = devs; dev && dev->if_index; dev++) {
			__u32 ifindex = dev->if_index;

			add_tc_place(&t, ifindex, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS),
				     "ingress");
			add_tc_place(&t, ifindex, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS),
				     "egress");
			/* filters attached to the root queueing discipline */
			add_tc_place(&t, ifindex, 0, "qdisc");
			dump_tc_of(&t, RTM_GETTCLASS, ifindex, 0, add_class);
		}
		dump_tc_of(&t, RTM_GETQDISC, 0, 0, add_qdisc);
		for (int i = 0; i < t.place_cnt; i++) {
			t.at = &t.place[i];
			dump_tc_of(&t, RTM_GETTFILTER, t.at->ifindex, t.at->parent, add_filter);
		}
		search_actions(&t);
		close(t.sock);
	}
	if (devs)
		if_freenameindex(devs);
	free(t.place);
}
