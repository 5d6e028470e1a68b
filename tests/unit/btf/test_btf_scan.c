// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that the member offsets that are read from a BTF file match those in the BTF that libbpf
 * made.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <bpf/btf.h>

#include "btf/btf_scan.h"
#include "tests/unit/btf/newer_btf.h"
#include "tests/unit/long_test.h"

#define FILE_NAME "/tmp/test_btf_scan"

static const char *const members[] = {"third", "first", "none", "bits"};
#define MEMBER_CNT 4

static void write_file(const void *data, size_t sz)
{
	FILE *f = fopen(FILE_NAME, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, sz, f), sz);
	assert_int_equal(fclose(f), 0);
}

/* Makes one type of each kind, then "others" different structs, then the struct "wanted". */
static struct btf *make_btf(int others)
{
	struct btf *btf = btf__new_empty();
	char name[32];
	int id;

	assert_non_null(btf);
	id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_ptr(btf, id);
	btf__add_array(btf, id, id, 3);
	btf__add_enum(btf, "colour", 4);
	btf__add_enum_value(btf, "red", 1);
	btf__add_enum64(btf, "wide", 8, false);
	btf__add_enum64_value(btf, "far", 1ULL << 40);
	btf__add_fwd(btf, "unknown", BTF_FWD_STRUCT);
	btf__add_typedef(btf, "wanted", id); /* has the same name as the struct below */
	btf__add_const(btf, id);
	btf__add_float(btf, "double", 8);
	btf__add_func_proto(btf, id);
	btf__add_func_param(btf, "a", id);
	btf__add_func(btf, "early", BTF_FUNC_STATIC, btf__type_cnt(btf) - 1);
	btf__add_decl_tag(btf, "tag", id, -1);
	for (int i = 0; i < others; i++) {
		snprintf(name, sizeof(name), "not_wanted_%d", i);
		btf__add_struct(btf, name, 4);
		btf__add_field(btf, "first", id, 0, 0);
	}
	btf__add_struct(btf, "wanted", 64);
	btf__add_field(btf, "first", id, 32, 0);
	btf__add_field(btf, "second", id, 64, 0);
	btf__add_field(btf, "third", id, 8 * 40, 0);
	btf__add_field(btf, "bits", id, 8 * 48, 3);
	btf__add_func(btf, "late", BTF_FUNC_STATIC, 1);
	return btf;
}

/* Checks the functions of the BTF that is in the file. */
static void check_funcs(const struct btf *btf)
{
	static const char *const names[] = {"late", "early", "wanted"};
	__u32 id[3] = {};

	assert_int_equal(btf_scan__find_funcs(FILE_NAME, names, id, 2), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(id[i], btf__find_by_name_kind(btf, names[i], BTF_KIND_FUNC));
	/* a name, but not of a function */
	assert_int_equal(btf_scan__find_funcs(FILE_NAME, names, id, 3), -ENOENT);
	assert_int_equal(id[2], 0);
}

static void check_found(int others)
{
	struct btf *btf = make_btf(others);
	__u32 offset[MEMBER_CNT] = {9, 9, 9, 9}, sz;
	const void *data = btf__raw_data(btf, &sz);

	write_file(data, sz);
	assert_int_equal(btf_scan__find(FILE_NAME, "wanted", members, offset, MEMBER_CNT), 0);
	assert_int_equal(offset[0], 40);
	assert_int_equal(offset[1], 4);
	assert_int_equal(offset[2], 0);
	assert_int_equal(offset[3], 48);
	assert_int_equal(btf_scan__find(FILE_NAME, "absent", members, offset, MEMBER_CNT), -ENOENT);
	check_funcs(btf);
	btf__free(btf);
}

static void test_found(void **state)
{
	check_found(0);
	/* more types and names than one read returns */
	check_found(20000);
}

/*
 * Types of an unknown kind are skipped if the BTF says how large they are, and types may have more
 * than 65,535 elements.
 */
static void test_newer(void **state)
{
	static const char *const late = "late";
	struct btf *btf = make_btf(3);
	__u32 offset[MEMBER_CNT], sz;
	char *data = newer_btf__make(btf, true, &sz);

	write_file(data, sz);
	assert_int_equal(btf_scan__find(FILE_NAME, "after", &late, offset, 1), 0);
	assert_int_equal(offset[0], 24);
	/* types before the unknown type are found in any case */
	assert_int_equal(btf_scan__find(FILE_NAME, "wanted", members, offset, MEMBER_CNT), 0);
	assert_int_equal(offset[0], 40);
	check_funcs(btf);
	for (__u32 cut = sz; cut > sz - 300; cut--) {
		write_file(data, cut);
		btf_scan__find(FILE_NAME, "after", &late, offset, 1);
	}
	free(data);
	data = newer_btf__make(btf, false, &sz);
	write_file(data, sz);
	assert_int_equal(btf_scan__find(FILE_NAME, "after", &late, offset, 1), -EOPNOTSUPP);
	assert_int_equal(btf_scan__find(FILE_NAME, "wanted", members, offset, MEMBER_CNT), 0);
	free(data);
	btf__free(btf);
	unlink(FILE_NAME);
}

/* The distance between damaged places. With 3, each of the four bytes of a field is damaged in some fields. */
static int step(void)
{
	return is_long_test() ? 1 : 3;
}

/*
 * A file that is truncated or damaged anywhere gives an error, and nothing outside of the file is
 * read.
 */
static void test_damaged(void **state)
{
	struct btf *btf = make_btf(3);
	__u32 offset[MEMBER_CNT], sz;
	const void *data = btf__raw_data(btf, &sz);
	char *copy = malloc(sz);

	assert_non_null(copy);
	for (__u32 cut = 0; cut < sz; cut += step()) {
		write_file(data, cut);
		btf_scan__find(FILE_NAME, "wanted", members, offset, MEMBER_CNT);
	}
	for (__u32 i = 0; i < sz; i += step()) {
		memcpy(copy, data, sz);
		copy[i] ^= 0xff;
		write_file(copy, sz);
		btf_scan__find(FILE_NAME, "wanted", members, offset, MEMBER_CNT);
	}
	write_file(data, 10);
	assert_int_equal(btf_scan__find(FILE_NAME, "wanted", members, offset, MEMBER_CNT), -EINVAL);
	assert_int_equal(btf_scan__find("/nonexistent", "wanted", members, offset, MEMBER_CNT),
			 -ENOENT);
	free(copy);
	btf__free(btf);
	unlink(FILE_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_newer),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("btf_scan", tests, NULL, NULL);
}
