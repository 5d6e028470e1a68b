// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests groups of rows: which rows are one group, and the order of the groups.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/row_groups.h"

/* Rows are digits. Neighboring rows with the same digit are a group; rows with 0 are not active. */
static bool begins(const void *rows, int row)
{
	return ((const char *)rows)[row] != ((const char *)rows)[row - 1];
}

static bool is_active(const void *rows, int row)
{
	return ((const char *)rows)[row] != '0';
}

static void test_groups(void **state)
{
	struct row_group *v;

	assert_int_equal(row_groups__make("110022", 6, begins, &v), 3);
	for (int i = 0; i < 3; i++)
		assert_true(v[i].first == 2 * i && v[i].cnt == 2);
	assert_int_equal(row_groups__drop_idle("110022", is_active, v, 3), 2);
	assert_true(v[0].first == 0 && v[1].first == 4);
	free(v);
	assert_int_equal(row_groups__make("", 0, begins, &v), 0);
	row_groups__sort(v, 0, false);
	free(v);
}

/* Checks that the sorted groups begin with the rows in "first". */
static void assert_order(struct row_group *v, int cnt, bool reverse, const int *first)
{
	row_groups__sort(v, cnt, reverse);
	for (int i = 0; i < cnt; i++)
		assert_int_equal(v[i].first, first[i]);
}

static void test_order(void **state)
{
	struct row_group number[] = {{.first = 0, .key = {NAN}},
				     {.first = 1, .key = {1, 2}},
				     {.first = 2, .key = {1, 3}},
				     {.first = 3, .key = {1, 2}},
				     {.first = 4, .key = {5, NAN}}};
	struct row_group text[] = {{.first = 0, .text = "b"}, {.first = 1, .text = "a"}};

	assert_order(number, 5, false, (const int[]){4, 2, 1, 3, 0});
	assert_order(number, 5, true, (const int[]){1, 3, 2, 4, 0});
	assert_order(text, 2, false, (const int[]){1, 0});
	assert_order(text, 2, true, (const int[]){0, 1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups),
					   cmocka_unit_test(test_order)};

	return cmocka_run_group_tests_name("row_groups", tests, NULL, NULL);
}
