// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the times on the command line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "base/util.h"
#include "options/amount.h"

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		__u64 ns;
	} cases[] = {
		{"5s", 5000000000},
		{"200ms", 200000000},
		{"10us", 10000},
		{"1.5ms", 1500000},
		{"7ns", 7},
		{"1000", 1000000000},
		{"0.5", 500000},
		{"0", 0},
		{"1 s", 1000000000},
		{"0.3us", 300},
		{"1000000000s", 1000000000000000000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parse_error err;
		__u64 ns;

		assert_int_equal(duration__parse(cases[i].text, &ns, &err), 0);
		assert_true(ns == cases[i].ns);
	}
}

static void test_refused(void **state)
{
	static const char syntax[] =
		"write a time as 5s, 200ms or 10us; a number without a unit is in ms";
	static const char long_time[] = "the time is too long; write at most 1000000000s";
	static const struct {
		const char *text;
		size_t pos, len;
		const char *why;
	} cases[] = {
		{"", 0, 1, syntax},	 {"soon", 0, 4, syntax}, {"5x", 1, 1, syntax},
		{"5 min", 1, 4, syntax}, {"2%", 1, 1, syntax},	 {"-1s", 0, 3, syntax},
		{"1.2.3", 0, 5, syntax}, {"s", 0, 1, syntax},	 {"1000000001s", 0, 11, long_time},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parse_error err;
		__u64 ns;

		assert_int_equal(duration__parse(cases[i].text, &ns, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].why);
		assert_int_equal(err.pos, cases[i].pos);
		assert_int_equal(err.len, cases[i].len);
	}
}

static void test_size(void **state)
{
	static const struct {
		const char *text;
		__u64 bytes;
	} sizes[] = {{"4096", 4096},
		     {"64K", 65536},
		     {"2.5M", 2621440},
		     {"1G", 1 << 30},
		     {"1T", 1ULL << 40}};
	static const char *const refused[] = {"",	"K",  "M4", "4m", "4MB",
					      "1.2.3K", "-1", "5%", "2s", "9999999T"};
	__u64 bytes;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_int_equal(size__parse(sizes[i].text, &bytes), 0);
		assert_int_equal(bytes, sizes[i].bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(size__parse(refused[i], &bytes), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
