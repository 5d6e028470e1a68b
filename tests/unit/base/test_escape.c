// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests of base/escape.h: foreign strings in each syntax of output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/escape.h"
#include "base/util.h"

static char *csv(const char *s)
{
	return text__csv(s, ",");
}

/* Every function that returns text without line breaks. Not JSON, which jansson escapes. */
static const struct {
	char *(*escape)(const char *s);
	const char *name;
} syntaxes[] = {
	{text__printable, "terminal"},
	{text__utf8, "utf8"},
	{csv, "csv"},
	{text__tsv, "tsv"},
	{text__xml, "xml"},
	{text__markdown, "markdown"},
	{text__label, "label"},
	{text__frame, "frame"},
	{text__percent, "percent"},
};

static void assert_escaped(char *(*escape)(const char *s), const char *s, const char *want)
{
	char *got = escape(s);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void test_syntaxes(void **state)
{
	assert_escaped(text__utf8, NULL, "");
	assert_escaped(csv, "a\033\n\"b\",", "\"a\\x1b\\x0a\"\"b\"\",\"");
	assert_escaped(csv, "plain name", "plain name");
	assert_escaped(csv, "a\\b", "a\\b");
	assert_escaped(csv, "=1+1", "\\x3d1+1");
	assert_escaped(csv, "@x,", "\"\\x40x,\"");
	assert_escaped(csv, "=A", "\\x3dA");
	assert_escaped(csv, "-", "-");
	assert_escaped(csv, "-1.5", "-1.5");
	assert_escaped(csv, "-1-1", "\\x2d1-1");
	assert_escaped(csv, "-2.3e-06", "-2.3e-06");
	assert_escaped(csv, "-1e+18", "-1e+18");
	assert_escaped(csv, "-1e", "\\x2d1e");
	assert_escaped(csv, "-1e-1-A1", "\\x2d1e-1-A1");
	assert_escaped(text__tsv, "+\\\t", "\\x2b\\\\\\x09");
	assert_escaped(text__xml, "<a b='&\">na\xc3\xafve\xf0\x9f\x90\x9d\033",
		       "&lt;a b=&#39;&amp;&quot;&gt;na&#xef;ve&#x1f41d;\\x1b");
	assert_escaped(text__markdown, "", "");
	assert_escaped(text__markdown, "a|b\\|", "`a\\x7cb\\\\x7c`");
	assert_escaped(text__markdown, "`a``b", "``` `a``b ```");
	assert_escaped(text__markdown, " a ", "`  a  `");
	assert_escaped(text__label, "\"\\\n\xff", "\\\"\\\\x5c\\\\x0a\\\\xff");
	assert_escaped(text__frame, "a;b c\t", "a_b_c\\x09");
	assert_escaped(text__percent, "a b/%\xc3\xaf", "a%20b%2F%25%C3%AF");
	assert_escaped(text__json, "\xffna\xc3\xafve\xed\xa0\x80\033",
		       "\xef\xbf\xbdna\xc3\xafve\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\033");
	assert_escaped(text__lines, "a\033b", "a?b");
	assert_escaped(text__lines, "a\n\tb\033\xc2\x9b\x9b\xe2\x80\xae.", "a\n\tb????.");
}

/* Invisible characters, and code points that are no characters. U+00A0 is neither. */
static void test_invisible(void **state)
{
	assert_escaped(text__utf8, "\xc2\xad", "\\xc2\\xad");
	assert_escaped(text__utf8, "\xef\xbf\xbe", "\\xef\\xbf\\xbe");
	assert_escaped(text__utf8, "\xef\xbf\xbf", "\\xef\\xbf\\xbf");
	assert_escaped(text__utf8, "\xf0\x9f\xbf\xbf", "\\xf0\\x9f\\xbf\\xbf");
	assert_escaped(text__utf8, "\xc2\xa0", "\xc2\xa0");
}

static void test_separators(void **state)
{
	char *got = text__csv("a;b,c", ";");

	assert_string_equal(got, "\"a;b,c\"");
	free(got);
	/* the separator may be a part of an escape */
	got = text__csv("\033", "x1");
	assert_string_equal(got, "\"\\x1b\"");
	free(got);
}

/* Encodes a code point in the form of UTF-8, also if UTF-8 does not allow this code point. */
static const char *encode(unsigned int c, char buf[5])
{
	if (c < 0x80)
		snprintf(buf, 5, "%c", c);
	else if (c < 0x800)
		snprintf(buf, 5, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	else if (c < 0x10000)
		snprintf(buf, 5, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f),
			 0x80 | (c & 0x3f));
	else
		snprintf(buf, 5, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f),
			 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
	return buf;
}

/*
 * Returns true for C0, DEL and C1, marks of direction, line separators, bidi embeddings and
 * isolates.
 */
static bool is_control(wchar_t c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Fails if s has a control character, or is not UTF-8 as glibc decodes it. */
static void assert_inert(const char *s, const char *syntax, unsigned int c)
{
	wchar_t wide[64];
	size_t len = mbstowcs(wide, s, ARRAY_SIZE(wide));

	if (len >= ARRAY_SIZE(wide))
		fail_msg("%s: U+%04X: not UTF-8, or long: %s", syntax, c, s);
	for (size_t i = 0; i < len; i++)
		if (is_control(wide[i]))
			fail_msg("%s: U+%04X is not escaped: %s", syntax, c, s);
}

/* Every character, and every byte that is not UTF-8, is inert in every syntax. */
static void test_all_characters(void **state)
{
	char buf[5];

	for (size_t i = 0; i < ARRAY_SIZE(syntaxes); i++) {
		for (unsigned int c = 1; c < 0x12000; c++) {
			/*
			 * the first plane, the end of the last one, and numbers beyond it, which
			 * UTF-8 cannot have
			 */
			unsigned int wide = c < 0x10000 ? c : c + 0xff000;
			char *got = syntaxes[i].escape(encode(wide, buf));

			assert_inert(got, syntaxes[i].name, c);
			free(got);
		}
		for (int c = 0x80; c <= 0xff; c++) {
			char raw[] = {c, 'a', c, '\0'}, *got = syntaxes[i].escape(raw);

			assert_inert(got, syntaxes[i].name, c);
			free(got);
		}
	}
}

/* Reversible syntaxes keep different strings different. */
static void test_reversible(void **state)
{
	static const char *const pairs[][2] = {
		{"\033", "\\x1b"}, {"\n", "\\x0a"}, {"\xff", "\\xff"}, {"=a", "\\x3da"}};
	char *(*const reversible[])(const char *s) = {text__tsv, text__label, text__percent};

	for (size_t i = 0; i < ARRAY_SIZE(reversible); i++)
		for (size_t k = 0; k < ARRAY_SIZE(pairs); k++) {
			char *a = reversible[i](pairs[k][0]), *b = reversible[i](pairs[k][1]);

			assert_string_not_equal(a, b);
			free(a);
			free(b);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syntaxes),   cmocka_unit_test(test_separators),
		cmocka_unit_test(test_invisible),  cmocka_unit_test(test_all_characters),
		cmocka_unit_test(test_reversible),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
