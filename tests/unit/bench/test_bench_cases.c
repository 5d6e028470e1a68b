// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the cases of a suite's entry: their keys, and each error with its place.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include "bench/bench_cases.h"

static int parse(struct bench_cases *c, const char *json, char *why, size_t sz)
{
	struct json_reader rd = {.text = why, .text_sz = sz};
	json_t *list = json_loads(json, 0, NULL);
	int err;

	assert_non_null(list);
	*why = '\0';
	*c = (struct bench_cases){};
	err = bench_cases__parse(c, list, &rd);
	json_decref(list);
	return err;
}

static void test_all_keys(void **state)
{
	static const char json[] =
		"[{\"name\": \"known\", \"packet\": \"hex: 05 00\", \"ctx\": \"hex:01020304\","
		"  \"before\": [{\"prog\": \"learn\", \"packet\": \"hex:0600\", \"repeat\": 3},"
		"               {\"ctx\": \"hex:09\"}]},"
		" {\"name\": \"default\"}]";
	struct bench_input in = {};
	const struct bench_setting *setting;
	struct bench_cases c;
	struct test_input run;
	char why[200];

	if (parse(&c, json, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(bench_cases__read(&c, &in), 0);
	assert_int_equal(in.cnt, 2);
	assert_string_equal(in.v[0].name, "known");
	setting = in.v[0].setting;
	assert_int_equal(setting->before_cnt, 2);
	assert_string_equal(setting->before[0].prog, "learn");
	assert_int_equal(setting->before[0].repeat, 3);
	assert_null(setting->before[1].prog);
	assert_int_equal(setting->before[1].repeat, 1);
	run = bench_input__at(&in, 0, 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(run.data_sz, 2);
	assert_int_equal(run.ctx_sz, 4);
	run = bench_step__at(&in, &setting->before[0], 0, BPF_PROG_TYPE_XDP);
	assert_memory_equal(run.data, "\6\0", 2);
	assert_int_equal(run.ctx_sz, 0);
	/* Without a packet, a case and a step get the default one. */
	run = bench_step__at(&in, &setting->before[1], 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(run.data_sz, 64);
	assert_memory_equal(run.ctx, "\x09", 1);
	assert_int_equal(bench_input__at(&in, 1, 0, BPF_PROG_TYPE_XDP).data_sz, 64);
	assert_null(in.v[1].setting);
	bench_input__free(&in);
	bench_cases__free(&c);
}

static void test_refused(void **state)
{
	static const struct {
		const char *json, *why;
	} cases[] = {
		{"{}", "expected an array, found an object"},
		{"[1]", "[0]: expected an object, found a number"},
		{"[{\"name\": \"a\"}, {\"packet\": \"x\"}]", "[1]: \"name\" is missing"},
		{"[{\"name\": \"\"}]", "[0]: \"name\" is missing"},
		{"[{\"name\": 7}]", "[0].name: expected a string, found a number"},
		{"[{\"name\": \"a\", \"packet\": []}]", "[0].packet: expected a string"},
		{"[{\"packet\": \"x\", \"pcap\": \"y\"}]",
		 "[0]: \"packet\" and \"pcap\": give only"},
		{"[{\"name\": \"a\", \"cycle\": true}]", "[0]: \"cycle\": it needs \"pcap\""},
		{"[{\"pcap\": \"y\", \"cycle\": 1}]", "[0].cycle: expected true or false"},
		{"[{\"name\": \"a\", \"paket\": \"x\"}]",
		 "[0]: \"paket\": no such key; did you mean 'packet'?"},
		{"[{\"name\": \"a\", \"before\": {}}]", "[0].before: expected an array"},
		{"[{\"name\": \"a\", \"before\": [{\"repeat\": 0}]}]",
		 "[0].before[0].repeat: expected a number from 1 to 1000000"},
		{"[{\"name\": \"a\", \"before\": [{\"packet\": \"x\", \"pcap\": \"y\"}]}]",
		 "[0].before[0]: \"packet\" and \"pcap\""},
		{"[{\"name\": \"a\", \"before\": [{\"repeet\": 1}]}]",
		 "[0].before[0]: \"repeet\": no such key; did you mean 'repeat'?"},
	};
	struct bench_cases c;
	char why[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&c, cases[i].json, why, sizeof(why)), -EINVAL);
		if (strncmp(why, cases[i].why, strlen(cases[i].why)))
			fail_msg("%s: %s", cases[i].json, why);
		bench_cases__free(&c);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_keys),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
