// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hooks of devices and packets: how a program is attached there, and the packets.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <linux/netfilter.h>

#include "contexts_hooks.h"
#include "netdev.h"

/* Newer than this libbpf. */
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

int attach_netns(struct use *u)
{
	int ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), err;

	err = use__keep(u, ns);
	return err < 0 ? err : use__keep(u, bpf_link_create(u->prog_fd, ns, u->hook->type, NULL));
}

static void clsact_hook(const struct use *u, struct bpf_tc_hook *out)
{
	*out = (struct bpf_tc_hook){.sz = sizeof(*out),
				    .ifindex = if_nametoindex(u->hook->where),
				    .attach_point = u->hook->type};
}

int attach_clsact(struct use *u)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = u->prog_fd);
	struct bpf_tc_hook hook;
	int err;

	clsact_hook(u, &hook);
	err = bpf_tc_hook_create(&hook);
	return err ? err : bpf_tc_attach(&hook, &opts);
}

void detach_clsact(struct use *u)
{
	struct bpf_tc_hook hook;

	clsact_hook(u, &hook);
	hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS; /* the qdisc, with its filters */
	bpf_tc_hook_destroy(&hook);
}

int attach_netfilter(struct use *u)
{
	/* The head of union bpf_attr's link_create, whose last part this libbpf does not know. */
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

/* Each datagram is read before the next is sent. */
int drive_udp(struct use *u, int cnt)
{
	struct sockaddr_in to = {};
	socklen_t len = sizeof(to);
	char c = 0;
	int err = 0;

	/* A hook that is not the receiver's own has none yet. */
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

int drive_veth(struct use *u, int cnt)
{
	return packets__send(VETH_TX, cnt, 0, NULL);
}
