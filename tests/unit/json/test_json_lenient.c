// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests JSON as bpftool writes it: unnamed fields, and numbers that JSON does not have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "json/json_lenient.h"

#define LONG_TEXT "a text that takes more memory than a token has at first"

/* ---- extensions ---- */

static void test_extensions(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		/* unnamed fields are numbered in each object */
		{"{\"\":1}", "{\"#1\":1}"},
		{"{\"\" \t\r\n:1,\"\":2,\"a\":3}", "{\"#1\":1,\"#2\":2,\"a\":3}"},
		{"{\"\":{\"\":1,\"\":2},\"\":{\"\":3},\"\":4}",
		 "{\"#1\":{\"#1\":1,\"#2\":2},\"#2\":{\"#1\":3},\"#3\":4}"},
		/* values stay as they are */
		{"[\"\"]", "[\"\"]"},
		{"{\"a\":\"\",\"b\":\"0x1\"}", "{\"a\":\"\",\"b\":\"0x1\"}"},
		{"[\"a\\\"b:1\",\"\\\"\",\"\\\\\",12]", "[\"a\\\"b:1\",\"\\\"\",\"\\\\\",12]"},
		{"[\"\\\"0x1f\",\"\\\"\",0x1f]", "[\"\\\"0x1f\",\"\\\"\",\"0x1f\"]"},
		{"[true,null,-5,1.5,-2.5E1]", "[true,null,-5,1.5,-25.0]"},
		/* numbers that jansson refuses */
		{"[0x1f,0X1F,-0x1]", "[\"0x1f\",\"0X1F\",\"-0x1\"]"},
		{"[123456789012345678,1234567890123456789,-12345678901234567]",
		 "[123456789012345678,\"1234567890123456789\",-12345678901234567]"},
		{"[1000000000000000000.5,1000000000000000000e1,1000000000000000000E1]",
		 "[1e18,1e19,1e19]"},
		/* no JSON */
		{"[-]", NULL},
		{"[1", NULL},
		{"\"a", NULL},
		{"\"a\\", NULL},
		{"\"", NULL},
		{"{\"a\":1,\"a\":2}", NULL},
		{"[,]", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_error_t jerr;
		json_t *doc;
		int err = json_lenient__load(cases[i].text, 0, &doc, &jerr);
		char *text;

		assert_int_equal(err, cases[i].want ? 0 : -EINVAL);
		if (err) {
			assert_null(doc);
			continue;
		}
		text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(15));
		assert_string_equal(text, cases[i].want);
		free(text);
		json_decref(doc);
	}
}

/* The text grows most if it has nothing but unnamed fields with high numbers. */
static void test_growth(void **state)
{
	enum { CNT = 100000 };
	char *text = calloc(CNT + 1, sizeof(",\"\":0")), *end = text;
	json_error_t jerr;
	json_t *doc;

	*end++ = '{';
	for (int i = 0; i < CNT; i++)
		end = stpcpy(end, i ? ",\"\":0" : "\"\":0");
	strcpy(end, "}");
	assert_int_equal(json_lenient__load(text, 0, &doc, &jerr), 0);
	assert_int_equal(json_object_size(doc), CNT);
	assert_non_null(json_object_get(doc, "#99999"));
	assert_non_null(json_object_get(doc, "#0")); /* names have at most five digits */
	json_decref(doc);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
