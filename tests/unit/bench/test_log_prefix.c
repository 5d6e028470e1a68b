// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests messages with a prefix, and which of them become the reason for a failure.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/log_prefix.h"
#include "tests/unit/capture.h"

static void assert_errors(const struct log_prefix *p, const char *want)
{
	char *errors = log_prefix__errors(p);

	assert_string_equal(errors, want);
	free(errors);
}

static void test_prefix(void **state)
{
	struct log_prefix p;
	struct capture c;
	char *text;

	capture__begin(&c, stderr);
	log_prefix__begin(&p, "%s: entries[%d]", "a.json", 2);
	log_warn("one");
	log_info("only with -v");
	log_prefix__end(&p);
	log_warn("two");
	text = capture__end(&c);
	assert_string_equal(text, "bprof: a.json: entries[2]: one\nbprof: two\n");
	free(text);
}

/* The reason is kept even if nobody sees the messages. */
static void test_errors(void **state)
{
	const struct log_sink *before = log__set_sink(NULL);
	struct log_prefix p;

	log_prefix__begin(&p, "lb");
	assert_null(log_prefix__errors(&p));
	log_warn("no error");
	log_err(-EINVAL, "cause");
	assert_errors(&p, "cause");
	log_err(-EINVAL, "between");
	log_err(-EINVAL, "end");
	assert_errors(&p, "cause; end");
	log_prefix__end(&p);
	assert_null(log__sink());
	/* The last line of a verifier's log has its reason. */
	log_prefix__begin(&p, "lb");
	log_err_lines("not loaded; the verifier's last lines:\n  0: r0\n  invalid access");
	assert_errors(&p, "not loaded; the verifier's last lines: invalid access");
	log_prefix__end(&p);
	log__set_sink(before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
