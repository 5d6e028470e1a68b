// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests lists of names in messages: which are shown, and that the others are counted.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/name_list.h"

static void expect(int cnt, __u64 more, const char *want)
{
	struct name_list list = {};
	char *text;

	for (int i = 0; i < cnt; i++)
		name_list__add(&list, "%c%d", 'a' + i, i);
	list.more += more;
	text = name_list__finish(&list);
	assert_string_equal(text, want);
	assert_null(list.text);
	free(text);
}

static void test_names(void **state)
{
	expect(1, 0, "a0");
	expect(1, 7, "a0 and 7 more");
	expect(3, 0, "a0, b1, c2");
	expect(4, 0, "a0, b1, c2 and 1 more");
	expect(20, 3, "a0, b1, c2 and 20 more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
