// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the options of bprof bench that select programs and set up the object: how arguments are
 * split, and to which position an error message points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>
#include <linux/bpf.h>

#include "bench/bench_setup.h"
#include "kernel/log_libbpf.h"
#include "tests/unit/capture.h"

static void test_good(void **state)
{
	struct bench_setup s = {};
	__u32 type = 9, attach_type = 9;

	assert_int_equal(bench_setup__add_map(&s, "m=a=b.json"), 0);
	assert_int_equal(bench_setup__add_global(&s, "g={\"a\":1}"), 0);
	assert_int_equal(bench_setup__add_global(&s, "h=-1"), 0);
	assert_int_equal(bench_setup__add_prog_array(&s, "calls:4294967295=tail"), 0);
	assert_int_equal(bench_setup__add_prog(&s, "p"), 0);
	assert_int_equal(s.map_cnt, 1);
	assert_string_equal(s.map[0].name, "m");
	assert_string_equal(s.map[0].path, "a=b.json");
	assert_int_equal(s.global_cnt, 2);
	assert_string_equal(s.global[0].value, "{\"a\":1}");
	assert_string_equal(s.global[1].name, "h");
	assert_int_equal(s.prog_array_cnt, 1);
	assert_string_equal(s.prog_array[0].map, "calls");
	assert_int_equal(s.prog_array[0].index, UINT32_MAX);
	assert_string_equal(s.prog_array[0].prog, "tail");
	assert_string_equal(s.prog[0], "p");

	assert_int_equal(bench_setup__find_type(&s, &type, &attach_type), 0);
	assert_int_equal(type, 0);
	bench_setup__free(&s);
	assert_int_equal(s.map_cnt + s.global_cnt + s.prog_array_cnt + s.prog_cnt, 0);
}

static void test_types(void **state)
{
	static const struct {
		const char *name;
		__u32 type, attach_type;
	} cases[] = {
		{"xdp", BPF_PROG_TYPE_XDP, 0},
		{"SCHED_CLS", BPF_PROG_TYPE_SCHED_CLS, 0},
		{"tc", BPF_PROG_TYPE_SCHED_CLS, 0},
		{"classifier", BPF_PROG_TYPE_SCHED_CLS, 0},
		{"cgroup_skb/egress", BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS},
	};

	libbpf_print__take();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench_setup s = {.type = cases[i].name};
		__u32 type = 99, attach_type = 99;

		assert_int_equal(bench_setup__find_type(&s, &type, &attach_type), 0);
		assert_int_equal(type, cases[i].type);
		assert_int_equal(attach_type, cases[i].attach_type);
	}
}

static int find_type(struct bench_setup *s, const char *arg)
{
	__u32 type, attach_type;

	s->type = arg;
	return bench_setup__find_type(s, &type, &attach_type);
}

static void test_refused(void **state)
{
	static const struct {
		int (*add)(struct bench_setup *s, const char *arg);
		const char *arg, *want;
	} cases[] = {
		{bench_setup__add_map, "m",
		 "bprof: --map: expected NAME=FILE.json: no '='\n  m\n   ^\n"},
		{bench_setup__add_map, "=f",
		 "bprof: --map: expected NAME=FILE.json: nothing before '='\n  =f\n  "
		 "^\n"},
		{bench_setup__add_map, "m=",
		 "bprof: --map: expected NAME=FILE.json: nothing after '='\n  m=\n    "
		 "^\n"},
		{bench_setup__add_global, "",
		 "bprof: --global: expected NAME=VALUE: no '='\n  \n  ^\n"},
		{bench_setup__add_prog_array, "m=p",
		 "bprof: --prog-array: expected MAP:IDX=PROG: no ':' before '='\n"
		 "  m=p\n   ^\n"},
		{bench_setup__add_prog_array, ":1=p",
		 "bprof: --prog-array: expected MAP:IDX=PROG: nothing before ':'\n"
		 "  :1=p\n  ^\n"},
		{bench_setup__add_prog_array, "m:=p",
		 "bprof: --prog-array: expected an index: a number >= 0\n  m:=p\n    ^\n"},
		{bench_setup__add_prog_array, "m:-1=p",
		 "bprof: --prog-array: expected an index: a number >= 0\n  m:-1=p\n    ^^\n"},
		{bench_setup__add_prog_array, "m:4294967296=p",
		 "bprof: --prog-array: expected an index: a number >= 0\n"
		 "  m:4294967296=p\n    ^^^^^^^^^^\n"},
		{bench_setup__add_prog, "", "bprof: --prog: expected the name of a program\n"},
		{find_type, "xpd",
		 "bprof: --type: no such program type; did you mean 'xdp'?\n  xpd\n  ^^^\n"},
		{find_type, "",
		 "bprof: --type: no such program type, such as xdp, sched_cls or kprobe; bprof(1) "
		 "lists them\n  \n  ^\n"},
	};

	libbpf_print__take();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench_setup s = {};
		struct capture c;
		char *text;
		int err;

		capture__begin(&c, stderr);
		err = cases[i].add(&s, cases[i].arg);
		text = capture__end(&c);
		assert_int_equal(err, -EINVAL);
		assert_string_equal(text, cases[i].want);
		free(text);
		bench_setup__free(&s);
	}
	libbpf_print__give_back();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
