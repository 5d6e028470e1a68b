// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the message about a bad argument: carets are below the bad token, whatever characters precede it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "base/util.h"

static char message[256];

static void keep_message(void *arg, enum log_level level, const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
}

static const struct log_sink keeping = {.write = keep_message, .max = LOG_LEVEL_ERROR};

static void test_carets(void **state)
{
	static const struct {
		const char *arg;
		size_t pos, len;
		const char *want;
	} cases[] = {
		{"abc", 0, 1, "--top: bad\n  abc\n  ^"},
		{"abc", 0, 3, "--top: bad\n  abc\n  ^^^"},
		{"abc", 1, 1, "--top: bad\n  abc\n   ^"},
		{"abc", 2, 1, "--top: bad\n  abc\n    ^"},
		/* a token without characters marks the place where something is missing */
		{"abc", 1, 0, "--top: bad\n  abc\n   ^"},
		{"abc", 3, 0, "--top: bad\n  abc\n     ^"},
		{"abc", 3, 2, "--top: bad\n  abc\n     ^^"},
		{"", 0, 1, "--top: bad\n  \n  ^"},
		/* a tab is copied to the line of carets, so that it has the same width there */
		{"a\tbc", 2, 2, "--top: bad\n  a\tbc\n   \t^^"},
		{"a\tb", 3, 1, "--top: bad\n  a\tb\n   \t ^"},
		/* a character of several bytes has one column */
		{"\xc3\xa9\xc3\xa9x", 2, 2, "--top: bad\n  \xc3\xa9\xc3\xa9x\n   ^"},
		{"\xc3\xa9x", 2, 1, "--top: bad\n  \xc3\xa9x\n   ^"},
		/* a line break does not end the message */
		{"a\nb", 2, 1, "--top: bad\n  a?b\n    ^"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parse_error err;

		assert_int_equal(parse_error__set(&err, cases[i].pos, cases[i].len, "%s", "bad"),
				 -EINVAL);
		assert_int_equal(parse_error__report(-EINVAL, "--top", cases[i].arg, &err),
				 -EINVAL);
		assert_string_equal(message, cases[i].want);
	}
	assert_int_equal(parse_error__set(NULL, 0, 1, "bad"), -EINVAL);
}

static void test_other_errors(void **state)
{
	struct parse_error err = {};

	message[0] = '\0';
	assert_int_equal(parse_error__report(0, "--top", "5", &err), 0);
	assert_string_equal(message, "");
	assert_int_equal(parse_error__report(-ENOMEM, "--top", "5", &err), -ENOMEM);
	assert_string_equal(message, "--top: Cannot allocate memory");
}

static int setup(void **state)
{
	*state = (void *)log__set_sink(&keeping);
	return 0;
}

static int teardown(void **state)
{
	log__set_sink(*state);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carets),
		cmocka_unit_test(test_other_errors),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
