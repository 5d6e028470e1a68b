// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the hint "did you mean": which words are near enough, and that words of any length are safe.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "base/suggest.h"
#include "base/util.h"

/* Offers both candidates, and returns the one that is suggested, or "". */
static const char *suggest(const char *word, const char *first, const char *second)
{
	static struct suggest s;

	suggest__init(&s, word, strlen(word));
	suggest__offer(&s, first);
	suggest__offer(&s, second);
	return s.best;
}

static void test_distance(void **state)
{
	static const struct {
		const char *word, *first, *second, *want;
	} cases[] = {
		/* one edit for a short word: also a swap, wherever it is */
		{"itme", "time", "", "time"},
		{"tiem", "time", "", "time"},
		{"tmie", "time", "", "time"},
		{"TIMES", "time", "", "time"},
		{"tim", "time", "", "time"},
		{"temi", "time", "", ""},
		/* two edits for a long one */
		{"isntructoins", "instructions", "", "instructions"},
		{"isntrucoitns", "instructions", "", ""},
		{"cycels", "cycles", "", "cycles"},
		/* the nearest one; of two, the first one */
		{"abcdef", "abcdxy", "abcdex", "abcdex"},
		{"abcdef", "abcdex", "abcdey", "abcdex"},
		{"abcdef", "abcdex", "abcdxy", "abcdex"},
		{"", "a", "", ""},
		{"a", "", "b", ""},
	};
	char text[100];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (strcmp(suggest(cases[i].word, cases[i].first, cases[i].second), cases[i].want))
			fail_msg("%s", cases[i].word);
	suggest("cycels", "cycles", "");
	assert_string_equal(suggest__text(&(struct suggest){.best = "cycles"}, text, sizeof(text)),
			    "; did you mean 'cycles'?");
	assert_string_equal(suggest__text(&(struct suggest){}, text, sizeof(text)), "");
}

/* Words from a certain length on are not suggested, and have no suggestion. */
static void test_long(void **state)
{
	enum { MAX = sizeof(((struct suggest *)0)->best) };
	char word[4 * MAX] = "", candidate[4 * MAX] = "";

	for (int word_len = 1; word_len < 4 * MAX; word_len++)
		for (int len = word_len - 1; len <= word_len + 1 && len < 4 * MAX; len++) {
			bool is_long = len >= MAX || word_len >= MAX;
			bool near = len == word_len || (word_len > 2 && len > 2);

			memset(word, 'a', word_len);
			memset(candidate, 'a', sizeof(candidate) - 1);
			candidate[len] = '\0';
			assert_string_equal(suggest(word, candidate, ""),
					    near && !is_long ? candidate : "");
		}
	/* very different lengths */
	memset(candidate, 'a', sizeof(candidate) - 1);
	assert_string_equal(suggest("aaa", candidate, ""), "");
	assert_string_equal(suggest(candidate, "aaa", ""), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
