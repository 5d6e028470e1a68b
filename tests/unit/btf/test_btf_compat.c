// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests that BTF that is newer than the linked libbpf is read as far as it can be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>

#include "btf/btf_compat.h"
#include "tests/unit/btf/newer_btf.h"

static struct btf *make_old(void)
{
	struct btf *btf = btf__new_empty();
	int id;

	assert_non_null(btf);
	id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_struct(btf, "before", 8);
	btf__add_field(btf, "a", id, 32, 0);
	btf__add_func_proto(btf, id);
	btf__add_func_param(btf, "x", id);
	btf__add_func(btf, "func", BTF_FUNC_GLOBAL, btf__type_cnt(btf) - 1);
	return btf;
}

/* All types keep their ids; those of unknown kinds and those that are too large are opaque. */
static void test_translated(void **state)
{
	struct btf *old = make_old(), *btf;
	__u32 sz, cnt = btf__type_cnt(old);
	char *data = newer_btf__make(old, true, &sz);
	const struct btf_type *t;

	btf = btf_compat__new(data, sz);
	assert_non_null(btf);
	assert_int_equal(btf__type_cnt(btf), cnt + 3);
	for (__u32 id = 1; id < cnt; id++) {
		t = btf__type_by_id(btf, id);
		assert_memory_equal(t, btf__type_by_id(old, id), sizeof(*t));
		assert_string_equal(btf__name_by_offset(btf, t->name_off),
				    btf__name_by_offset(old, t->name_off));
	}
	t = btf__type_by_id(btf, cnt);
	assert_true(btf_is_fwd(t));
	assert_string_equal(btf__name_by_offset(btf, t->name_off), "after");
	assert_true(btf_is_fwd(btf__type_by_id(btf, cnt + 1)));
	assert_int_equal(btf__find_by_name_kind(btf, "after", BTF_KIND_STRUCT), cnt + 2);
	t = btf__type_by_id(btf, cnt + 2);
	assert_int_equal(btf_member_bit_offset(t, 0), 24 * 8);
	btf__free(btf);
	free(data);
	btf__free(old);
}

static void test_no_layout(void **state)
{
	struct btf *old = make_old();
	__u32 sz;
	char *data = newer_btf__make(old, false, &sz);

	assert_null(btf_compat__new(data, sz));
	assert_int_equal(errno, EOPNOTSUPP);
	free(data);
	btf__free(old);
}

/* BTF that libbpf reads is left as it is, even if it is cut off or damaged. */
static void test_old(void **state)
{
	struct btf *old = make_old(), *btf;
	__u32 sz, new_sz;
	const char *data = btf__raw_data(old, &sz);
	char *newer;

	btf = btf_compat__new(data, sz);
	assert_non_null(btf);
	assert_int_equal(btf__type_cnt(btf), btf__type_cnt(old));
	btf__free(btf);
	newer = newer_btf__make(old, true, &new_sz);
	for (__u32 i = 0; i < sz; i++) {
		char *copy = malloc(i ?: 1);

		assert_non_null(copy);
		memcpy(copy, data, i);
		btf__free(btf_compat__new(copy, i));
		memcpy(copy, newer, i);
		btf__free(btf_compat__new(copy, i));
		free(copy);
	}
	for (__u32 i = 0; i < 200; i++) {
		newer[i] ^= 0xff;
		btf__free(btf_compat__new(newer, new_sz));
		newer[i] ^= 0xff;
	}
	free(newer);
	btf__free(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_translated),
		cmocka_unit_test(test_no_layout),
		cmocka_unit_test(test_old),
	};

	return cmocka_run_group_tests_name("btf_compat", tests, NULL, NULL);
}
