// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches programs to the hooks of devices and packets, and sends packets.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/lwtunnel.h>
#include <linux/netfilter.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/tc_act/tc_bpf.h>

#include "tests/kernel/drive/contexts_hooks.h"
#include "tests/kernel/drive/netdev.h"

/* An attach type that this libbpf does not define yet. */
#define ATTACH_NETFILTER 45

int attach_device(struct use *u)
{
	return use__keep(u, bpf_link_create(u->prog_fd, if_nametoindex(u->hook->where),
					    u->hook->type, NULL));
}

int attach_generic_xdp(struct use *u)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_SKB_MODE);

	return use__keep(
		u, bpf_link_create(u->prog_fd, if_nametoindex(u->hook->where), BPF_XDP, &opts));
}

/* Loads an XDP program that redirects every packet to the first CPU of the CPU map. */
static int load_redirect(int cpumap_fd)
{
	const struct bpf_insn redirect[] = {
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = BPF_REG_1,
		 .src_reg = BPF_PSEUDO_MAP_FD,
		 .imm = cpumap_fd},
		{},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "redirect", "GPL", redirect,
			     sizeof(redirect) / sizeof(redirect[0]), NULL);
}

int attach_cpumap(struct use *u)
{
	struct bpf_cpumap_val cpu = {.qsize = 512, .bpf_prog.fd = u->prog_fd};
	int cpus = bpf_map_create(BPF_MAP_TYPE_CPUMAP, NULL, sizeof(__u32), sizeof(cpu), 1, NULL);
	int err = use__keep(u, cpus), redirect;
	__u32 key = 0;

	if (err)
		return err;
	if (bpf_map_update_elem(cpus, &key, &cpu, BPF_ANY))
		return -errno;
	redirect = load_redirect(cpus);
	err = use__keep(u, redirect);
	if (err)
		return err;
	return use__keep(u,
			 bpf_link_create(redirect, if_nametoindex(u->hook->where), BPF_XDP, NULL));
}

int attach_netns(struct use *u)
{
	int ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), err;

	err = use__keep(u, ns);
	return err < 0 ? err : use__keep(u, bpf_link_create(u->prog_fd, ns, u->hook->type, NULL));
}

static int add_clsact(const char *device, enum bpf_tc_attach_point point, int prog_fd)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = prog_fd);
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = if_nametoindex(device), .attach_point = point);
	int err = bpf_tc_hook_create(&hook);

	return err || prog_fd < 0 ? err : bpf_tc_attach(&hook, &opts);
}

/* Removes the qdisc clsact and its filters. */
static void remove_clsact(const char *device)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = if_nametoindex(device),
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	bpf_tc_hook_destroy(&hook);
}

int attach_clsact(struct use *u)
{
	return add_clsact(u->hook->where, u->hook->type, u->prog_fd);
}

void detach_clsact(struct use *u)
{
	remove_clsact(u->hook->where);
}

int attach_both_clsact(struct use *u)
{
	int err = add_clsact(TX, BPF_TC_EGRESS, u->prog_fd);

	return err ? err : add_clsact(RX, BPF_TC_INGRESS, u->prog_fd);
}

void detach_both_clsact(struct use *u)
{
	remove_clsact(TX);
	remove_clsact(RX);
}

int attach_netfilter(struct use *u)
{
	/*
	 * The members of link_create in union bpf_attr that netfilter hooks use. This libbpf does
	 * not define the last four.
	 */
	struct {
		__u32 prog_fd, target_fd, attach_type, flags;
		__u32 pf, hooknum;
		__s32 priority;
		__u32 netfilter_flags;
	} attr = {.prog_fd = u->prog_fd,
		  .attach_type = ATTACH_NETFILTER,
		  .pf = NFPROTO_IPV4,
		  .hooknum = u->hook->type,
		  .priority = 1};

	return use__keep(u, syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)));
}

/* Loads a filter that matches every packet, so that the action of the filter always runs. */
static int load_filter(void)
{
	static const struct bpf_insn all[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -1},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "all", "GPL", all, 2, NULL);
}

static int add_filter(const struct use *u, int filter)
{
	struct tcmsg where = {.tcm_ifindex = if_nametoindex(u->hook->where),
			      .tcm_parent = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS),
			      .tcm_info = TC_H_MAKE(1 << 16, htons(ETH_P_ALL))};
	struct tc_act_bpf params = {.action = TC_ACT_PIPE};
	struct rtattr *options, *actions, *first, *action;
	struct netlink req;

	netlink__init(&req, RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, &where, sizeof(where));
	netlink__add(&req, TCA_KIND, "bpf", sizeof("bpf"));
	options = netlink__add(&req, TCA_OPTIONS, NULL, 0);
	netlink__add(&req, TCA_BPF_FD, &filter, sizeof(filter));
	netlink__add(&req, TCA_BPF_NAME, "all", sizeof("all"));
	actions = netlink__add(&req, TCA_BPF_ACT, NULL, 0);
	first = netlink__add(&req, 1, NULL, 0);
	netlink__add(&req, TCA_ACT_KIND, "bpf", sizeof("bpf"));
	action = netlink__add(&req, NLA_F_NESTED | TCA_ACT_OPTIONS, NULL, 0);
	netlink__add(&req, TCA_ACT_BPF_PARMS, &params, sizeof(params));
	netlink__add(&req, TCA_ACT_BPF_FD, &u->prog_fd, sizeof(u->prog_fd));
	netlink__add(&req, TCA_ACT_BPF_NAME, "target", sizeof("target"));
	netlink__end(&req, action);
	netlink__end(&req, first);
	netlink__end(&req, actions);
	netlink__end(&req, options);
	return netlink__request(&req);
}

int attach_action(struct use *u)
{
	int err = add_clsact(u->hook->where, BPF_TC_INGRESS, -1), filter;

	if (err)
		return err;
	filter = load_filter();
	err = use__keep(u, filter);
	return err ? err : add_filter(u, filter);
}

int attach_route(struct use *u)
{
	struct rtmsg route = {.rtm_family = AF_INET,
			      .rtm_dst_len = 32,
			      .rtm_table = RT_TABLE_MAIN,
			      .rtm_protocol = RTPROT_STATIC,
			      .rtm_scope = RT_SCOPE_LINK,
			      .rtm_type = RTN_UNICAST};
	__u16 type = LWTUNNEL_ENCAP_BPF;
	char name[16];
	struct rtattr *encap, *prog;
	__u32 lo = if_nametoindex("lo");
	struct in_addr to;
	struct netlink req;

	inet_pton(AF_INET, u->hook->where, &to);
	netlink__init(&req, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, &route, sizeof(route));
	netlink__add(&req, RTA_DST, &to, sizeof(to));
	netlink__add(&req, RTA_OIF, &lo, sizeof(lo));
	netlink__add(&req, RTA_ENCAP_TYPE, &type, sizeof(type));
	encap = netlink__add(&req, NLA_F_NESTED | RTA_ENCAP, NULL, 0);
	prog = netlink__add(&req, NLA_F_NESTED | u->hook->type, NULL, 0);
	netlink__add(&req, LWT_BPF_PROG_FD, &u->prog_fd, sizeof(u->prog_fd));
	/*
	 * Each program has its own name, because the kernel regards routes with programs of the
	 * same name as equal.
	 */
	snprintf(name, sizeof(name), "target%d", u->index);
	netlink__add(&req, LWT_BPF_PROG_NAME, name, strlen(name) + 1);
	netlink__end(&req, prog);
	netlink__end(&req, encap);
	return netlink__request(&req);
}

/* Sends packets to an address that no host has: lo delivers the packets, and they are dropped. */
int drive_route(struct use *u, int cnt)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err = use__keep(u, fd);

	inet_pton(AF_INET, u->hook->where, &to.sin_addr);
	for (int i = 0; i < cnt && !err; i++)
		if (sendto(fd, "", 1, 0, (void *)&to, sizeof(to)) != 1)
			err = -errno;
	return err;
}

/* Sends datagrams. Reads each datagram before it sends the next one. */
int drive_udp(struct use *u, int cnt)
{
	struct sockaddr_in to = {};
	socklen_t len = sizeof(to);
	char c = 0;
	int err = 0;

	/* Open a receiver if attach() did not open one. */
	if (u->sock[0] < 0)
		u->sock[0] = udp__open(0, -1);
	err = use__keep(u, u->sock[0]);
	if (err < 0)
		return err;
	u->sock[1] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	err = use__keep(u, u->sock[1]);
	if (err < 0)
		return err;
	if (getsockname(u->sock[0], (void *)&to, &len))
		return -errno;
	for (int i = 0; i < cnt; i++)
		if (sendto(u->sock[1], &c, 1, 0, (void *)&to, len) != 1 ||
		    recv(u->sock[0], &c, 1, 0) != 1)
			return -errno;
	return 0;
}

int drive_pair(struct use *u, int cnt)
{
	return packets__send(TX, cnt, 0, NULL);
}

/* Sends packets, then sleeps while a kernel thread runs the program on the redirected packets. */
int drive_redirected(struct use *u, int cnt)
{
	struct timespec pause = {.tv_nsec = 10000000};
	int err = drive_pair(u, cnt);

	nanosleep(&pause, NULL);
	return err;
}
