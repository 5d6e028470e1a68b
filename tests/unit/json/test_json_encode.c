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
		{T_INT, "-2", BYTES(W4(-2))},
		{T_INT, "2147483647", BYTES(W4(0x7fffffff))},
		{T_INT, "-2147483648", BYTES(W4(0x80000000))},
		{T_INT, "\"-0x1\"", BYTES(0xff, 0xff, 0xff, 0xff)},
		{T_INT, "true", BYTES(W4(1))},
		{T_U8, "255", BYTES(255)},
		{T_U8, "\"-0\"", BYTES(0)},
		{T_U8, "\"012\"", BYTES(12)},
		{T_U8, "\"0X1F\"", BYTES(0x1f)},
		{T_S8, "-128", BYTES(0x80)},
		/* a hexadecimal string is a bit pattern, so it may set the sign bit */
		{T_S8, "\"0xff\"", BYTES(0xff)},
		{T_U32, "\"0xDEADbeef\"", BYTES(W4(0xdeadbeef))},
		{T_U64, "\"18446744073709551615\"", BYTES(255, 255, 255, 255, 255, 255, 255, 255)},
		{T_U128, "\"0x100f0e0d0c0b0a090807060504030201\"",
		 BYTES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)},
		{T_U128, "\"340282366920938463463374607431768211455\"",
		 BYTES(255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
		       255)},
		{T_BOOL, "true", BYTES(1)},
		{T_BOOL, "0", BYTES(0)},
		{T_BOOL, "\"0x1\"", BYTES(1)},
		{T_FLOAT, "1.5", BYTES(W4(0x3fc00000))},
		{T_DOUBLE, "-2", BYTES(W8(0xc000000000000000))},
		{T_U32_ALIAS, "258", BYTES(W4(258))},
		{T_ENUM, "\"ALLOW\"", BYTES(W4(5))},
		{T_ENUM, "\"NEGATIVE\"", BYTES(255, 255, 255, 255)},
		{T_ENUM, "7", BYTES(W4(7))},
		{T_ENUM, "\"0x10\"", BYTES(W4(16))},
		{T_ENUM64, "\"WIDE\"", BYTES(W8(1ULL << 40))},
		{T_PTR, "1", BYTES(W8(1ULL))},
		{T_OLD_BITS, "-3", BYTES(0x50, 0, 0, 0)},
		/* for any type, an array of its bytes is accepted */
		{T_U32, "[1,2,\"0x3\",255]", BYTES(1, 2, 3, 255)},
		/* values for a type that is unknown */
		{0, "-1", BYTES(0xff, 0xff)},
		{0, "65535", BYTES(0xff, 0xff)},
		{0, "7", BYTES(7)},
		{0, "7", BYTES(W4(7))},
		{0, "7", BYTES(W8(7ULL))},
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
		{T_U16S, "[1,2,3]", BYTES(W2(1), W2(2), W2(3))},
		{T_U16S, "[]", BYTES(0, 0, 0, 0, 0, 0)},
		{T_U16S, "[\"5\",\"6\"]", BYTES(W2(5), W2(6), 0, 0)},
		{T_U16S, "[\"0x1\",2,3,4,5,6]", BYTES(1, 2, 3, 4, 5, 6)},
		/*
		 * the array has three elements of two bytes: three hexadecimal strings are its
		 * elements, and six are its bytes
		 */
		{T_U16S, "[\"0x1\",\"0x2\",\"0x3\"]", BYTES(W2(1), W2(2), W2(3))},
		{T_U16S, "[\"0x1\",\"0x2\",\"0x3\",\"0x4\",\"0x5\",\"0x6\"]",
		 BYTES(1, 2, 3, 4, 5, 6)},
		{T_MATRIX, "[[1],[2,3]]", BYTES(W2(1), 0, 0, 0, 0, W2(2), W2(3), 0, 0)},
		{T_FLAG_ARRAY, "[true,false]", BYTES(1, 0)},
	};

	check_all_good(cases, ARRAY_SIZE(cases));
}

#define RULE(...) BYTES(__VA_ARGS__, [T_STRUCT_SZ - 1] = 0)

static void test_structs(void **state)
{
	const struct good cases[] = {
		{T_STRUCT, "{}", RULE(0)},
		{T_STRUCT, "{\"id\":1,\"action\":\"ALLOW\"}", RULE(W4(1), W4(5))},
		/*
		 * the fields of unnamed members ("word", "y"), and a field of a named member ("in")
		 */
		{T_STRUCT, "{\"word\":258,\"y\":3,\"in\":{\"y\":4}}",
		 RULE([8] = W4(258), [14] = W2(3), [34] = W2(4))},
		/* unnamed members as in bpftool's dumps, after json_lenient__load() */
		{T_STRUCT, "{\"#1\":{\"word\":258,\"byte\":2},\"#2\":{\"x\":1,\"y\":2}}",
		 RULE([8] = W4(258), [12] = W2(1), [14] = W2(2))},
		{T_STRUCT, "{\"low\":-1,\"high\":127,\"on\":true}",
		 RULE([24] = 0xff, [25] = 3, [28] = 1)},
		{T_STRUCT, "{\"low\":\"0x7\",\"high\":0}", RULE([24] = 7)},
		{T_STRUCT, "{\"name\":\"a\",\"ports\":[80,443]}",
		 RULE([16] = 'a', [36] = W2(80), [38] = W2(443))},
		{T_INNER, "[1,2,3,4]", BYTES(1, 2, 3, 4)},
		{T_BITS, "{\"nine\":511}", BYTES(255, 1, 0, 0)},
		/* the size of the field counts, not that of the type */
		{T_BITS, "{\"old\":7}", BYTES(0, 0, 7, 0)},
		{T_EMPTY, "{}", BYTES(0, 0)},
		/* eight structs deep */
		{T_NESTED + 1, "{\"leaf\":1}", BYTES(W4(1))},
		/* members of a union that give the same bytes */
		{T_UNION, "{\"byte\":4,\"word\":260}", BYTES(W4(260))},
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
		{T_U8, 1, "\"1x2\"", "expected a whole number, found the string '1x2'"},
		{T_U8, 1, "\"0x1g\"", "expected a whole number, found the string '0x1g'"},
		{T_BOOL, 1, "-1", "expected true or false, found a number"},
		{T_FLAG_ARRAY, 2, "[\"0x2\",\"0x0\"]",
		 "[0]: expected true or false, found the string '0x2'"},
		{T_NO_BITS, 4, "0", "a number of 0 bits cannot be written"},
		{T_FLOAT, 4, "\"1\"", "expected a number, found the string '1'"},
		{T_ENUM, 4, "\"ALOW\"", "enum action has no value 'ALOW'; did you mean 'ALLOW'?"},
		{T_ENUM, 4, "\"DENI\"", "enum action has no value 'DENI'; did you mean 'DENY'?"},
		{T_ENUM, 4, "null", "expected a whole number, found null"},
		/* the name of the next type in the BTF is not that of a value */
		{T_ENUM, 4, "\"wide\"", "enum action has no value 'wide'"},
		{T_ENUM, 4, "\"wid\"", "enum action has no value 'wid'"},
		{T_ENUM, 4, "4294967296", "4294967296 does not fit into 32 bits"},
		{T_CHARS, 8, "\"123456789\"", "a string of 9 bytes does not fit into 8"},
		{T_CHARS, 8, "1", "expected an array or a string, found a number"},
		{T_U16S, 6, "\"a\"", "expected an array, found the string 'a'"},
		{T_U16S, 6, "[1,2,3,4]", "4 elements, there is room for 3"},
		{T_U16S, 6, "[1,65536]", "[1]: 65536 does not fit into 16 bits"},
		{T_TINY_ARRAY, 2, "\"ab\"", "expected an array, found the string 'ab'"},
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
		{T_STRUCT, T_STRUCT_SZ, "{\"low\":[1]}",
		 "low: expected a whole number, found an array"},
		/* the name of the next type in the BTF is not that of a field */
		{T_STRUCT, T_STRUCT_SZ, "{\"old\":1}", "old: struct rule has no such field"},
		{T_STRUCT, T_STRUCT_SZ, "{\"older\":1}", "older: struct rule has no such field"},
		{T_NESTED, 4, "{\"leaf\":1}", "leaf: struct nested has no such field"},
		{T_NESTED + 1, 4, "{\"lea\":1}",
		 "lea: struct nested has no such field; did you mean 'leaf'?"},
		{T_BITS, 4, "{\"sign\":true}", "sign: 1 does not fit into 1 bits, signed"},
		{0, 2, "65536", "65536 does not fit into 16 bits"},
		{0, 2, "[1]", "expected 2 bytes, the array has 1"},
		{0, 3, "1", "its type is not known (no BTF): expected an array of its 3 bytes"},
	};
	struct btf *btf = map_types__new();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_refused(btf, &cases[i]);
	btf__free(btf);
}

/* No compiler makes such BTF. */
static void test_bad_btf(void **state)
{
	static const struct bad cases[] = {
		{T_LOOP, 4, "{\"a\":1}", "a: struct loop has no such field"},
		{T_OUTSIDE, 4, "{\"far\":1}", "far: its BTF puts it outside of the 4 bytes"},
		{T_BITS, 4, "{\"edge\":1}", "edge: its BTF puts it outside of the 4 bytes"},
		{T_BITS, 4, "{\"past\":1}", "past: its BTF puts it outside of the 4 bytes"},
		{T_BITS, 8, "{\"text\":\"ab\"}", "text: its BTF puts it outside of the 8 bytes"},
		{T_BITS, 16, "{\"huge\":1}", "huge: a number of 129 bits cannot be written"},
		{T_BITS, 16, "{\"choice\":\"NO\"}", "choice: enum action has no value 'NO'"},
		{T_BITS, 16, "{\"choices\":\"NO\"}",
		 "choices: a number of 129 bits cannot be written"},
		{T_BITS, 4, "{\"half\":1}",
		 "half: a floating-point number of 16 bits cannot be written"},
		{T_BITS, 4, "{\"#0\":{}}", "#0: struct bits has no such field"},
		{T_SECTION, 4, "1", "its BTF gives no type that can be written"},
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

/* Writes a value that is inside of "levels" nested objects. Returns the result. */
static int write_deep(int levels, const char *value, struct json_encoder *e)
{
	char json[1024] = "";
	__u8 data[8];
	json_t *v;
	int err;

	for (int i = 0; i < levels; i++)
		strcat(json, "{\"#\":");
	strcat(json, value);
	for (int i = 0; i < levels; i++)
		strcat(json, "}");
	v = load(json);
	err = json_encoder__write(e, T_LOOP, v, data, sizeof(data));
	json_decref(v);
	return err;
}

static void test_deep(void **state)
{
	static const struct {
		int levels;
		const char *value, *end;
	} cases[] = {
		{100, "1", "#: nested too deeply"},
		{32, "{\"list\":[]}", "#: nested too deeply"},
		{31, "{\"list\":[1]}", "#.list: nested too deeply"},
		{32, "[1,2,3,4]", "#: nested too deeply"},
	};
	struct btf *btf = map_types__new();
	struct json_encoder e = {.btf = btf};

	assert_int_equal(write_deep(31, "{\"list\":[]}", &e), 0);
	assert_int_equal(write_deep(31, "[1,2,3,4]", &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		e = (struct json_encoder){.btf = btf};
		assert_int_equal(write_deep(cases[i].levels, cases[i].value, &e), -EINVAL);
		if (!strstr(e.text, cases[i].end) ||
		    strcmp(strstr(e.text, cases[i].end), cases[i].end))
			fail_msg("%s", e.text);
	}
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars), cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_structs), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bad_btf), cmocka_unit_test(test_bad_names),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
