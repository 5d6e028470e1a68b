// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the defaults of a measurement of programs that has no end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend/backend_env.h"
#include "base/parse_error.h"
#include "budget/thinning.h"
#include "run/prog_counting.h"

static struct target_opts targets;
static struct backend_opts session;

static void set(enum selector_kind kind, const char *arg)
{
	struct parse_error perr;

	target_opts__free(&targets);
	targets = (struct target_opts){};
	session = (struct backend_opts){};
	if (arg)
		assert_int_equal(selector_list__add(&targets.selectors, kind, arg, &perr), 0);
	prog_counting__set_endless(&targets, &session);
	assert_int_equal(targets.selectors.cnt, 1);
}

static void test_endless(void **state)
{
	set(SELECT_ALL, NULL);
	assert_int_equal(targets.selectors.v[0].kind, SELECT_ALL);
	assert_true(session.follow && session.calibrate && session.hist);
	assert_int_equal(session.thin_period, 1);
	assert_int_equal(session.thin_share, THINNING_DEFAULT_SHARE);
	set(SELECT_NAME, "xdp_*");
	assert_int_equal(targets.selectors.v[0].kind, SELECT_NAME);
	assert_true(session.follow);
	/* an id cannot match a program that is loaded later */
	set(SELECT_ID, "42");
	assert_false(session.follow);
	target_opts__free(&targets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_endless)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
