// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests which strings are UTF-8, with jansson as the oracle, and what JSON has for the others. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "base/escape.h"
#include "base/text.h"
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "json/trace_event.h"

static void check(const char *s)
{
	json_t *str = json_string(s);
	char *same = text__json(s);

	if (text__is_same(same, s) != (str != NULL))
		fail_msg("%02x %02x %02x %02x: jansson says %s", s[0] & 0xff, s[1] & 0xff,
			 s[2] & 0xff, s[3] & 0xff, str ? "UTF-8" : "no UTF-8");
	free(same);
	json_decref(str);
}

/* Every sequence of up to four bytes in which each byte is next to a limit of the range that UTF-8 allows there. */
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

/* A key may be the name of an event or of a variable, which is foreign. */
static void test_keys(void **state)
{
	json_t *obj = json_object();

	json__set_number(obj, "a\xff", 1);
	json__set_number(obj, "unknown", NAN);
	json__set_string(obj, "b", "\xff");
	assert_int_equal(json_object_size(obj), 2);
	assert_int_equal(json_integer_value(json_object_get(obj, "a\xef\xbf\xbd")), 1);
	assert_string_equal(json_string_value(json_object_get(obj, "b")), "\xef\xbf\xbd");
	json_decref(obj);
}

/* JSON that is shown in a terminal has no control characters, not even DEL. */
static void test_print(void **state)
{
	static const struct {
		const char *s, *want;
	} cases[] = {
		{"", "[\"\"]\n"},
		{"\x7f", "[\"\\u007f\"]\n"},
		{"a\x7f\x7f~\x1b\xc2\x80", "[\"a\\u007f\\u007f~\\u001B\\u0080\"]\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *doc = json_pack("[s]", cases[i].s);
		char *text;
		size_t sz;
		FILE *out = open_memstream(&text, &sz);

		json__print(doc, JSON_LINE, out);
		fclose(out);
		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

/* An instant event belongs to a thread, or to the whole trace. */
static void test_instant(void **state)
{
	static const struct trace_track track = {.pid = 1, .tid = 2};

	for (int i = 0; i < 2; i++) {
		char *text;
		size_t sz;
		FILE *out = open_memstream(&text, &sz);

		trace_event__instant(i ? &track : NULL, "load", 1000, json_object(), out);
		fclose(out);
		assert_non_null(strstr(text, i ? "\"s\":\"t\"" : "\"s\":\"g\""));
		assert_int_equal(!strstr(text, "\"tid\":2"), !i);
		free(text);
	}
}

/* A string that is not UTF-8 is an error. */
static void test_utf8(void **state)
{
	json_t *set = json_string(""), *made;

	assert_int_equal(json__make_utf8("text", &made), 0);
	assert_string_equal(json_string_value(made), "text");
	json_decref(made);
	assert_int_equal(json__set_utf8(set, "other text"), 0);
	assert_int_equal(json__make_utf8("\xff", &made), -EINVAL);
	assert_null(made);
	assert_int_equal(json__set_utf8(set, "\xff"), -EINVAL);
	assert_string_equal(json_string_value(set), "other text");
	json_decref(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_borders), cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_print),	cmocka_unit_test(test_instant),
		cmocka_unit_test(test_utf8),	cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
