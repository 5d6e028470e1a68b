// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the metadata of programs: variables of each type, and BTF that does not fit the data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>

#include "base/util.h"
#include "btf/metadata.h"

/* The ids of the types; make_btf() adds them in this order. */
enum {
	T_INT = 1,
	T_CHAR,
	T_U64,
	T_BOOL,
	T_STRING,
	T_ENUM,
	T_STRUCT,
	T_CONST_STRING,
	T_TYPEDEF,
	T_FIRST_VAR,
};

/* The variables of the section, and the bytes at their offsets. */
static const struct {
	const char *var;
	int type;
	__u32 offset, sz;
	const char *name, *value; /* NULL: left out */
	bool is_number;
} vars[] = {
	{"bpf_metadata_version", T_CONST_STRING, 0, 8, "version", "1.2-rc3", false},
	{"bpf_metadata_build", T_TYPEDEF, 8, 4, "build", "-7", true},
	{"not_metadata", T_INT, 8, 4, NULL, NULL, false},
	{"bpf_metadata_id", T_U64, 16, 8, "id", "18446744073709551615", true},
	{"bpf_metadata_debug", T_BOOL, 24, 1, "debug", "1", true},
	{"bpf_metadata_kind", T_ENUM, 28, 4, "kind", "3", true},
	{"bpf_metadata_full", T_STRING, 32, 8, "full", "12345678", false},
	{"bpf_metadata_struct", T_STRUCT, 40, 4, NULL, NULL, false},
	{"bpf_metadata_", T_INT, 8, 4, "", "-7", true},
};

static const unsigned char data[44] = "1.2-rc3\0"
				      "\xf9\xff\xff\xff\0\0\0\0"
				      "\xff\xff\xff\xff\xff\xff\xff\xff"
				      "\x01\0\0\0\x03\0\0\0"
				      "12345678"
				      "\x01\x02\x03";

static struct btf *make_btf(int *datasec)
{
	struct btf *btf = btf__new_empty();

	assert_non_null(btf);
	assert_int_equal(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), T_INT);
	assert_int_equal(btf__add_int(btf, "char", 1, 0), T_CHAR);
	assert_int_equal(btf__add_int(btf, "u64", 8, 0), T_U64);
	assert_int_equal(btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL), T_BOOL);
	assert_int_equal(btf__add_array(btf, T_INT, T_CHAR, 8), T_STRING);
	assert_int_equal(btf__add_enum(btf, "kind", 4), T_ENUM);
	assert_int_equal(btf__add_struct(btf, "s", 4), T_STRUCT);
	assert_int_equal(btf__add_const(btf, T_STRING), T_CONST_STRING);
	assert_int_equal(btf__add_typedef(btf, "build_t", T_INT), T_TYPEDEF);
	for (size_t i = 0; i < ARRAY_SIZE(vars); i++)
		assert_true(btf__add_var(btf, vars[i].var, BTF_VAR_GLOBAL_ALLOCATED, vars[i].type) >
			    0);
	*datasec = btf__add_datasec(btf, ".rodata", sizeof(data));
	for (size_t i = 0; i < ARRAY_SIZE(vars); i++)
		assert_int_equal(
			btf__add_datasec_var_info(btf, T_FIRST_VAR + i, vars[i].offset, vars[i].sz),
			0);
	return btf;
}

static void test_values(void **state)
{
	struct metadata_list list = {};
	int datasec, n = 0;
	struct btf *btf = make_btf(&datasec);

	metadata__parse(&list, btf, datasec, data, sizeof(data));
	for (size_t i = 0; i < ARRAY_SIZE(vars); i++) {
		if (!vars[i].name)
			continue;
		assert_true(n < list.cnt);
		assert_string_equal(list.v[n].name, vars[i].name);
		assert_string_equal(list.v[n].value, vars[i].value);
		assert_int_equal(list.v[n].is_number, vars[i].is_number);
		n++;
	}
	assert_int_equal(list.cnt, n);
	metadata__free(&list);
	assert_int_equal(list.cnt, 0);
	btf__free(btf);
}

/* Nothing outside of the data is read: each variable needs all of its bytes. */
static void test_too_short(void **state)
{
	int datasec;
	struct btf *btf = make_btf(&datasec);

	for (__u32 sz = 0; sz < sizeof(data); sz++) {
		unsigned char *copy = malloc(sz ? sz : 1);
		struct metadata_list list = {};
		int fit = 0;

		memcpy(copy, data, sz);
		metadata__parse(&list, btf, datasec, copy, sz);
		for (size_t i = 0; i < ARRAY_SIZE(vars); i++)
			fit += vars[i].name && vars[i].offset + vars[i].sz <= sz;
		assert_int_equal(list.cnt, fit);
		metadata__free(&list);
		free(copy);
	}
	btf__free(btf);
}

static void test_not_a_section(void **state)
{
	struct metadata_list list = {};
	int datasec;
	struct btf *btf = make_btf(&datasec);

	metadata__parse(&list, btf, T_STRUCT, data, sizeof(data));
	metadata__parse(&list, btf, 0, data, sizeof(data));
	metadata__parse(&list, btf, 12345, data, sizeof(data));
	assert_int_equal(list.cnt, 0);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_too_short),
		cmocka_unit_test(test_not_a_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
