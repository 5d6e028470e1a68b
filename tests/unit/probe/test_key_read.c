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

/*
 * Executes the instructions. Each load returns its offset, or 0 from "null" on. Returns r0, and the
 * offsets of all loads but those of ctx in loads.
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
			reg[insn->dst_reg] = null && insn->off == null ? 0 : insn->off ?: 1;
		} else if (insn->code == (BPF_JMP | BPF_JEQ | BPF_K)) {
			i += reg[insn->dst_reg] == (__u64)insn->imm ? insn->off : 0;
		} else if (insn->code == (BPF_JMP | BPF_JA)) {
			i += insn->off;
		} else if (BPF_CLASS(insn->code) == BPF_ALU) {
			reg[insn->dst_reg] = (__u32)insn->imm;
		} else if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K)) {
			reg[insn->dst_reg] += insn->imm;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
