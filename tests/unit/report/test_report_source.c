// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the messages about input that cannot be read: input errors, and documents of another kind than
 * expected.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "report/report_head.h"

/* Input that ends with an error after a text. */
struct broken {
	const char *text;
	int err; /* 0: an error without a number */
};

static ssize_t read_broken(void *cookie, char *buf, size_t sz)
{
	struct broken *b = cookie;
	size_t len = strnlen(b->text, sz);

	if (!len) {
		errno = b->err;
		return -1;
	}
	memcpy(buf, b->text, len);
	b->text += len;
	return len;
}

static void test_errors(void **state)
{
	static const char *const texts[] = {"", "\n ", "{\"schema\":1,\"to"};
	static const int errors[][2] = {{EISDIR, -EISDIR}, {EFAULT, -EFAULT}, {0, -EIO}};

	for (size_t i = 0; i < ARRAY_SIZE(texts) * ARRAY_SIZE(errors); i++) {
		const int *error = errors[i % ARRAY_SIZE(errors)];
		struct broken b = {texts[i / ARRAY_SIZE(errors)], error[0]};
		struct report_source src = {
			.in = fopencookie(&b, "r", (cookie_io_functions_t){.read = read_broken})};
		struct report_error err;
		json_t *doc;

		assert_non_null(src.in);
		assert_int_equal(report_source__next(&src, &doc, &err), error[1]);
		assert_null(doc);
		fclose(src.in);
	}
}

/* The messages name the kind of document that was expected. */
static void test_kinds(void **state)
{
	static const char *const texts[] = {"[]", "{\"tool\":\"perf\"}", "{}"};
	static const char *const kinds[] = {NULL, "recording"};

	for (size_t i = 0; i < ARRAY_SIZE(texts) * ARRAY_SIZE(kinds); i++) {
		const char *text = texts[i / ARRAY_SIZE(kinds)], *kind = kinds[i % 2];
		struct report_source src = {.in = fmemopen((void *)text, strlen(text), "r"),
					    .kind = kind};
		struct report_error err;
		char want[64];
		json_t *doc;

		assert_non_null(src.in);
		snprintf(want, sizeof(want), "not a %s of bprof", kind ?: "report");
		assert_int_equal(report_source__next(&src, &doc, &err), -EINVAL);
		assert_string_equal(err.text, want);
		fclose(src.in);
	}
}

/* A document without the key of any kind is taken for a report. */
static void test_keys(void **state)
{
	static const char *const keys[] = {"comparisons", "annotate", "series",
					   "history",	  "record",   "schema"};
	json_t *doc = json_object();

	assert_string_equal(report_source__key(doc), "schema");
	/* a document with several keys is of the kind whose key comes first in keys */
	for (int i = ARRAY_SIZE(keys) - 1; i >= 0; i--) {
		json_object_set_new(doc, keys[i], json_integer(1));
		assert_string_equal(report_source__key(doc), keys[i]);
	}
	json_decref(doc);
}

static void test_no_error(void **state)
{
	assert_int_equal(report_error__report(0, "a.json", "", &(struct report_error){}), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
