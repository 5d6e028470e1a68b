// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches the interfaces of this network namespace for programs: XDP, tcx and netkit. Must not know the links, which are read later and merged with these results.
 */
#include <net/if.h>
#include <stdio.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "target/attachments_priv.h"

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

void attach_search__tc(struct attach_search *s)
{
	for_each_dev(s, add_mprogs);
	attach_search__filters(s);
}
