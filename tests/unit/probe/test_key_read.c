// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the instructions that read a run's key: they fit into the placeholders, lead to the right members,
 * and a pointer that is NULL does not lead to a wrong key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "bpf/probe.h"
#include "probe/key_read.h"

static const struct key_offsets at = {.task_tgid = 101,
				      .task_comm = 102,
				      .task_cgroups = 103,
				      .css_set_default = 104,
				      .cgroup_kn = 105,
				      .kn_id = 106,
				      .xdp_rxq = 107,
				      .rxq_dev = 108,
				      .rxq_queue = 109,
				      .skb_dev = 110,
				      .skb_sk = 111,
				      .sock_cgroup = 112,
				      .dev_ifindex = 113};

/* The task's name, which the loads at the offsets of comm return; NULL: these loads are like other loads. */
static const char *name;

static __u64 load(int off, int null)
{
	__u64 half;

	if (!name || (off != (int)at.task_comm && off != (int)(at.task_comm + sizeof(half))))
		return null && off == null ? 0 : off ?: 1;
	memcpy(&half, name + (off - at.task_comm), sizeof(half));
	return half;
}

/*
 * Executes the instructions. Each load but those of a name returns its offset, except that the load
 * at the offset "null" returns 0. Returns r0, and the offsets of all loads but those of ctx in
 * loads.
 */
static __u64 execute(const struct bpf_insn *insns, int null, int *loads, int *cnt)
{
	__u64 reg[BPF_REG_10] = {};

	*cnt = 0;
	for (int i = 0; i < BPROF_KEY_INSNS; i++) {
		const struct bpf_insn *insn = &insns[i];

		if (BPF_CLASS(insn->code) == BPF_LDX) {
			if (insn->off)
				loads[(*cnt)++] = insn->off;
			reg[insn->dst_reg] = load(insn->off, null);
		} else if (insn->code == (BPF_JMP | BPF_JEQ | BPF_K)) {
			i += reg[insn->dst_reg] == (__u64)insn->imm ? insn->off : 0;
		} else if (insn->code == (BPF_JMP | BPF_JA)) {
			i += insn->off;
		} else if (insn->code == (BPF_ALU | BPF_END | BPF_TO_BE)) {
			assert_int_equal(insn->imm, 64);
			reg[insn->dst_reg] = htobe64(reg[insn->dst_reg]);
		} else if (insn->code == (BPF_ALU | BPF_XOR | BPF_K)) {
			reg[insn->dst_reg] = (__u32)reg[insn->dst_reg] ^ (__u32)insn->imm;
		} else if (BPF_CLASS(insn->code) == BPF_ALU) {
			reg[insn->dst_reg] = (__u32)insn->imm;
		} else if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K)) {
			reg[insn->dst_reg] += insn->imm;
		} else if (BPF_CLASS(insn->code) == BPF_LD) {
			reg[insn->dst_reg] = (__u32)insn[0].imm | (__u64)insn[1].imm << 32;
			i++;
		} else if (insn->code == (BPF_ALU64 | BPF_MUL | BPF_X)) {
			reg[insn->dst_reg] *= reg[insn->src_reg];
		} else if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_X)) {
			reg[insn->dst_reg] += reg[insn->src_reg];
		} else if (insn->code == (BPF_ALU64 | BPF_XOR | BPF_X)) {
			reg[insn->dst_reg] ^= reg[insn->src_reg];
		} else if (insn->code == (BPF_ALU64 | BPF_OR | BPF_X)) {
			reg[insn->dst_reg] |= reg[insn->src_reg];
		} else if (insn->code == (BPF_ALU64 | BPF_LSH | BPF_K)) {
			reg[insn->dst_reg] <<= insn->imm;
		} else if (insn->code == (BPF_ALU64 | BPF_RSH | BPF_K)) {
			reg[insn->dst_reg] >>= insn->imm;
		} else if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_K)) {
			reg[insn->dst_reg] = insn->imm;
		} else {
			assert_int_equal(insn->code, BPF_JMP | BPF_CALL);
			assert_int_equal(insn->imm, BPF_FUNC_get_current_task_btf);
		}
	}
	return reg[0];
}

static const struct {
	enum run_key by;
	enum key_source from;
	int path[4], cnt;
	__u64 none; /* of a pointer that is NULL */
} cases[] = {
	{BY_IFINDEX, KEY_FROM_XDP, {107, 108, 113}, 3, 0},
	{BY_IFINDEX, KEY_FROM_SKB, {110, 113}, 2, 0},
	{BY_QUEUE, KEY_FROM_XDP, {107, 109}, 2, BPROF_KEY_NONE},
	{BY_CGROUP, KEY_FROM_TASK, {103, 104, 105, 106}, 4, 0},
	{BY_CGROUP, KEY_FROM_SKB, {111, 112, 105, 106}, 4, 0},
	{BY_PID, KEY_FROM_TASK, {101}, 1, 0},
};

static void test_paths(void **state)
{
	struct bpf_insn insns[BPROF_KEY_INSNS + 1];
	int loads[BPROF_KEY_INSNS], cnt;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct key_read k = {.by = cases[i].by, .at = at};
		const int *path = cases[i].path, len = cases[i].cnt;

		insns[BPROF_KEY_INSNS] = (struct bpf_insn){.imm = 4711};
		key_read__make(&k, cases[i].from, false, insns);
		assert_int_equal(insns[BPROF_KEY_INSNS].imm, 4711);
		assert_int_equal(execute(insns, 0, loads, &cnt), path[len - 1] + 1);
		assert_int_equal(cnt, len);
		assert_memory_equal(loads, path, len * sizeof(*path));
		for (int n = 0; n < len - 1; n++) {
			assert_int_equal(execute(insns, path[n], loads, &cnt), cases[i].none + 1);
			assert_int_equal(cnt, n + 1);
		}
		/* The runs of built-in programs have the same key, after the same loads. */
		key_read__make(&k, cases[i].from, true, insns);
		assert_int_equal(execute(insns, 0, loads, &cnt), 1);
		assert_int_equal(cnt, len);
	}
}

/* Devices with the same index in different network namespaces have different keys. */
static void test_namespaces(void **state)
{
	static const enum key_source from[] = {KEY_FROM_XDP, KEY_FROM_SKB};
	struct key_read k = {.by = BY_IFINDEX, .at = at};
	struct bpf_insn insns[BPROF_KEY_INSNS + 1];
	int loads[BPROF_KEY_INSNS], cnt;
	__u64 key;

	k.at.dev_net = 114;
	k.at.net_number = 115;
	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		const int *path = cases[i].path, len = cases[i].cnt;

		insns[BPROF_KEY_INSNS] = (struct bpf_insn){.imm = 4711};
		/* of bprof's own namespace */
		k.at.own_net = 115;
		key_read__make(&k, from[i], false, insns);
		assert_int_equal(insns[BPROF_KEY_INSNS].imm, 4711);
		key = execute(insns, 0, loads, &cnt) - 1;
		assert_int_equal(key, 113);
		assert_int_equal(cnt, len + 2);
		assert_memory_equal(loads, path, len * sizeof(*path));
		/* of another namespace */
		k.at.own_net = 115 ^ 3;
		key_read__make(&k, from[i], false, insns);
		key = execute(insns, 0, loads, &cnt) - 1;
		assert_int_equal(BPROF_KEY_IFINDEX(key), 113);
		assert_int_equal(BPROF_KEY_NET(key), 3);
		assert_int_not_equal((__u32)key, 113);
		for (int n = 0; n < len - 1; n++)
			assert_int_equal(execute(insns, path[n], loads, &cnt), 1);
		key_read__make(&k, from[i], true, insns);
		assert_int_equal(execute(insns, 0, loads, &cnt), 1);
	}
}

static __u64 key_of(const struct key_read *k, const char *comm)
{
	struct bpf_insn insns[BPROF_KEY_INSNS];
	char padded[16] = "";
	int loads[BPROF_KEY_INSNS], cnt;
	__u64 key;

	snprintf(padded, sizeof(padded), "%s", comm);
	key_read__make(k, KEY_FROM_TASK, false, insns);
	name = padded;
	key = execute(insns, 0, loads, &cnt);
	name = NULL;
	return key;
}

/* Names that differ in a few bits, such as the lowest ones of the first letter, have different keys. */
static void test_names(void **state)
{
	static const char *const names[][2] = {
		{"ps", "ss"},
		{"cat", "bat"},
		{"ld", "od"},
		{"sed", "red"},
		{"a", "b"},
		{"a", "aa"},
		{"kworker/0:1-eve", "kworker/0:2-eve"},
		{"abcdefgh", "abcdefghi"},
	};
	struct key_read k = {
		.by = BY_COMM, .at = at, .multiplier = 0x9f3b0001a7250001ULL | 0x10001};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (key_of(&k, names[i][0]) == key_of(&k, names[i][1]))
			fail_msg("%s and %s", names[i][0], names[i][1]);
	for (int c = 0; c < 255; c++)
		for (int d = c + 1; d < 256; d++)
			assert_int_not_equal(key_of(&k, (char[]){c, 0}),
					     key_of(&k, (char[]){d, 0}));
	assert_int_equal(key_of(&k, "sshd"), key_of(&k, "sshd"));
}

/* Many names have the same first letters, such as those of the kernel's workers. They get different parts. */
static void test_slots(void **state)
{
	static const char *const formats[] = {"worker%d", "kworker/%d:1", "a_long_prefix%d"};
	struct key_read k = {
		.by = BY_COMM, .at = at, .multiplier = 0x9f3b0001a7250001ULL | 0x10001};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		__u32 slots = 0;
		char comm[16];

		for (int n = 0; n < 99; n++) {
			snprintf(comm, sizeof(comm), formats[i], n);
			slots |= 1U << BPROF_KEY_SLOT(key_of(&k, comm));
		}
		/* 99 random slots would leave out one or two of the 32 */
		assert_true(__builtin_popcount(slots) > BPROF_KEYS / 2);
	}
}

/* Names that differ only in their last letters have different keys, whatever the multiplier is. */
static void test_multipliers(void **state)
{
	struct key_read k = {.by = BY_COMM, .at = at, .multiplier = 0x9f3b0001a7250001ULL};

	for (int i = 0; i < 300; i++) {
		__u64 keys[100];
		char comm[16];

		k.multiplier = k.multiplier * 6364136223846793005ULL + 1442695040888963407ULL;
		k.multiplier |= 1;
		for (int n = 0; n < 100; n++) {
			snprintf(comm, sizeof(comm), i % 2 ? "early_%d" : "abcdefghijk%d", n);
			keys[n] = key_of(&k, comm);
			assert_true(keys[n] < 1ULL << 62);
			for (int other = 0; other < n; other++)
				if (keys[n] == keys[other])
					fail_msg("%#llx: %s has the key of number %d", k.multiplier,
						 comm, other);
		}
	}
}

static void test_find_row(void **state)
{
	static const struct bprof_keys keys = {
		.value = {11, 12, 13, 14, 12, 16},
		.comm = {"", "ls", "bash", "ls\0h", "", "", "ls\0hon3"}};
	__u8 row[BPROF_KEY_PARTS] = {};

	/* no part has a row yet */
	assert_int_equal(key_read__find_row(&keys, true, row, 3), 3);
	row[3] = 3;
	assert_int_equal(key_read__find_row(&keys, true, row, 1), 3);
	assert_int_equal(key_read__find_row(&keys, true, row, 6), 3);
	assert_int_equal(key_read__find_row(&keys, false, row, 6), 6);
	row[1] = 3;
	assert_int_equal(key_read__find_row(&keys, true, row, 6), 3);
	assert_int_equal(key_read__find_row(&keys, true, row, 2), 2);
	row[2] = 2;
	/* no name is known */
	row[4] = 4;
	assert_int_equal(key_read__find_row(&keys, true, row, 5), 2);
	assert_int_equal(key_read__find_row(&keys, false, row, 5), 2);
	row[2] = 0;
	assert_int_equal(key_read__find_row(&keys, true, row, 5), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),	    cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_names),	    cmocka_unit_test(test_slots),
		cmocka_unit_test(test_multipliers), cmocka_unit_test(test_find_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
