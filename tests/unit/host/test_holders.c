// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests of the list of processes that hold programs, without the kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "host/holders.h"

static struct holder some[] = {
	{3, 1, "systemd"},
	{3, 312, "ktest"},
	{3, 400, "fifteen_letters"},
	{7, 5, "one"},
};
static const struct holders all = {.v = some, .cnt = 4};

static void test_of(void **state)
{
	static const struct {
		__u32 id;
		int cnt, first;
	} cases[] = {{1, 0, 0}, {3, 3, 0}, {5, 0, 0}, {7, 1, 3}, {8, 0, 0}};
	const struct holders none = {};
	int cnt;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct holder *h = holders__of(&all, cases[i].id, &cnt);

		assert_int_equal(cnt, cases[i].cnt);
		if (cnt)
			assert_ptr_equal(h, &some[cases[i].first]);
	}
	holders__of(&none, 3, &cnt);
	assert_int_equal(cnt, 0);
}

static void test_format(void **state)
{
	char buf[64], small[12];

	assert_string_equal(holders__format(some, 0, 1, buf, sizeof(buf)), "");
	assert_string_equal(holders__format(some, 1, 1, buf, sizeof(buf)), "systemd[1]");
	assert_string_equal(holders__format(some, 3, 1, buf, sizeof(buf)), "systemd[1] +2");
	assert_string_equal(holders__format(some, 3, 2, buf, sizeof(buf)),
			    "systemd[1], ktest[312] +1");
	assert_string_equal(holders__format(some, 3, 3, buf, sizeof(buf)),
			    "systemd[1], ktest[312], fifteen_letters[400]");
	assert_string_equal(holders__format(some, 3, 2, small, sizeof(small)), "systemd[1],");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
