// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests which strings are UTF-8, with jansson as the oracle, and what JSON has for the others. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/text.h"
#include "json/json_make.h"

static void check(const char *s)
{
	json_t *str = json_string(s);

	if (text__is_utf8(s) != (str != NULL))
		fail_msg("%02x %02x %02x %02x: jansson says %s", s[0] & 0xff, s[1] & 0xff,
			 s[2] & 0xff, s[3] & 0xff, str ? "UTF-8" : "no UTF-8");
	json_decref(str);
}

/* Every sequence of up to four bytes of which each is at a border of what UTF-8 allows there. */
static void test_borders(void **state)
{
	static const unsigned char bytes[] = {0x00, 0x01, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0,
					      0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
					      0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
	const int cnt = sizeof(bytes);

	for (int i = 0; i < cnt * cnt * cnt * cnt; i++) {
		const char s[] = {bytes[i % cnt], bytes[i / cnt % cnt], bytes[i / cnt / cnt % cnt],
				  bytes[i / cnt / cnt / cnt], 0};

		check(s);
	}
}

static void test_replaced(void **state)
{
	static const struct {
		const char *s, *want;
	} cases[] = {
		{NULL, ""},
		{"", ""},
		{"na\xc3\xafve", "na\xc3\xafve"},
		{"a\xff\x1b", "a\xef\xbf\xbd\x1b"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *str = json__make_string(cases[i].s);

		assert_string_equal(json_string_value(str), cases[i].want);
		json_decref(str);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
