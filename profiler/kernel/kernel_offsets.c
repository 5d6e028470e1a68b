// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Offsets of members of the kernel's structs. Owns the table of members to look up, with all names
 * that these members have had.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "btf/btf_compat.h"
#include "btf/btf_scan.h"
#include "btf/reason.h"
#include "kernel/kernel_offsets.h"

/* SMP_CACHE_BYTES of x86-64 and arm64: how skb_shared_info is aligned at a frame's end. */
#define CACHE_LINE 64

struct wanted {
	size_t at; /* where to store the offset in the result struct */
	const char *type, *member;
	bool optional;
};

#define AT(member) offsetof(struct bperf_offsets, member)

static const struct wanted bperf_wanted[] = {
	/* the member state is called __state since Linux 5.14 (2f064a59a11f) */
	{AT(task_state), "task_struct", "__state", true},
	{AT(task_state), "task_struct", "state", true},
	{AT(task_pid), "task_struct", "pid", false},
	{AT(task_tgid), "task_struct", "tgid", false},
	{AT(task_signal), "task_struct", "signal", false},
	{AT(task_leader), "task_struct", "group_leader", false},
	{AT(task_exit_state), "task_struct", "exit_state", false},
	{AT(signal_live), "signal_struct", "live", false},
	{AT(signal_threads), "signal_struct", "nr_threads", false},
	/* The members for cgroups are optional, because a kernel may be built without cgroups. */
	{AT(task_cgroups), "task_struct", "cgroups", true},
	{AT(css_set_perf), "css_set", "subsys", true},
	{AT(css_set_default), "css_set", "dfl_cgrp", true},
	{AT(css_cgroup), "cgroup_subsys_state", "cgroup", true},
	{AT(cgroup_level), "cgroup", "level", true},
	/* ancestors has replaced ancestor_ids in Linux 6.1 (7f203bc89eb6) */
	{AT(cgroup_ancestors), "cgroup", "ancestors", true},
	{AT(cgroup_ancestor_ids), "cgroup", "ancestor_ids", true},
	{AT(cgroup_kn), "cgroup", "kn", true},
	{AT(kn_id), "kernfs_node", "id", true},
	{AT(rq_curr), "rq", "curr", true},
	/*
	 * The register of a function's second argument. On x86-64, this is rsi. On arm64, this is
	 * the first register; code below changes its offset to the offset of the second register.
	 */
	{AT(regs_second), "pt_regs", "si", true},
	{AT(regs_second), "pt_regs", "regs", true},
};

#undef AT
#define AT(member) offsetof(struct key_offsets, member)

static const struct wanted ifindex_wanted[] = {
	{AT(xdp_rxq), "xdp_buff", "rxq", false},
	{AT(rxq_dev), "xdp_rxq_info", "dev", false},
	{AT(skb_dev), "sk_buff", "dev", false},
	{AT(dev_ifindex), "net_device", "ifindex", false},
	{AT(dev_net), "net_device", "nd_net", false},
	{AT(net_number), "net", "ns", false},
	{},
};

static const struct wanted queue_wanted[] = {
	{AT(xdp_rxq), "xdp_buff", "rxq", false},
	{AT(rxq_queue), "xdp_rxq_info", "queue_index", false},
	{},
};

static const struct wanted cgroup_wanted[] = {
	{AT(task_cgroups), "task_struct", "cgroups", false},
	{AT(css_set_default), "css_set", "dfl_cgrp", false},
	{AT(skb_sk), "sk_buff", "sk", false},
	{AT(sock_cgroup), "sock", "sk_cgrp_data", false},
	{AT(cgroup_kn), "cgroup", "kn", false},
	{AT(kn_id), "kernfs_node", "id", false},
	{},
};

static const struct wanted comm_wanted[] = {
	{AT(task_comm), "task_struct", "comm", false},
	{},
};

static const struct wanted pid_wanted[] = {
	{AT(task_tgid), "task_struct", "tgid", false},
	{},
};

static const struct wanted *const key_wanted[RUN_KEY_CNT] = {
	[BY_IFINDEX] = ifindex_wanted, [BY_QUEUE] = queue_wanted, [BY_CGROUP] = cgroup_wanted,
	[BY_COMM] = comm_wanted,       [BY_PID] = pid_wanted,
};

#undef AT
#define AT(member) offsetof(struct bprof_packet_offsets, member)

static const struct wanted packet_wanted[] = {
	{AT(xdp_data), "xdp_buff", "data", false},
	{AT(xdp_data_end), "xdp_buff", "data_end", false},
	{AT(xdp_hard_start), "xdp_buff", "data_hard_start", false},
	/* XDP packets can have fragments since Linux 5.18 (2e88d4ff0301) */
	{AT(xdp_frame_sz), "xdp_buff", "frame_sz", true},
	{AT(xdp_flags), "xdp_buff", "flags", true},
	{AT(info_frags_sz), "skb_shared_info", "xdp_frags_size", true},
	{AT(skb_data), "sk_buff", "data", false},
	{AT(skb_len), "sk_buff", "len", false},
	{AT(skb_data_len), "sk_buff", "data_len", false},
	{AT(xdp_rxq), "xdp_buff", "rxq", false},
	{AT(rxq_dev), "xdp_rxq_info", "dev", false},
	{AT(skb_dev), "sk_buff", "dev", false},
	{AT(dev_type), "net_device", "type", false},
	{AT(skb_vlan), "sk_buff", "vlan_proto", false},
};

/* Returns the offset of a member in bits, or -ENOENT. Also searches in unnamed members. */
static int find_bit(const struct btf *btf, const struct btf_type *t, const char *name)
{
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++) {
		const char *member = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *inner;
		int offset;

		if (member && !strcmp(member, name))
			return btf_member_bit_offset(t, i);
		if (member && *member)
			continue;
		inner = btf__type_by_id(btf, m[i].type);
		if (!inner || !btf_is_composite(inner))
			continue;
		offset = find_bit(btf, inner, name);
		if (offset >= 0)
			return btf_member_bit_offset(t, i) + offset;
	}
	return -ENOENT;
}

static int find_bit_of(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);

	return id < 0 ? id : find_bit(btf, btf__type_by_id(btf, id), member);
}

/* Returns the byte offset of a member, or -errno. */
static int find_offset(const struct btf *btf, const char *type, const char *member)
{
	int bit = find_bit_of(btf, type, member);

	return bit < 0 ? bit : bit / 8;
}

/* Returns the index of the perf_event controller in css_set.subsys[], or -ENOENT without it. */
static int find_perf_subsys(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (int i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_enum *e = &btf_enum(t)[i];
		const char *name = btf__name_by_offset(btf, e->name_off);

		if (name && !strcmp(name, "perf_event_cgrp_id"))
			return e->val;
	}
	return -ENOENT;
}

static int find_all(const struct btf *btf, const struct wanted *wanted, size_t cnt, void *at,
		    struct reason *reason)
{
	for (size_t i = 0; i < cnt; i++) {
		int offset = find_offset(btf, wanted[i].type, wanted[i].member);

		if (offset >= 0) {
			*(__u32 *)((char *)at + wanted[i].at) = offset;
		} else if (!wanted[i].optional) {
			return reason__fail(reason, -ENOENT, "the kernel's BTF has no %s.%s",
					    wanted[i].type, wanted[i].member);
		}
	}
	return 0;
}

int kernel_offsets__find(const struct btf *btf, struct bperf_offsets *at, struct reason *reason)
{
	int subsys = find_perf_subsys(btf), err;

	memset(at, 0, sizeof(*at));
	err = find_all(btf, bperf_wanted, ARRAY_SIZE(bperf_wanted), at, reason);
	if (err)
		return err;
	at->css_set_perf += subsys * sizeof(void *);
	if (find_offset(btf, "pt_regs", "regs") >= 0)
		at->regs_second += sizeof(__u64);
	if (subsys < 0)
		at->task_cgroups = 0;
	return 0;
}

int kernel_offsets__find_packet(const struct btf *btf, struct bprof_packet_offsets *at,
				struct reason *reason)
{
	int err, info, bit;

	memset(at, 0, sizeof(*at));
	err = find_all(btf, packet_wanted, ARRAY_SIZE(packet_wanted), at, reason);
	/* the bit that shows whether a packet's VLAN tag is valid */
	bit = find_bit_of(btf, "sk_buff", "vlan_present");
	if (bit >= 0) {
		at->skb_vlan_present = bit / 8;
		at->skb_vlan_mask = 1U << bit % 8;
	}
	info = btf__find_by_name_kind(btf, "skb_shared_info", BTF_KIND_STRUCT);
	if (info > 0)
		at->info_sz = (btf__type_by_id(btf, info)->size + CACHE_LINE - 1) &
			      ~(CACHE_LINE - 1U);
	if (!at->info_frags_sz || !at->info_sz)
		at->xdp_flags = 0;
	return err;
}

__u32 kernel_offsets__own_net(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
}

static int find_key_offsets(const struct btf *btf, enum run_key key, struct key_offsets *at,
			    struct reason *reason)
{
	const struct wanted cgroup = {offsetof(struct key_offsets, sock_cgroup), "sock_cgroup_data",
				      "cgroup", false};
	const struct wanted number = {offsetof(struct key_offsets, net_number), "ns_common", "inum",
				      false};
	__u32 in_sock, in_net;
	int err = 0;

	memset(at, 0, sizeof(*at));
	for (const struct wanted *w = key_wanted[key]; !err && w->type; w++)
		err = find_all(btf, w, 1, at, reason);
	if (!err && key == BY_IFINDEX) {
		in_net = at->net_number;
		err = find_all(btf, &number, 1, at, reason);
		at->net_number += in_net;
		at->own_net = kernel_offsets__own_net();
	}
	if (err || key != BY_CGROUP)
		return err;
	in_sock = at->sock_cgroup;
	err = find_all(btf, &cgroup, 1, at, reason);
	at->sock_cgroup += in_sock;
	return err;
}

/* Describes an error of reading the kernel's BTF. */
static const char *describe_btf_error(int err)
{
	return err == -EOPNOTSUPP ? "it is newer than this bprof, and has no layout of its types"
				  : strerror(-err);
}

static int load_btf(struct btf **out, struct reason *reason)
{
	int err;

	*out = btf_compat__load_vmlinux();
	if (*out)
		return 0;
	err = -errno;
	return reason__fail(reason, err, "cannot read the kernel's BTF: %s",
			    describe_btf_error(err));
}

int kernel_offsets__read(struct bperf_offsets *at, struct reason *reason)
{
	struct btf *btf;
	int err = load_btf(&btf, reason);

	err = err ?: kernel_offsets__find(btf, at, reason);
	btf__free(btf);
	return err;
}

int kernel_offsets__read_packet(struct bprof_packet_offsets *at, struct reason *reason)
{
	struct btf *btf;
	int err = load_btf(&btf, reason);

	err = err ?: kernel_offsets__find_packet(btf, at, reason);
	btf__free(btf);
	return err;
}

int kernel_offsets__read_key(enum run_key key, struct key_offsets *at, struct reason *reason)
{
	struct btf *btf;
	int err = load_btf(&btf, reason);

	err = err ?: find_key_offsets(btf, key, at, reason);
	btf__free(btf);
	return err;
}

int kernel_offsets__read_irq_stack(__u32 *offset)
{
	struct reason reason;
	struct btf *btf;
	int err = load_btf(&btf, &reason),
	    at = err ?: find_offset(btf, "pcpu_hot", "hardirq_stack_ptr");

	btf__free(btf);
	if (at < 0)
		return at;
	*offset = at;
	return 0;
}

int kernel_offsets__read_context(struct context_offsets *at, struct reason *reason)
{
	static const char *const members[] = {
		"migration_disabled",	 /* exists since Linux 5.11 (af449901b84c) */
		"rcu_read_lock_nesting", /* exists only with CONFIG_PREEMPT_RCU */
	};
	__u32 offset[ARRAY_SIZE(members)] = {};
	int err = btf_scan__find(VMLINUX_BTF, "task_struct", members, offset, ARRAY_SIZE(members));

	*at = (struct context_offsets){.migration_disabled = offset[0],
				       .rcu_read_lock_nesting = offset[1]};
	if (err)
		reason__fail(reason, err, "cannot read struct task_struct in the kernel's BTF: %s",
			     describe_btf_error(err));
	return err;
}

int kernel_offsets__read_own(struct own_offsets *at)
{
	static const char *const members[] = {"tgid", "stack"};
	/* x86-64, arm64 */
	static const char *const numbers[] = {"orig_ax", "syscallno"};
	__u32 offset[ARRAY_SIZE(members)] = {}, number[ARRAY_SIZE(numbers)] = {};
	int err = btf_scan__find(VMLINUX_BTF, "task_struct", members, offset, ARRAY_SIZE(members))
			  ?: btf_scan__find(VMLINUX_BTF, "pt_regs", numbers, number,
					    ARRAY_SIZE(numbers));

	*at = (struct own_offsets){
		.tgid = offset[0], .stack = offset[1], .syscall = number[0] ?: number[1]};
	return err ?: at->tgid && at->stack && at->syscall ? 0 : -ENOENT;
}

int kernel_offsets__read_fsession(struct fsession_kfuncs *ids)
{
	static const char *const names[] = {"bpf_session_is_return", "bpf_session_cookie"};
	__u32 id[ARRAY_SIZE(names)] = {};
	int err = btf_scan__find_funcs(VMLINUX_BTF, names, id, ARRAY_SIZE(names));

	*ids = (struct fsession_kfuncs){.is_return = id[0], .cookie = id[1]};
	return err;
}
