// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --method: names in order of preference.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "backend/method_list.h"
#include "base/util.h"

static void test_good(void **state)
{
	static const struct {
		const char *arg;
		struct method_list want;
	} cases[] = {
		{"fentry", {{BACKEND_FENTRY}, 1}},
		{"samples", {{BACKEND_SAMPLES}, 1}},
		{"fentry,samples", {{BACKEND_FENTRY, BACKEND_SAMPLES}, 2}},
		{"samples,run_stats,fentry",
		 {{BACKEND_SAMPLES, BACKEND_RUN_STATS, BACKEND_FENTRY}, 3}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct method_list list = {{9, 9, 9}, 3};

		assert_int_equal(method_list__parse(&list, cases[i].arg), 0);
		assert_int_equal(list.cnt, cases[i].want.cnt);
		for (int k = 0; k < list.cnt; k++)
			assert_int_equal(list.v[k], cases[i].want.v[k]);
		assert_int_equal(method_list__has(&list, BACKEND_SAMPLES), i > 0);
	}
}

static void test_bad(void **state)
{
	static const char *const args[] = {
		"",
		",",
		"fentry,",
		",fentry",
		"sample",
		"samples ",
		"SAMPLES",
		"bperf",
		"fentry;samples",
		"samples,samples",
		"fentry,,samples",
		"fentry,samples,run_stats,fentry",
	};
	struct method_list list;

	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		if (method_list__parse(&list, args[i]) != -EINVAL)
			fail_msg("'%s' is taken", args[i]);
}

/* None asked for: probes, else run_stats; samples are taken where they are asked for. */
static void test_default(void **state)
{
	const struct method_list none = {};

	assert_true(method_list__has(&none, BACKEND_FENTRY));
	assert_true(method_list__has(&none, BACKEND_RUN_STATS));
	assert_false(method_list__has(&none, BACKEND_SAMPLES));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
