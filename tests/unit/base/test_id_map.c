// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests maps of ids: the value that was set for an id is found, and nothing else is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/id_map.h"

static void test_empty(void **state)
{
	struct id_map m = {};

	assert_true(id_map__is_empty(&m));
	assert_int_equal(id_map__get(&m, 0), -1);
	assert_int_equal(id_map__get(&m, 42), -1);
	id_map__free(&m);
	id_map__free(&m);
}

static void test_set(void **state)
{
	struct id_map m = {};

	id_map__set(&m, 0, 7);
	id_map__set(&m, ~0ULL, 8);
	id_map__set(&m, 1ULL << 32, 0);
	assert_false(id_map__is_empty(&m));
	assert_int_equal(id_map__get(&m, 0), 7);
	assert_int_equal(id_map__get(&m, ~0ULL), 8);
	assert_int_equal(id_map__get(&m, 1ULL << 32), 0);
	assert_int_equal(id_map__get(&m, 1), -1);
	id_map__set(&m, 0, 9);
	assert_int_equal(id_map__get(&m, 0), 9);
	id_map__remove(&m, 1);
	id_map__remove(&m, ~0ULL);
	assert_int_equal(id_map__get(&m, ~0ULL), -1);
	assert_int_equal(id_map__get(&m, 0), 9);
	id_map__free(&m);
	assert_true(id_map__is_empty(&m));
	assert_int_equal(id_map__get(&m, 0), -1);
}

static void test_many(void **state)
{
	struct id_map m = {};

	for (int i = 0; i < 100000; i++)
		id_map__set(&m, 3ULL * i, i);
	for (int i = 0; i < 100000; i++) {
		assert_int_equal(id_map__get(&m, 3ULL * i), i);
		assert_int_equal(id_map__get(&m, 3ULL * i + 1), -1);
	}
	id_map__free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
