// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that the offsets of members of the kernel's structs are found in made-up BTF: in every form
 * that kernels have had, and with missing parts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <bpf/btf.h>

#include "btf/reason.h"
#include "kernel/kernel_offsets.h"

/*
 * Flags that say how the made-up BTF differs from that of a current x86-64 kernel with cgroups: in
 * the form of another kernel, or without some types or members.
 */
enum {
	OLD_STATE = 1,	/* the member is called state instead of __state */
	OLD_IDS = 2,	/* the member is called ancestor_ids instead of ancestors */
	NO_CGROUPS = 4, /* the kernel is built without cgroups */
	NO_PERF = 8,	/* the kernel does not have the controller perf_event */
	NO_LIVE = 16,	/* struct signal_struct does not have the member live */
	NO_TASK = 32,	/* struct task_struct does not exist */
	ARM64 = 128,	/* struct pt_regs is that of arm64 */
	NESTED = 64,	/* pid and tgid are in an unnamed struct, tgid in an unnamed union of it */
};

struct made {
	struct btf *btf;
	int u32, u64, ptr;
	unsigned int how;
};

static void add_field(struct made *m, const char *name, int type, int byte)
{
	assert_int_equal(btf__add_field(m->btf, name, type, byte * 8, 0), 0);
}

static void add_pids(struct made *m, int tgid_type)
{
	int inner, outer;

	if (!(m->how & NESTED)) {
		assert_true(btf__add_struct(m->btf, "task_struct", 512) > 0);
		add_field(m, "pid", m->u32, 100);
		add_field(m, "tgid", tgid_type, 104);
		return;
	}
	inner = btf__add_union(m->btf, NULL, 4);
	add_field(m, "tgid", tgid_type, 0);
	add_field(m, "tgid_alias", tgid_type, 0);
	outer = btf__add_struct(m->btf, NULL, 16);
	add_field(m, "pid", m->u32, 4);
	add_field(m, NULL, inner, 12);
	assert_true(btf__add_struct(m->btf, "task_struct", 512) > 0);
	/* Members of a named member are not searched. */
	add_field(m, "thread", outer, 300);
	add_field(m, NULL, outer, 200);
}

static void add_task(struct made *m)
{
	if (m->how & NO_TASK)
		return;
	add_pids(m, m->u32);
	add_field(m, m->how & OLD_STATE ? "state" : "__state", m->u32, 24);
	add_field(m, "signal", m->ptr, 128);
	add_field(m, "group_leader", m->ptr, 144);
	add_field(m, "exit_state", m->u32, 152);
	if (!(m->how & NO_CGROUPS))
		add_field(m, "cgroups", m->ptr, 136);
}

static void add_cgroups(struct made *m)
{
	int array, enum_id = btf__add_enum(m->btf, "cgroup_subsys_id", 4);

	assert_true(enum_id > 0);
	assert_int_equal(btf__add_enum_value(m->btf, "cpu_cgrp_id", 1), 0);
	if (!(m->how & NO_PERF))
		assert_int_equal(btf__add_enum_value(m->btf, "perf_event_cgrp_id", 8), 0);
	array = btf__add_array(m->btf, m->u32, m->ptr, 12);
	assert_true(btf__add_struct(m->btf, "css_set", 256) > 0);
	add_field(m, "subsys", array, 16);
	add_field(m, "dfl_cgrp", m->ptr, 200);
	assert_true(btf__add_struct(m->btf, "cgroup_subsys_state", 64) > 0);
	add_field(m, "cgroup", m->ptr, 8);
	assert_true(btf__add_struct(m->btf, "cgroup", 1024) > 0);
	add_field(m, "level", m->u32, 112);
	add_field(m, "kn", m->ptr, 120);
	add_field(m, m->how & OLD_IDS ? "ancestor_ids" : "ancestors", array, 512);
	assert_true(btf__add_struct(m->btf, "kernfs_node", 128) > 0);
	add_field(m, "id", m->u64, 96);
}

/* On x86-64, rsi holds the second argument; on arm64, regs[1] does. */
static void add_cpu(struct made *m)
{
	int regs = btf__add_array(m->btf, m->u32, m->u64, 31);

	assert_true(btf__add_struct(m->btf, "rq", 1024) > 0);
	add_field(m, "curr", m->ptr, 640);
	assert_true(btf__add_struct(m->btf, "pt_regs", 336) > 0);
	if (m->how & ARM64)
		add_field(m, "regs", regs, 16);
	else
		add_field(m, "si", m->u64, 104);
}

static struct btf *make_btf(unsigned int how)
{
	struct made m = {.btf = btf__new_empty(), .how = how};

	assert_non_null(m.btf);
	m.u32 = btf__add_int(m.btf, "unsigned int", 4, 0);
	m.u64 = btf__add_int(m.btf, "unsigned long", 8, 0);
	m.ptr = btf__add_ptr(m.btf, 0);
	/* A typedef with the struct's name is ignored. */
	assert_true(btf__add_typedef(m.btf, "task_struct", m.u32) > 0);
	add_task(&m);
	assert_true(btf__add_struct(m.btf, "signal_struct", 64) > 0);
	add_field(&m, "nr_threads", m.u32, 8);
	if (!(how & NO_LIVE))
		add_field(&m, "live", m.u32, 4);
	if (!(how & NO_CGROUPS))
		add_cgroups(&m);
	add_cpu(&m);
	return m.btf;
}

static int find(unsigned int how, struct bperf_offsets *at, struct reason *reason)
{
	struct btf *btf = make_btf(how);
	int err = kernel_offsets__find(btf, at, reason);

	btf__free(btf);
	return err;
}

static void assert_found(unsigned int how, struct bperf_offsets want)
{
	struct bperf_offsets at;
	struct reason reason = {};

	memset(&at, 0xff, sizeof(at));
	assert_int_equal(find(how, &at, &reason), 0);
	assert_memory_equal(&at, &want, sizeof(at));
}

static const struct bperf_offsets newest = {
	.task_state = 24,
	.task_pid = 100,
	.task_tgid = 104,
	.task_signal = 128,
	.task_leader = 144,
	.task_exit_state = 152,
	.signal_live = 4,
	.signal_threads = 8,
	.task_cgroups = 136,
	.css_set_perf = 16 + 8 * sizeof(void *),
	.css_set_default = 200,
	.css_cgroup = 8,
	.cgroup_level = 112,
	.cgroup_ancestors = 512,
	.cgroup_kn = 120,
	.kn_id = 96,
	.rq_curr = 640,
	.regs_second = 104,
};

static void test_newest(void **state)
{
	assert_found(0, newest);
}

static void test_arm64(void **state)
{
	struct bperf_offsets want = newest;

	want.regs_second = 16 + sizeof(__u64);
	assert_found(ARM64, want);
}

static void test_older_names(void **state)
{
	struct bperf_offsets want = newest;

	assert_found(OLD_STATE, want);
	want.cgroup_ancestors = 0;
	want.cgroup_ancestor_ids = 512;
	assert_found(OLD_STATE | OLD_IDS, want);
}

static void test_unnamed_structs(void **state)
{
	struct bperf_offsets want = newest;

	want.task_pid = 204;
	want.task_tgid = 212;
	assert_found(NESTED, want);
}

/*
 * On these kernels tasks can be counted, but cgroups of v1 cannot. This is shown by an offset
 * task_cgroups of 0.
 */
static void test_without_cgroups(void **state)
{
	struct bperf_offsets at;
	struct reason reason = {};

	assert_int_equal(find(NO_CGROUPS, &at, &reason), 0);
	assert_int_equal(at.task_cgroups, 0);
	assert_int_equal(at.task_pid, 100);
	assert_int_equal(find(NO_PERF, &at, &reason), 0);
	assert_int_equal(at.task_cgroups, 0);
	assert_int_equal(at.signal_live, 4);
}

static void test_missing(void **state)
{
	struct bperf_offsets at;
	struct reason reason = {};

	assert_int_equal(find(NO_LIVE, &at, &reason), -ENOENT);
	assert_non_null(strstr(reason.detail, "signal_struct.live"));
	assert_int_equal(find(NO_TASK, &at, &reason), -ENOENT);
	assert_non_null(strstr(reason.detail, "task_struct."));
}

/* ---- offsets for reading packets ---- */

enum { OLD_XDP = 1, NO_SKB = 2, OLD_VLAN = 4 };

static struct btf *make_packet_btf(unsigned int how)
{
	struct made m = {.btf = btf__new_empty()};

	assert_non_null(m.btf);
	m.u32 = btf__add_int(m.btf, "unsigned int", 4, 0);
	m.ptr = btf__add_ptr(m.btf, 0);
	assert_true(btf__add_struct(m.btf, "xdp_buff", 64) > 0);
	add_field(&m, "data", m.ptr, 8);
	add_field(&m, "rxq", m.ptr, 40);
	add_field(&m, "data_end", m.ptr, 16);
	add_field(&m, "data_hard_start", m.ptr, 32);
	if (!(how & OLD_XDP)) {
		add_field(&m, "frame_sz", m.u32, 56);
		add_field(&m, "flags", m.u32, 60);
	}
	assert_true(btf__add_struct(m.btf, "skb_shared_info", 330) > 0);
	if (!(how & OLD_XDP))
		add_field(&m, "xdp_frags_size", m.u32, 44);
	assert_true(btf__add_struct(m.btf, "xdp_rxq_info", 64) > 0);
	add_field(&m, "dev", m.ptr, 48);
	assert_true(btf__add_struct(m.btf, "net_device", 2048) > 0);
	add_field(&m, "type", m.u32, 512);
	assert_true(btf__add_struct(m.btf, "sk_buff", 232) > 0);
	add_field(&m, "dev", m.ptr, 16);
	add_field(&m, "vlan_proto", m.u32, 148);
	if (how & OLD_VLAN)
		assert_int_equal(btf__add_field(m.btf, "vlan_present", m.u32, 131 * 8 + 7, 1), 0);
	add_field(&m, "data", m.ptr, 208);
	add_field(&m, "len", m.u32, 112);
	if (!(how & NO_SKB))
		add_field(&m, "data_len", m.u32, 116);
	return m.btf;
}

static int find_packet(unsigned int how, struct bprof_packet_offsets *at, struct reason *reason)
{
	struct btf *btf = make_packet_btf(how);
	int err;

	memset(at, 0xff, sizeof(*at));
	err = kernel_offsets__find_packet(btf, at, reason);
	btf__free(btf);
	return err;
}

static void test_packets(void **state)
{
	const struct bprof_packet_offsets want = {
		.xdp_data = 8,
		.xdp_data_end = 16,
		.xdp_hard_start = 32,
		.xdp_frame_sz = 56,
		.xdp_flags = 60,
		.info_sz = 384, /* rounded up to a multiple of the cache line size */
		.info_frags_sz = 44,
		.skb_data = 208,
		.skb_len = 112,
		.skb_data_len = 116,
		.xdp_rxq = 40,
		.rxq_dev = 48,
		.skb_dev = 16,
		.dev_type = 512,
		.skb_vlan = 148,
	};
	struct bprof_packet_offsets at;
	struct reason reason = {};

	assert_int_equal(find_packet(0, &at, &reason), 0);
	assert_memory_equal(&at, &want, sizeof(at));
}

/*
 * Before Linux 5.18, XDP packets have no fragments, and struct xdp_buff has no member "flags". The
 * lookup succeeds all the same, with 0 as the member's offset.
 */
static void test_packets_in_one_piece(void **state)
{
	struct bprof_packet_offsets at;
	struct reason reason = {};

	assert_int_equal(find_packet(OLD_XDP, &at, &reason), 0);
	assert_int_equal(at.xdp_flags, 0);
	assert_int_equal(at.skb_len, 112);
}

/* Before Linux 6.2, a bit says whether the VLAN tag is valid. */
static void test_vlan_bit(void **state)
{
	struct bprof_packet_offsets at;
	struct reason reason = {};

	assert_int_equal(find_packet(OLD_VLAN, &at, &reason), 0);
	assert_int_equal(at.skb_vlan_present, 131);
	assert_int_equal(at.skb_vlan_mask, 0x80);
}

static void test_packets_missing(void **state)
{
	struct bprof_packet_offsets at;
	struct reason reason = {};

	assert_int_equal(find_packet(NO_SKB, &at, &reason), -ENOENT);
	assert_non_null(strstr(reason.detail, "sk_buff.data_len"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newest),		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_older_names),	cmocka_unit_test(test_unnamed_structs),
		cmocka_unit_test(test_without_cgroups), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_packets),		cmocka_unit_test(test_packets_in_one_piece),
		cmocka_unit_test(test_packets_missing), cmocka_unit_test(test_vlan_bit),
	};

	return cmocka_run_group_tests_name("kernel_offsets", tests, NULL, NULL);
}
