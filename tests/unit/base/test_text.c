// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how texts are broken into lines, and how wide they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"

/* Checks the text of a stream that was opened for a test; frees *text. */
static void check_text(FILE *out, char **text, const char *want)
{
	fclose(out);
	assert_string_equal(*text, want);
	free(*text);
}

static void test_fold(void **state)
{
	static const struct {
		const char *text;
		int column, indent, max;
		const char *want;
	} cases[] = {
		{"one two three", 0, 2, 0, "one two three"},
		{"one two three", 0, 2, 13, "one two three"},
		{"one two three", 0, 2, 12, "one two\n  three"},
		{"one two three", 0, 2, 6, "one\n  two\n  three"},
		{"one  two", 0, 2, 7, "one\n  two"},
		/* blanks at the beginning stay */
		{"  one two", 0, 4, 6, "  one\n    two"},
		/* a word that is too long for any line begins a new line only if that gives it more room */
		{"longer x", 4, 4, 8, "longer\n    x"},
		{"longer", 5, 4, 8, "\n    longer"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = NULL;
		size_t sz;
		FILE *out = open_memstream(&text, &sz);

		assert_non_null(out);
		text__fold(cases[i].text, cases[i].column, cases[i].indent, cases[i].max, out);
		check_text(out, &text, cases[i].want);
	}
}

static void test_wrap(void **state)
{
	static const struct {
		const char *text;
		int indent, width;
		const char *want;
	} cases[] = {
		{"", 2, 9, ""},
		{"one two", 2, 9, "one two\n"},
		{"one two", 2, 8, "one\n  two\n"},
		{"one two three", 0, 7, "one two\nthree\n"},
		{"longer than", 2, 4, "longer\n  than\n"},
		/* line breaks stay, without blanks at the end of the text */
		{"one\ntwo three\n", 2, 40, "one\n  two three\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = NULL;
		size_t sz;
		FILE *out = open_memstream(&text, &sz);

		assert_non_null(out);
		text__wrap(out, cases[i].text, cases[i].indent, cases[i].width);
		check_text(out, &text, cases[i].want);
	}
}

/* A byte that cannot be decoded takes a column. */
static void test_width(void **state)
{
	char *text;

	assert_int_equal(text__width("a\xff\xc3("), 4);
	assert_int_equal(text__width("na\xc3\xafve"), 5);
	/* without UTF-8, three points instead of one character stand for the text that was left out */
	assert_non_null(setlocale(LC_CTYPE, "C"));
	text = text__shorten("xdp_lb_name", 7);
	assert_string_equal(text, "xd...me");
	free(text);
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

/* A text of any length is complete. */
static void test_long_text(void **state)
{
	for (size_t len = 0; len < 3000; len++) {
		char *text;
		size_t sz;
		FILE *out = text__open(&text, &sz);

		for (size_t i = 0; i < len; i++)
			fputc('a' + i % 26, out);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(sz, len);
		assert_int_equal(strlen(text), len);
		for (size_t i = 0; i < len; i++)
			assert_int_equal(text[i], 'a' + i % 26);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_long_text),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
