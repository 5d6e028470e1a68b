// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which types of programs have which key of --by.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/util.h"
#include "btf/run_key.h"

static void test_names(void **state)
{
	char names[256] = "";

	assert_int_equal(run_key__find("retval"), BY_RETVAL);
	assert_int_equal(run_key__find("pid"), BY_PID);
	assert_int_equal(run_key__find("site"), BY_NOTHING);
	assert_int_equal(run_key__find(NULL), BY_NOTHING);
	assert_null(run_key__spec(BY_NOTHING));
	for (int key = BY_RETVAL; key < RUN_KEY_CNT; key++) {
		strcat(names, key > BY_RETVAL ? "|" : "");
		strcat(names, run_key__spec(key)->name);
	}
	assert_string_equal(names, RUN_KEY_CHOICES);
	for (int key = BY_RETVAL; key < RUN_KEY_CNT; key++)
		assert_int_equal(run_key__find(run_key__spec(key)->name), key);
	assert_string_equal(run_key__spec(BY_IFINDEX)->header, "DEVICE");
	assert_string_equal(run_key__spec(BY_IFINDEX)->label, "device");
}

static void test_sources(void **state)
{
	static const struct {
		enum run_key key;
		enum bpf_prog_type type;
		enum key_source source;
	} cases[] = {
		{BY_RETVAL, BPF_PROG_TYPE_XDP, KEY_FROM_NOTHING},
		{BY_CPU, BPF_PROG_TYPE_XDP, KEY_FROM_NOTHING},
		{BY_IFINDEX, BPF_PROG_TYPE_XDP, KEY_FROM_XDP},
		{BY_IFINDEX, BPF_PROG_TYPE_SCHED_CLS, KEY_FROM_SKB},
		{BY_IFINDEX, BPF_PROG_TYPE_SK_MSG, KEY_FROM_NOTHING},
		{BY_IFINDEX, BPF_PROG_TYPE_KPROBE, KEY_FROM_NOTHING},
		{BY_QUEUE, BPF_PROG_TYPE_XDP, KEY_FROM_XDP},
		{BY_QUEUE, BPF_PROG_TYPE_SCHED_CLS, KEY_FROM_NOTHING},
		{BY_CGROUP, BPF_PROG_TYPE_CGROUP_SKB, KEY_FROM_SKB},
		{BY_CGROUP, BPF_PROG_TYPE_SCHED_CLS, KEY_FROM_NOTHING},
		{BY_CGROUP, BPF_PROG_TYPE_LSM, KEY_FROM_TASK},
		{BY_PID, BPF_PROG_TYPE_CGROUP_SKB, KEY_FROM_NOTHING},
		{BY_PID, BPF_PROG_TYPE_TRACEPOINT, KEY_FROM_TASK},
		{BY_COMM, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, KEY_FROM_TASK},
		{BY_COMM, BPF_PROG_TYPE_SOCK_OPS, KEY_FROM_NOTHING},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (run_key__source(cases[i].key, cases[i].type) != cases[i].source)
			fail_msg("case %zu", i);
	assert_false(run_key__is_read(BY_RETVAL) || run_key__is_read(BY_CPU));
	assert_true(run_key__is_read(BY_IFINDEX) && run_key__is_read(BY_PID));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
