// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reading the contents of maps from files, which were written by hand or by bpftool, and the
 * positions in error messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "host/cpus.h"
#include "object/map_file.h"
#include "tests/unit/map_types.h"

/* A machine without CPU 2: its third CPU is CPU 3. */
static int cpu_ids[] = {0, 1, 3};
static const struct cpus cpus = {.id = cpu_ids, .cnt = 3};

static struct map_elems parse_good(const char *json, const struct map_shape *shape)
{
	struct map_file_error err;
	struct map_elems elems;

	if (map_elems__parse(json, shape, &elems, &err))
		fail_msg("%s: %s", json, err.text);
	assert_int_equal(elems.key_sz, shape->key_sz);
	return elems;
}

static void check_bytes(const __u8 *got, size_t sz, const __u8 *want)
{
	for (size_t i = 0; i < sz; i++)
		if (got[i] != want[i])
			fail_msg("byte %zu is %#x, not %#x", i, got[i], want[i]);
}

static void test_by_hand(void **state)
{
	struct btf *btf = map_types__new();
	struct map_shape shape = {
		.btf = btf,
		.key_type = T_U32,
		.value_type = T_INNER,
		.key_sz = 4,
		.value_sz = 4,
	};
	struct map_elems elems = parse_good("[{\"key\": 1, \"value\": {\"x\": 0x102}},\n"
					    " {\"key\": 0xffffffff, \"value\": [1, 2, 3, 4]}]\n",
					    &shape);

	assert_int_equal(elems.cnt, 2);
	assert_int_equal(elems.value_sz, 4);
	check_bytes(elems.keys, 8, (const __u8[]){W4(1), W4(0xffffffff)});
	check_bytes(elems.values, 8, (const __u8[]){W2(0x102), 0, 0, 1, 2, 3, 4});
	map_elems__free(&elems);

	elems = parse_good("[]", &shape);
	assert_int_equal(elems.cnt, 0);
	map_elems__free(&elems);
	btf__free(btf);
}

/* One map is a queue, which has no keys. Neither map has BTF. */
static void test_no_keys_no_types(void **state)
{
	struct map_shape queue = {.value_sz = 8};
	struct map_shape plain = {.key_sz = 3, .value_sz = 2};
	struct map_elems elems = parse_good("[{\"value\":18446744073709551615}]", &queue);

	check_bytes(elems.values, 8, (const __u8[]){255, 255, 255, 255, 255, 255, 255, 255});
	map_elems__free(&elems);
	elems = parse_good("[{\"key\":[\"0x01\",2,3],\"value\":-2}]", &plain);
	check_bytes(elems.keys, 3, (const __u8[]){1, 2, 3});
	check_bytes(elems.values, 2, (const __u8[]){W2(-2)});
	map_elems__free(&elems);
}

/*
 * The texts are dumps of bpftool 7.1. They have a number above 2^63, and two unnamed unions whose
 * names are both "". Bit fields are hexadecimal; without bpftool's option -j, they are not quoted.
 */
static void test_bpftool(void **state)
{
	static const char json[] =
		"[{\"key\":[\"0x01\",\"0x00\",\"0x00\",\"0x00\"],\"value\":[\"0x07\",\"0x00\"],"
		"\"formatted\":{\"key\":1,\"value\":{\"a\":0,\"\":{\"b\":0,\"c\":0},"
		"\"\":{\"d\":0},\"big\":18446744073709551615,\"bf\":\"0x0\"}}}]";
	static const char plain[] =
		"[{\n        \"key\": 1,\n        \"value\": {\n"
		"            \"id\": 4294967295,\n            \"\": {\n"
		"                \"word\": 258,\n"
		"                \"byte\": 2\n            },\n"
		"            \"\" : {\n                \"x\": 1\n            },\n"
		"            \"name\": \"\\\"0x1\\\"\",\n"
		"            \"low\": 0x7,\n            \"high\": 0x1\n"
		"        }\n    }\n]\n";
	struct btf *btf = map_types__new();
	struct map_shape shape = {
		.btf = btf,
		.key_type = T_U32,
		.value_type = T_U16,
		.key_sz = 4,
		.value_sz = 2,
	};
	struct map_elems elems = parse_good(json, &shape);

	check_bytes(elems.keys, 4, (const __u8[]){1, 0, 0, 0});
	check_bytes(elems.values, 2, (const __u8[]){7, 0});
	map_elems__free(&elems);

	/* a fraction with many digits is read as a number, too */
	shape.value_type = T_FLOAT;
	shape.value_sz = 4;
	elems = parse_good("[{\"key\":1,\"value\":0.250000000000000000000}]", &shape);
	check_bytes(elems.values, 4, (const __u8[]){W4(0x3e800000)});
	map_elems__free(&elems);

	shape.value_type = T_STRUCT;
	shape.value_sz = T_STRUCT_SZ;
	elems = parse_good(plain, &shape);
	check_bytes(elems.values, T_STRUCT_SZ,
		    (const __u8[T_STRUCT_SZ]){255, 255, 255,
					      255, [8] = W4(258), [12] = W2(1), [16] = '"', '0',
					      'x', '1', '"', [24] = 15, 0});
	map_elems__free(&elems);
	btf__free(btf);
}

static void test_per_cpu(void **state)
{
	struct btf *btf = map_types__new();
	struct map_shape shape = {
		.btf = btf,
		.key_type = T_U32,
		.value_type = T_U32,
		.key_sz = 4,
		.value_sz = 4,
		.cpus = &cpus,
	};
	struct map_elems elems =
		parse_good("[{\"key\":1,\"value\":7},"
			   "{\"key\":2,\"values\":[{\"cpu\":3,\"value\":9},"
			   "{\"cpu\":0,\"value\":[\"0x08\",\"0x00\",\"0x00\",\"0x00\"]}]}]",
			   &shape);

	assert_int_equal(elems.value_sz, 24);
	check_bytes(elems.values, 48,
		    (const __u8[48]){W4(7), [8] = W4(7), [16] = W4(7), [24] = 8, [40] = W4(9)});
	map_elems__free(&elems);
	btf__free(btf);
}

static void test_refused(void **state)
{
	static const struct {
		const char *json;
		bool per_cpu, no_keys;
		unsigned long line;
		const char *text;
	} cases[] = {
		{"", .line = 1, .text = "not JSON"},
		{"[{\"key\":1,\n\"value\":", .line = 2, .text = "not JSON"},
		{"[]\n]", .line = 2, .text = "not JSON"},
		{"[{\"key\":1,\n\n\"key\":1}]", .line = 3,
		 .text = "an object has two fields with the same name"},
		{"[\"\xff\"]", .line = 1, .text = "not UTF-8"},
		{"\"", .line = 1, .text = "not JSON"},
		{"{\"key\":1,\"value\":2}",
		 .text = "expected an array of {\"key\": ..., \"value\": ...}, found an object"},
		{"[1]", .text = "[0]: expected {\"key\": ..., \"value\": ...}, found a number"},
		{"[{\"value\":{}}]", .text = "[0]: \"key\" is missing"},
		{"[{\"key\":1}]", .text = "[0]: \"value\" is missing"},
		{"[{\"key\":1,\"value\":{},\"val\":0}]",
		 .text = "[0]: 'val': an element has \"key\" and \"value\""},
		{"[{\"key\":1,\"value\":{}},{\"key\":1e3,\"value\":{}}]",
		 .text = "[1].key: expected a whole number, found a number"},
		{"[{\"key\":99999999999999999999999,\"value\":{}}]",
		 .text = "[0].key: 99999999999999999999999 does not fit into 32 bits"},
		{"[{\"key\":1,\"value\":{\"in\":{\"x\":65536}}}]",
		 .text = "[0].value.in.x: 65536 does not fit into 16 bits"},
		{"[{\"key\":1,\"value\":{\"\":{},\"\":{\"z\":0}}}]",
		 .text = "[0].value.#2.z: struct has no such field"},
		/* unnamed members are counted in each object separately */
		{"[{\"key\":1,\"value\":{\"\":{}}},{\"key\":1,\"value\":{\"\":{\"z\":0}}}]",
		 .text = "[1].value.#1.z: union has no such field"},
		{"[{\"key\":1,\"values\":[]}]",
		 .text = "[0]: \"values\": this is not a per-CPU map"},
		{"[{\"key\":1,\"value\":{},\"values\":[]}]", .per_cpu = true,
		 .text = "[0]: \"value\" and \"values\": give only one of them"},
		{"[{\"key\":1,\"values\":{}}]", .per_cpu = true,
		 .text = "[0].values: expected an array, found an object"},
		{"[{\"key\":1,\"values\":[{\"cpu\":0}]}]", .per_cpu = true,
		 .text = "[0].values[0]: expected {\"cpu\": ..., \"value\": ...}"},
		{"[{\"key\":1,\"values\":[{\"cpu\":0,\"value\":{}},{\"cpu\":2,\"value\":{}}]}]",
		 .per_cpu = true,
		 .text = "[0].values[1]: \"cpu\": expected one of this machine's: 0-1,3"},
		{"[{\"key\":1,\"values\":[{\"cpu\":0,\"value\":{\"low\":9}}]}]", .per_cpu = true,
		 .text = "[0].values[0].value.low: 9 does not fit into 3 bits, signed"},
		{"[{\"key\":1,\"value\":{}}]", .no_keys = true,
		 .text = "[0]: \"key\": this map has no keys"},
	};
	struct btf *btf = map_types__new();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct map_shape shape = {
			.btf = btf,
			.key_type = T_U32,
			.value_type = T_STRUCT,
			.key_sz = cases[i].no_keys ? 0 : 4,
			.value_sz = T_STRUCT_SZ,
			.cpus = cases[i].per_cpu ? &cpus : NULL,
		};
		struct map_file_error err;
		struct map_elems elems;

		if (map_elems__parse(cases[i].json, &shape, &elems, &err) != -EINVAL)
			fail_msg("%s is taken", cases[i].json);
		assert_string_equal(err.text, cases[i].text);
		assert_int_equal(err.line, cases[i].line);
		map_elems__free(&elems);
	}
	btf__free(btf);
}

/* A text that is truncated anywhere is refused, and no byte beyond its end is read. */
static void test_cut(void **state)
{
	static const char json[] =
		"[{\"\":\"\\\"\",\"\":\"\",\"k\":0x1,\"\":-12345678901234567890}";
	struct map_shape shape = {.key_sz = 4, .value_sz = 4};

	for (size_t len = 0; len < sizeof(json); len++) {
		char *cut = strndup(json, len);
		struct map_file_error err;
		struct map_elems elems;

		assert_non_null(cut);
		assert_int_equal(map_elems__parse(cut, &shape, &elems, &err), -EINVAL);
		assert_int_equal(err.line, 1);
		map_elems__free(&elems);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand), cmocka_unit_test(test_no_keys_no_types),
		cmocka_unit_test(test_bpftool), cmocka_unit_test(test_per_cpu),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
