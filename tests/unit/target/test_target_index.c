// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that targets are found by their program's id, however the list has changed since they were
 * added.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "target/target.h"
#include "target/target_priv.h"

#define PROGS 100
#define FUNCS 3

/* Makes a list with three functions of each program. Programs have even ids. */
static struct target_list make_list(void)
{
	struct target_list list = {};

	for (__u32 id = 2; id <= 2 * PROGS; id += 2)
		for (__u32 func = 1; func <= FUNCS; func++)
			assert_non_null(target_list__append(
				&list, &(struct target){.id = id, .func_index = func}));
	return list;
}

/* Counts a program's targets, which follow one another in the list. */
static int count(const struct target_list *list, __u32 id)
{
	const struct target *t = NULL, *prev;
	int cnt = 0;

	while (prev = t, (t = target_list__next(list, id, t))) {
		assert_int_equal(t->id, id);
		if (prev)
			assert_ptr_equal(t, prev + 1);
		else if (t > list->v)
			assert_int_not_equal(t[-1].id, id);
		cnt++;
	}
	return cnt;
}

static void test_next(void **state)
{
	struct target_list list = make_list();

	for (__u32 id = 0; id < 2 * PROGS + 5; id++)
		assert_int_equal(count(&list, id), id && id <= 2 * PROGS && id % 2 == 0 ? 3 : 0);
	target_list__free_index(&list);
	for (__u32 id = 0; id < 2 * PROGS + 5; id++) /* without the index */
		assert_int_equal(count(&list, id), id && id <= 2 * PROGS && id % 2 == 0 ? 3 : 0);
	free(list.v);
}

/* Removes every second target, beginning with the first one, as target_list__skip() does. */
static void test_removed(void **state)
{
	struct target_list list = make_list();

	for (int i = 0; i < list.cnt; i++)
		memmove(&list.v[i], &list.v[i + 1], (--list.cnt - i) * sizeof(*list.v));
	for (__u32 id = 2; id <= 2 * PROGS; id += 2)
		assert_int_equal(count(&list, id), id % 4 ? 1 : 2);
	assert_null(target_list__next(&list, 1, NULL));
	target_list__free_index(&list);
	free(list.v);
}

static void test_empty(void **state)
{
	struct target_list list = {};

	assert_null(target_list__next(&list, 1, NULL));
	assert_null(target_list__find_func(&list, 1, 1));
}

/* Before the list is sorted, the functions of a program need not be next to each other. */
static void test_unsorted(void **state)
{
	static const struct target targets[] = {
		{.id = 5, .func_index = 1}, {.id = 6, .func_index = 1}, {.id = 5, .func_index = 2}};
	struct target_list list = {};

	for (int i = 0; i < 3; i++) {
		assert_null(target_list__find_func(&list, targets[i].id, targets[i].func_index));
		assert_non_null(target_list__append(&list, &targets[i]));
		assert_non_null(
			target_list__find_func(&list, targets[i].id, targets[i].func_index));
	}
	assert_null(target_list__find_func(&list, 6, 2));
	target_list__free_index(&list);
	free(list.v);
}

static void test_replaced(void **state)
{
	struct target_list list = make_list();
	struct target *reversed = calloc(list.cnt, sizeof(*reversed));

	for (int i = 0; i < list.cnt; i++)
		reversed[i] = list.v[list.cnt - 1 - i];
	target_list__replace(&list, reversed);
	assert_int_equal(target_list__next(&list, 2 * PROGS, NULL) - list.v, 0);
	for (__u32 id = 2; id <= 2 * PROGS; id += 2)
		assert_int_equal(count(&list, id), 3);
	target_list__free_index(&list);
	free(list.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next),	 cmocka_unit_test(test_removed),
		cmocka_unit_test(test_empty),	 cmocka_unit_test(test_unsorted),
		cmocka_unit_test(test_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
