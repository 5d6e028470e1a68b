// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the argument of --method: names of methods in order of preference.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend/counter.h"
#include "backend/method_list.h"
#include "base/util.h"

static void assert_names(const struct method_list *list, const char *want)
{
	char names[64] = "";

	for (int i = 0; i < list->cnt; i++)
		sprintf(names + strlen(names), "%s%s", i ? "," : "",
			backend_ops[list->v[i]]->method);
	assert_string_equal(names, want);
}

static void test_good(void **state)
{
	static const char *const args[] = {"fentry", "samples", "fentry,samples",
					   "samples,run_stats,fentry"};

	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		struct method_list list = {{9, 9, 9}, 3}, chosen;

		assert_int_equal(method_list__parse(&list, args[i]), 0);
		assert_names(&list, args[i]);
		assert_int_equal(method_list__any(&list, BACKEND_ESTIMATES_EVENTS), i > 0);
		assert_int_equal(method_list__any(&list, BACKEND_PROBES), i != 1);
		chosen = method_list__or_default(&list);
		assert_names(&chosen, args[i]);
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

/* Without --method, probes are preferred to run_stats, and samples are not used. */
static void test_default(void **state)
{
	const struct method_list none = {}, chosen = method_list__or_default(&none);

	assert_names(&chosen, "fentry,run_stats");
	assert_true(method_list__any(&none, BACKEND_PROBES));
	assert_true(method_list__any(&none, BACKEND_COUNTS_ALL_RUNS));
	assert_false(method_list__any(&none, BACKEND_ESTIMATES_EVENTS));
}

/* The error of --method lists the names. */
static void test_names(void **state)
{
	char names[64];

	assert_string_equal(backends__names(names, sizeof(names)), "fentry, run_stats or samples");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
