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

#include "kernel/log_libbpf.h"
#include "object/object_setup.h"
#include "tests/unit/capture.h"

static void test_good(void **state)
{
	struct bench_setup s = {};

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

	assert_int_equal(bench_setup__add_size(&s, "--map-size", MAP_ENTRIES, "m=8"), 0);
	assert_int_equal(bench_setup__add_size(&s, "--map-value-size", MAP_VALUE, "v=16"), 0);
	assert_int_equal(s.size_cnt, 2);
	assert_string_equal(s.size[0].name, "m");
	assert_int_equal(s.size[0].part, MAP_ENTRIES);
	assert_int_equal(s.size[0].n, 8);
	assert_int_equal(s.size[1].part, MAP_VALUE);
	assert_int_equal(s.size[1].n, 16);
	assert_int_equal(bench_setup__add_inner_map(&s, "outer=inner"), 0);
	assert_int_equal(bench_setup__add_inner_map(&s, "outer=lru_hash,4,16,100"), 0);
	assert_string_equal(s.inner[0].name, "outer");
	assert_string_equal(s.inner[0].map, "inner");
	assert_null(s.inner[1].map);
	assert_int_equal(s.inner[1].type, BPF_MAP_TYPE_LRU_HASH);
	assert_int_equal(s.inner[1].key_sz, 4);
	assert_int_equal(s.inner[1].value_sz, 16);
	assert_int_equal(s.inner[1].entries, 100);
	bench_setup__free(&s);
	assert_int_equal(s.map_cnt + s.global_cnt + s.prog_array_cnt + s.prog_cnt + s.size_cnt +
				 s.inner_cnt,
			 0);
}

static void test_types(void **state)
{
	static const struct {
		const char *arg, *prog;
		__u32 type, attach_type;
		const char *target;
	} cases[] = {
		{"xdp", NULL, BPF_PROG_TYPE_XDP, 0, NULL},
		{"SCHED_CLS", NULL, BPF_PROG_TYPE_SCHED_CLS, 0, NULL},
		{"tc", NULL, BPF_PROG_TYPE_SCHED_CLS, 0, NULL},
		{"classifier", NULL, BPF_PROG_TYPE_SCHED_CLS, 0, NULL},
		{"cgroup_skb/egress", NULL, BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS, NULL},
		{"lb_*=xdp", "lb_*", BPF_PROG_TYPE_XDP, 0, NULL},
		{"p=fentry/vfs_read", "p", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, "vfs_read"},
		{"p=kprobe/vfs_read", "p", BPF_PROG_TYPE_KPROBE, 0, NULL},
	};

	log_libbpf__begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_setup s = {};

		assert_int_equal(bench_setup__add_type(&s, cases[i].arg), 0);
		assert_int_equal(s.type[0].type, cases[i].type);
		assert_int_equal(s.type[0].attach_type, cases[i].attach_type);
		if (cases[i].prog)
			assert_string_equal(s.type[0].prog, cases[i].prog);
		else
			assert_null(s.type[0].prog);
		if (cases[i].target)
			assert_string_equal(s.type[0].target, cases[i].target);
		else
			assert_null(s.type[0].target);
		bench_setup__free(&s);
	}
}

static int add_size(struct bench_setup *s, const char *arg)
{
	return bench_setup__add_size(s, "--map-size", MAP_ENTRIES, arg);
}

static int add_value_size(struct bench_setup *s, const char *arg)
{
	return bench_setup__add_size(s, "--map-value-size", MAP_VALUE, arg);
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
		{bench_setup__add_type, "xpd",
		 "bprof: --type: no such program type; did you mean 'xdp'?\n  xpd\n  ^^^\n"},
		{bench_setup__add_type, "",
		 "bprof: --type: no such program type, such as xdp, sched_cls or kprobe; bprof(1) "
		 "lists them\n  \n  ^\n"},
		{bench_setup__add_type, "prog=xpd",
		 "bprof: --type: no such program type; did you mean 'xdp'?\n  prog=xpd\n       "
		 "^^^\n"},
		{bench_setup__add_type, "prog=",
		 "bprof: --type: expected PROG=TYPE: nothing after '='\n  prog=\n       ^\n"},
		{add_size, "m", "bprof: --map-size: expected NAME=N: no '='\n  m\n   ^\n"},
		{add_size, "m=0",
		 "bprof: --map-size: expected a number of entries: a number > 0\n  m=0\n    ^\n"},
		{add_size, "m=8k",
		 "bprof: --map-size: expected a number of entries: a number > 0\n  m=8k\n    ^^\n"},
		{add_value_size, "m=x",
		 "bprof: --map-value-size: expected a number of bytes: a number > 0\n  m=x\n    "
		 "^\n"},
		{bench_setup__add_inner_map, "m=",
		 "bprof: --inner-map: expected NAME=MAP or NAME=TYPE,KEY,VALUE,N: nothing after "
		 "'='\n  m=\n    ^\n"},
		{bench_setup__add_inner_map, "m=hasch,4,4,1",
		 "bprof: --inner-map: no such map type, such as hash or array\n  m=hasch,4,4,1\n   "
		 " "
		 "^^^^^\n"},
		{bench_setup__add_inner_map, "m=hash,4,x,1",
		 "bprof: --inner-map: expected the size of a value in bytes: a number > 0\n"
		 "  m=hash,4,x,1\n           ^\n"},
		{bench_setup__add_inner_map, "m=hash,4,4",
		 "bprof: --inner-map: expected a number of entries: a number > 0\n  m=hash,4,4\n"
		 "            ^\n"},
	};

	log_libbpf__begin();
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
