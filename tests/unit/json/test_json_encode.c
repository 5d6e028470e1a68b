// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how JSON values become bytes: every kind of type, values that do not fit, and invalid BTF.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "base/util.h"
#include "json/json_encode.h"
#include "tests/unit/map_types.h"

#define BYTES(...) (const __u8[]){__VA_ARGS__}, sizeof((const __u8[]){__VA_ARGS__})

struct good {
	__u32 type;
	const char *json;
	const __u8 *want;
	size_t sz;
};

static json_t *load(const char *json)
{
	json_error_t err;
	json_t *v = json_loads(json, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &err);

	if (!v)
		fail_msg("%s: %s", json, err.text);
	return v;
}

static void check_good(const struct btf *btf, const struct good *g)
{
	struct json_encoder e = {.btf = btf};
	/*
	 * Bytes for which the JSON has no value must be zero. Memory outside of the buffer must not
	 * change.
	 */
	__u8 data[64];
	json_t *v = load(g->json);

	memset(data, 0xaa, sizeof(data));
	if (json_encoder__write(&e, g->type, v, data, g->sz))
		fail_msg("%s: %s", g->json, e.text);
	for (size_t i = 0; i < g->sz; i++)
		if (data[i] != g->want[i])
			fail_msg("%s: byte %zu is %#x, not %#x", g->json, i, data[i], g->want[i]);
	assert_int_equal(data[g->sz], 0xaa);
	assert_int_equal(e.path.depth, 0);
	json_decref(v);
}

static void check_all_good(const struct good *cases, size_t cnt)
{
	struct btf *btf = map_types__new();

	for (size_t i = 0; i < cnt; i++)
		check_good(btf, &cases[i]);
	btf__free(btf);
}

static void test_scalars(void **state)
{
	const struct good cases[] = {
		{T_INT, "-2", BYTES(0xfe, 0xff, 0xff, 0xff)},
		{T_INT, "2147483647", BYTES(0xff, 0xff, 0xff, 0x7f)},
		{T_INT, "-2147483648", BYTES(0, 0, 0, 0x80)},
		{T_INT, "\"-0x1\"", BYTES(0xff, 0xff, 0xff, 0xff)},
		{T_INT, "true", BYTES(1, 0, 0, 0)},
		{T_U8, "255", BYTES(255)},
		{T_S8, "-128", BYTES(0x80)},
		/* a hexadecimal string is a bit pattern, so it may set the sign bit */
		{T_S8, "\"0xff\"", BYTES(0xff)},
		{T_U32, "\"0xDEADbeef\"", BYTES(0xef, 0xbe, 0xad, 0xde)},
		{T_U64, "\"18446744073709551615\"", BYTES(255, 255, 255, 255, 255, 255, 255, 255)},
		{T_U128, "\"0x100f0e0d0c0b0a090807060504030201\"",
		 BYTES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)},
		{T_BOOL, "true", BYTES(1)},
		{T_BOOL, "0", BYTES(0)},
		{T_BOOL, "\"0x1\"", BYTES(1)},
		{T_FLOAT, "1.5", BYTES(0, 0, 0xc0, 0x3f)},
		{T_DOUBLE, "-2", BYTES(0, 0, 0, 0, 0, 0, 0, 0xc0)},
		{T_U32_ALIAS, "258", BYTES(2, 1, 0, 0)},
		{T_ENUM, "\"ALLOW\"", BYTES(5, 0, 0, 0)},
		{T_ENUM, "\"NEGATIVE\"", BYTES(255, 255, 255, 255)},
		{T_ENUM, "7", BYTES(7, 0, 0, 0)},
		{T_ENUM, "\"0x10\"", BYTES(16, 0, 0, 0)},
		{T_ENUM64, "\"WIDE\"", BYTES(0, 0, 0, 0, 0, 1, 0, 0)},
		{T_PTR, "1", BYTES(1, 0, 0, 0, 0, 0, 0, 0)},
		{T_OLD_BITS, "-3", BYTES(0x50, 0, 0, 0)},
		/* for any type, an array of its bytes is accepted */
		{T_U32, "[1,2,\"0x3\",255]", BYTES(1, 2, 3, 255)},
		/* values for a type that is unknown */
		{0, "-1", BYTES(0xff, 0xff)},
		{0, "65535", BYTES(0xff, 0xff)},
		{0, "[1,\"0x02\",3]", BYTES(1, 2, 3)},
	};

	check_all_good(cases, ARRAY_SIZE(cases));
}

static void test_arrays(void **state)
{
	const struct good cases[] = {
		{T_CHARS, "\"eth0\"", BYTES('e', 't', 'h', '0', 0, 0, 0, 0)},
		{T_CHARS, "\"12345678\"", BYTES('1', '2', '3', '4', '5', '6', '7', '8')},
		{T_CHARS, "[65,-1]", BYTES(65, 255, 0, 0, 0, 0, 0, 0)},
		{T_U16S, "[1,2,3]", BYTES(1, 0, 2, 0, 3, 0)},
		{T_U16S, "[]", BYTES(0, 0, 0, 0, 0, 0)},
		/*
		 * the array has three elements of two bytes: three hexadecimal strings are its
		 * elements, and six are its bytes
		 */
		{T_U16S, "[\"0x1\",\"0x2\",\"0x3\"]", BYTES(1, 0, 2, 0, 3, 0)},
		{T_U16S, "[\"0x1\",\"0x2\",\"0x3\",\"0x4\",\"0x5\",\"0x6\"]",
		 BYTES(1, 2, 3, 4, 5, 6)},
		{T_MATRIX, "[[1],[2,3]]", BYTES(1, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0)},
		{T_FLAG_ARRAY, "[true,false]", BYTES(1, 0)},
	};

	check_all_good(cases, ARRAY_SIZE(cases));
}

#define RULE(...) BYTES(__VA_ARGS__, [T_STRUCT_SZ - 1] = 0)

static void test_structs(void **state)
{
	const struct good cases[] = {
		{T_STRUCT, "{}", RULE(0)},
		{T_STRUCT, "{\"id\":1,\"action\":\"ALLOW\"}", RULE(1, 0, 0, 0, 5)},
		/*
		 * the fields of unnamed members ("word", "y"), and a field of a named member ("in")
		 */
		{T_STRUCT, "{\"word\":258,\"y\":3,\"in\":{\"y\":4}}",
		 RULE([8] = 2, [9] = 1, [14] = 3, [34] = 4)},
		/* unnamed members as in bpftool's dumps, after json_lenient__load() */
		{T_STRUCT, "{\"#1\":{\"word\":258,\"byte\":2},\"#2\":{\"x\":1,\"y\":2}}",
		 RULE([8] = 2, [9] = 1, [12] = 1, [14] = 2)},
		{T_STRUCT, "{\"low\":-1,\"high\":127,\"on\":true}",
		 RULE([24] = 0xff, [25] = 3, [28] = 1)},
		{T_STRUCT, "{\"low\":\"0x7\",\"high\":0}", RULE([24] = 7)},
		{T_STRUCT, "{\"name\":\"a\",\"ports\":[80,443]}",
		 RULE([16] = 'a', [36] = 80, [38] = 443 & 255, [39] = 1)},
		{T_INNER, "[1,2,3,4]", BYTES(1, 2, 3, 4)},
		/* members of a union that give the same bytes */
		{T_UNION, "{\"byte\":4,\"word\":260}", BYTES(4, 1, 0, 0)},
	};

	check_all_good(cases, ARRAY_SIZE(cases));
}

struct bad {
	__u32 type;
	size_t sz;
	const char *json;
	const char *text;
};

static void check_refused(const struct btf *btf, const struct bad *c)
{
	struct json_encoder e = {.btf = btf};
	json_t *v = load(c->json);
	__u8 data[64];

	if (json_encoder__write(&e, c->type, v, data, c->sz) != -EINVAL)
		fail_msg("%s is taken", c->json);
	assert_string_equal(e.text, c->text);
	json_decref(v);
}

static void test_refused(void **state)
{
	static const struct bad cases[] = {
		{T_U8, 1, "256", "256 does not fit into 8 bits"},
		{T_U8, 1, "-1", "-1 does not fit into 8 bits"},
		{T_S8, 1, "128", "128 does not fit into 8 bits, signed"},
		{T_S8, 1, "-129", "-129 does not fit into 8 bits, signed"},
		{T_U64, 8, "\"18446744073709551616\"",
		 "18446744073709551616 does not fit into 64 bits"},
		{T_U128, 16, "\"340282366920938463463374607431768211456\"",
		 "340282366920938463463374607431768211456 does not fit into 128 bits"},
		{T_U8, 1, "1.5", "expected a whole number, found a number"},
		{T_U8, 1, "\"\"", "expected a whole number, found the string ''"},
		{T_U8, 1, "\"0x\"", "expected a whole number, found the string '0x'"},
		{T_U8, 1, "\"12a\"", "expected a whole number, found the string '12a'"},
		{T_U8, 1, "null", "expected a whole number, found null"},
		{T_U8, 1, "{}", "expected a whole number, found an object"},
		{T_U32, 4, "[1,2]", "expected a single value, found an array"},
		{T_U32, 4, "[1,2,3,256]", "[3]: 256 does not fit into 8 bits"},
		{T_BOOL, 1, "2", "expected true or false, found a number"},
		{T_BOOL, 1, "\"yes\"", "expected true or false, found the string 'yes'"},
		{T_FLOAT, 4, "\"1\"", "expected a number, found the string '1'"},
		{T_ENUM, 4, "\"ALOW\"", "enum action has no value 'ALOW'; did you mean 'ALLOW'?"},
		{T_ENUM, 4, "4294967296", "4294967296 does not fit into 32 bits"},
		{T_CHARS, 8, "\"123456789\"", "a string of 9 bytes does not fit into 8"},
		{T_CHARS, 8, "1", "expected an array or a string, found a number"},
		{T_U16S, 6, "\"a\"", "expected an array, found the string 'a'"},
		{T_U16S, 6, "[1,2,3,4]", "4 elements, there is room for 3"},
		{T_U16S, 6, "[1,65536]", "[1]: 65536 does not fit into 16 bits"},
		{T_MATRIX, 12, "[[],[1,2,3,4]]", "[1]: 4 elements, there is room for 3"},
		{T_STRUCT, T_STRUCT_SZ, "{\"nam\":\"\"}",
		 "nam: struct rule has no such field; did you mean 'name'?"},
		{T_STRUCT, T_STRUCT_SZ, "{\"wrd\":0}",
		 "wrd: struct rule has no such field; did you mean 'word'?"},
		{T_STRUCT, T_STRUCT_SZ, "{\"\":0}", ": struct rule has no such field"},
		{T_STRUCT, T_STRUCT_SZ, "{\"in\":{\"z\":0}}", "in.z: struct has no such field"},
		{T_STRUCT, T_STRUCT_SZ, "{\"#1\":{},\"#2\":{},\"#3\":{}}",
		 "#3: struct rule has no such field"},
		{T_STRUCT, T_STRUCT_SZ, "{\"low\":4}", "low: 4 does not fit into 3 bits, signed"},
		{T_STRUCT, T_STRUCT_SZ, "{\"high\":128}", "high: 128 does not fit into 7 bits"},
		{T_STRUCT, T_STRUCT_SZ, "{\"ports\":[1,[2]]}",
		 "ports[1]: expected a single value, found an array"},
		{T_STRUCT, T_STRUCT_SZ, "7", "expected an object, found a number"},
		{T_STRUCT, T_STRUCT_SZ, "[7]",
		 "expected an object, or all its 44 bytes; found an array of 1"},
		{T_UNION, 4, "{\"word\":256,\"byte\":1}",
		 "word: another member of the union is given with other bytes"},
		{T_STRUCT, T_STRUCT_SZ, "{\"byte\":1,\"word\":256}",
		 "byte: another member of the union is given with other bytes"},
		{0, 2, "65536", "65536 does not fit into 16 bits"},
		{0, 2, "[1]", "expected 2 bytes, the array has 1"},
		{0, 3, "1", "its type is not known (no BTF): expected an array of its 3 bytes"},
		/* types with invalid BTF */
		{T_LOOP, 4, "{\"a\":1}", "a: struct loop has no such field"},
		{T_OUTSIDE, 4, "{\"far\":1}", "far: its BTF puts it outside of the 4 bytes"},
		{9999, 4, "1", "its BTF gives no type that can be written"},
		/* a type that is larger than its buffer */
		{T_U64, 4, "1", "its BTF gives no type that can be written"},
	};
	struct btf *btf = map_types__new();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_refused(btf, &cases[i]);
	btf__free(btf);
}

/* In the BTF of an object, names may lie outside of its strings: libbpf 1.1 does not check that. */
static void test_bad_names(void **state)
{
	static const struct bad cases[] = {
		{T_ENUM, 4, "\"ALLOW\"", "enum  has no value 'ALLOW'"},
		{T_ENUM64, 8, "\"WIDE\"", "enum wide has no value 'WIDE'"},
		{T_STRUCT, T_STRUCT_SZ, "{\"id\":1}", "id: struct has no such field"},
	};
	const __u32 bad = 1U << 30;
	struct btf *btf = map_types__new();
	struct btf_type *t = (struct btf_type *)btf__type_by_id(btf, T_ENUM);

	t->name_off = bad;
	for (int i = 0; i < btf_vlen(t); i++)
		btf_enum(t)[i].name_off = bad;
	btf_enum64((struct btf_type *)btf__type_by_id(btf, T_ENUM64))->name_off = bad;
	t = (struct btf_type *)btf__type_by_id(btf, T_STRUCT);
	t->name_off = bad;
	for (int i = 0; i < btf_vlen(t); i++)
		if (btf_members(t)[i].name_off)
			btf_members(t)[i].name_off = bad;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_refused(btf, &cases[i]);
	btf__free(btf);
}

static void test_deep(void **state)
{
	struct btf *btf = map_types__new();
	struct json_encoder e = {.btf = btf};
	char json[1024] = "";
	__u8 data[4];
	json_t *v;

	for (int i = 0; i < 100; i++)
		strcat(json, "{\"#\":");
	strcat(json, "1");
	for (int i = 0; i < 100; i++)
		strcat(json, "}");
	v = load(json);
	assert_int_equal(json_encoder__write(&e, T_LOOP, v, data, sizeof(data)), -EINVAL);
	assert_non_null(strstr(e.text, "#: nested too deeply"));
	json_decref(v);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),	  cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_structs),	  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bad_names), cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
