// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the defaults of a measurement of programs that has no end, and the progress line.
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
#include "tests/unit/made_session.h"

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

/* The line has the time and the runs since the start of this repeat, of all targets on all CPUs. */
static void test_progress(void **state)
{
	static const struct {
		int at_start; /* number of targets at the start of the repeat; the second one may be loaded later */
		__u64 runs;
	} cases[] = {{2, 38}, {1, 45}};
	struct fixture *f = *state;
	const struct prog_counting c = {.s = &f->s};
	char line[80], want[80];

	f->s.targets.cnt = TARGET_CNT;
	f->s.stopwatch.measured_ns = 9000 * NSEC_PER_MSEC;
	f->from.ns = 2000 * NSEC_PER_MSEC;
	for (int i = 0; i < TARGET_CNT; i++)
		f->target[i].frozen = f->rows[1][i];
	set_measured(f, &f->from, 0, 0, 100);
	set_measured(f, &f->to, 0, 0, 130);
	set_measured(f, &f->to, 0, 2, 3);
	set_measured(f, &f->from, 1, REST, 7);
	set_measured(f, &f->to, 1, REST, 12);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		f->from.target_cnt = cases[i].at_start;
		assert_int_equal(
			prog_counting_ops.progress((void *)&c, &f->from, line, sizeof(line)), 0);
		snprintf(want, sizeof(want), "    7 s, 2 targets, %llu runs",
			 (unsigned long long)cases[i].runs);
		assert_string_equal(line, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endless),
		cmocka_unit_test_setup_teardown(test_progress, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
