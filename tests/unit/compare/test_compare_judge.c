// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the rules for verdicts at their bounds, with made-up results of the statistical test; the
 * number of limits; and the order of rows.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

/* ---- verdicts ---- */

#define NOT_SIGNIFICANT \
	"not significant among 1 comparisons: measure more blocks, or compare fewer statistics"
#define NOISY "its blocks vary too much for this limit: measure more or longer blocks"

/* The limit is 2. The change and its interval are amounts. */
static const struct {
	struct stats_interval change;
	double shift, p;
	enum verdict verdict;
	const char *why;
} rules[] = {
	/* a change is significant if p is below 5 % */
	{{5, 3, 7}, 5, 0.0499, VERDICT_WORSE, ""},
	{{5, 3, 7}, 5, 0.05, VERDICT_INCONCLUSIVE, NOT_SIGNIFICANT},
	/* an interval that reaches the limit says that the change may be allowed */
	{{5, 2, 7}, 5, 0.05, VERDICT_INCONCLUSIVE, NOISY},
	{{1, 0, 2}, 1, 0.05, VERDICT_SAME, ""},
	{{1, 0, 2.5}, 1, 0.05, VERDICT_INCONCLUSIVE, NOISY},
	/* the test counts unless its shift and the change have opposite signs; 0 has no sign */
	{{5, 3, 7}, -1, 0.01, VERDICT_INCONCLUSIVE, NOT_SIGNIFICANT},
	{{5, 3, 7}, 0, 0.01, VERDICT_WORSE, ""},
	{{0, -1, 4}, 3, 0.01, VERDICT_SAME, ""},
	{{-5, -7, -3}, 0, 0.01, VERDICT_BETTER, ""},
};

static void test_rules(void **state)
{
	struct compare_limits limits = {};

	assert_int_equal(compare_limits__add(&limits, "cycles:p50>2", NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct compare_row row = {
			.base_value = 100,
			.new_value = 100 + rules[i].change.estimate,
			.change = rules[i].change,
			.shift.estimate = rules[i].shift,
			.p = rules[i].p,
			.list = &limits,
			.limits = 1,
		};
		struct comparison c = {.row = &row, .row_cnt = 1};

		comparison__judge(&c);
		if (row.verdict != rules[i].verdict)
			fail_msg("%zu: %s", i, verdict_specs[row.verdict].name);
		assert_string_equal(row.why, rules[i].why);
	}
	compare_limits__free(&limits);
}

/* With as many limits as are allowed, the last one still counts. */
static void test_many_limits(void **state)
{
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 110, 0.5, 8);
	for (int i = 0; i < COMPARE_MAX_LIMITS; i++)
		add_limit(&s, i < COMPARE_MAX_LIMITS - 1 ? "cycles:p50>50%" : "cycles:p50>2%");
	assert_int_equal(compare(&s)->verdict, VERDICT_WORSE);
	assert_ptr_equal(s.c->row[0].limit, &s.limits.v[COMPARE_MAX_LIMITS - 1]);
	close_scene(&s);
}

/* ---- order ---- */

/*
 * Among inconclusive rows, those come first whose programs returned other values: their cost may
 * not be compared at all. The others keep their order.
 */
static void test_refused_first(void **state)
{
	static const char *const want[] = {"b", "d", "a", "c", "e"};
	struct report_prog base = {.type = "xdp", .retval = 1}, new = {.type = "xdp", .retval = 2};
	struct compare_limits limits = {};
	struct compare_row row[ARRAY_SIZE(want)] = {};
	struct comparison c = {.row = row, .row_cnt = ARRAY_SIZE(want)};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		row[i].event = (const char *[]){"a", "b", "c", "d", "e"}[i];
		row[i].base_value = row[i].new_value = 1;
		row[i].p = NAN;
		row[i].list = &limits;
		row[i].refused = i % 2;
		row[i].returned = (struct compare_pair){.base = &base, .new = &new};
	}
	comparison__judge(&c);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(row[i].verdict, VERDICT_INCONCLUSIVE);
		assert_string_equal(row[i].event, want[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_many_limits),
		cmocka_unit_test(test_refused_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
