// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests numbers as people read them: on both sides of each border at which the number of digits, the
 * unit or the form changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"

static void test_group(void **state)
{
	static const struct {
		double v;
		int digits;
		const char *want;
	} rows[] = {
		{0, 0, "0"},
		{999, 0, "999"},
		{1000, 0, "1,000"},
		{999.96, 1, "1,000.0"},
		{-1234567.891, 2, "-1,234,567.89"},
		{-123, 0, "-123"},
		{-0.04, 1, "0.0"},
		{-0.06, 1, "-0.1"},
		{999999999999999.0, 0, "999,999,999,999,999"},
		{1e18, 0, "1.00e+18"},
		{-1.7976931348623157e308, 6, "-1.80e+308"},
		{INFINITY, 1, "inf"},
		{NAN, 1, "-"},
	};
	char buf[NUMBER_SZ];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(number__group(buf, rows[i].v, rows[i].digits), rows[i].want);
	assert_string_equal(number__group_u64(buf, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void test_plain(void **state)
{
	static const struct {
		double v;
		const char *want;
	} rows[] = {
		{0, "0"},
		{-0.0, "0"},
		{99.000000001, "99"},
		{0.1 + 0.2, "0.3"},
		{-2.5, "-2.5"},
		{151.1234567, "151.123457"},
		{0.0001234567, "0.000123457"},
		{9900000.25, "9900000.25"},
		{1234567890123.4567, "1234567890123.46"},
		{0x1p53 + 2, "9007199254740994"},
		{1e25, "1e+25"},
		{1e-7, "1e-07"},
	};
	char buf[NUMBER_SZ];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(number__plain(buf, rows[i].v), rows[i].want);
	assert_string_equal(number__fixed(buf, 1234.567, 2), "1234.57");
	assert_string_equal(number__fixed(buf, 1e18, 2), "1.00e+18");
	assert_true(number__round(99.0000000004) == 99);
	assert_true(number__round(1234567890.1234567) == 1234567890.12346);
	assert_true(number__round(0x1p53 + 2) == 0x1p53 + 2);
}

struct amount {
	double v;
	const char *unit;
	bool exact;
	const char *want;
};

static void test_quantity(void **state)
{
	static const struct amount cases[] = {
		/* times: the number has the greatest unit in which it is at least 1 */
		{0, "ns", false, "0.0 ns"},
		{0, "ns", true, "0 ns"},
		{84.25, "ns", true, "84.2 ns"},
		{5, "ns", false, "5.0 ns"},
		{999.94, "ns", false, "999.9 ns"},
		{999.95, "ns", false, "1.000 us"},
		{-999.95, "ns", false, "-1.000 us"},
		{1104, "ns", true, "1.104 us"},
		{9999.4, "ns", false, "9.999 us"},
		{9999.5, "ns", false, "10.00 us"},
		{9999.6, "ns", false, "10.00 us"},
		{99994, "ns", false, "99.99 us"},
		{99995, "ns", false, "100.0 us"},
		{99996, "ns", false, "100.0 us"},
		{187.9e6, "ns", false, "187.9 ms"},
		{2.5e9, "ns", false, "2.500 s"},
		{3600e9, "ns", false, "3,600.0 s"},
		{NAN, "ns", false, "-"},
		{INFINITY, "ns", false, "inf"},
		{-INFINITY, "ns", false, "-inf"},
		/* counts */
		{5, NULL, false, "5.0"},
		{5, "", true, "5"},
		{5.25, "", true, "5.2"},
		{999.94, "", false, "999.9"},
		{999.95, "", false, "1,000"},
		{-999.95, "", false, "-1,000"},
		{1234567.8, "", false, "1,234,568"},
		{-0.04, "", false, "0.0"},
		{1e18, "", false, "1.00e+18"},
		/* other units: three digits of small values */
		{0, "Joules", false, "0.0 Joules"},
		{12.5, "Joules", false, "12.5 Joules"},
		{10, "Joules", false, "10.0 Joules"},
		{9.876, "Joules", false, "9.88 Joules"},
		{1, "Joules", false, "1.00 Joules"},
		{1, "Joules", true, "1 Joules"},
		{0.98765, "Joules", false, "0.988 Joules"},
		{-0.01234, "Joules", false, "-0.0123 Joules"},
		{1.234e-9, "Joules", false, "0.00000000123 Joules"},
		{1e-9, "Joules", false, "0.00000000100 Joules"},
		{0.9e-9, "Joules", false, "0.000000001 Joules"},
		{NAN, "Joules", false, "-"},
	};
	char buf[QUANTITY_SZ];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct amount *c = &cases[i];

		assert_string_equal(number__quantity(buf, c->v, c->unit, c->exact), c->want);
	}
	assert_string_equal(number__amount(buf, 12.5, "Joules", false), "12.5");
	assert_string_equal(number__amount(buf, 1104, "ns", false), "1.104 us");
}

static void test_rate(void **state)
{
	static const struct {
		double v;
		const char *want;
	} cases[] = {
		{0, "0"},	   {1e-9, "<0.001"},  {0.00049, "<0.001"}, {0.0005, "0.001"},
		{0.2654, "0.265"}, {0.9994, "0.999"}, {0.9995, "1.00"},	   {1, "1.00"},
		{9.994, "9.99"},   {9.996, "10.0"},   {61.12, "61.1"},	   {99.94, "99.9"},
		{99.95, "100"},	   {9.995, "10.0"},   {99.96, "100"},	   {1994.4, "1,994"},
	};
	char buf[NUMBER_SZ];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(number__rate(buf, cases[i].v), cases[i].want);
}

static void test_change(void **state)
{
	static const struct {
		double change, share;
		const char *unit;
		bool exact;
		const char *want;
	} cases[] = {
		{100, 0.125, "ns", false, "+100.0 ns (+12.5%)"},
		{-1, -0.0005, "", true, "-1 (-0.050%)"},
		{1, 0.00099, "", true, "+1 (+0.099%)"},
		{1, 0.001, "", true, "+1 (+0.1%)"},
		{0, 0, "", true, "0 (0.0%)"},
		{7, INFINITY, "", true, "+7"},
		{7, NAN, "Joules", true, "+7 Joules"},
		{70, 12.5, "", false, "+70.0 (+1,250.0%)"},
	};
	char buf[CHANGE_SZ];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(number__change(buf, cases[i].change, cases[i].unit,
						   cases[i].exact, cases[i].share),
				    cases[i].want);
}

static void test_percent(void **state)
{
	static const struct {
		__u64 part, total;
		int digits;
		const char *want;
	} cases[] = {
		{0, 0, 1, "-"},
		{1, 0, 1, "-"},
		{0, 7, 1, "0.0"},
		{1, 1, 1, "100.0"},
		{1, 3, 1, "33.3"},
		{1, 3, 0, "33"},
		{1, 1999, 1, "0.1"},
		{1, 2000, 1, "0.1"},
		{1, 2001, 1, "<0.1"},
		{1, 201, 0, "<1"},
		{1, 199, 0, "1"},
		{2000, 2001, 1, ">99.9"},
		{1998, 1999, 1, "99.9"},
		{200, 201, 0, ">99"},
		{198, 199, 0, "99"},
		{199, 200, 0, ">99"},
		{20001, 20002, 2, ">99.99"},
		{UINT64_MAX, 1, 0, "1.84e+21"},
	};
	char buf[NUMBER_SZ + 2];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		number__percent(buf, cases[i].part, cases[i].total, cases[i].digits);
		assert_string_equal(buf, cases[i].want);
	}
}

static void test_shortest(void **state)
{
	static const struct {
		double v;
		const char *want;
	} cases[] = {
		{0, "0"},
		{-0.0, "0"},
		{0.1, "0.1"},
		{-2.5, "-2.5"},
		{100, "100"},
		{99999.5, "99999.5"},
		{999999, "999999"},
		{1000000, "1e+06"},
		{1234567.25, "1.23456725e+06"},
		{0.0001, "0.0001"},
		{0.00009, "9e-05"},
		{1.0 / 3, "0.3333333333333333"},
		{0.1 + 0.2, "0.30000000000000004"},
		{0x1p-1074, "4.94065645841247e-324"},
		{1, "1"},
		{1e5, "100000"},
		{1048575, "1.048575e+06"},
		{1e-5, "1e-05"},
		{1.27e-7, "1.27e-07"},
		{16777215 / 1e9, "0.016777215"},
		{1.5e300, "1.5e+300"},
		{9007199254740993.0, "9.007199254740992e+15"},
		{99.5, "99.5"},
	};
	char buf[NUMBER_SZ];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(number__shortest(buf, cases[i].v), cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantity), cmocka_unit_test(test_rate),
		cmocka_unit_test(test_change),	 cmocka_unit_test(test_percent),
		cmocka_unit_test(test_shortest), cmocka_unit_test(test_group),
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
