// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the example in C of a program that starts bprof and reads its JSON (docs/examples).
 * tests/embedding.sh tests the example in Python, and the parts of both examples that need no
 * kernel.
 */
#include <string.h>

#include "tests/kernel/harness.h"

/* Only the minimum is exact: a timer interrupt in a run changes the mean. */
static void test_report(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	char want[128];
	struct run *r = command(f, "costs bprof -b %u -e %s -j -o - -- drive testrun %u:1000", t.id,
				exact_event(), t.id);

	assert_status(r, 0);
	snprintf(want, sizeof(want), "xdp_alu_100: 1000 runs\n  %s: min 100 mean 10",
		 exact_event());
	if (strncmp(r->out, want, strlen(want)))
		fail_test("%s", r->out);
}

static void test_intervals(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = command(f, "costs bprof -b %u -e time -j -I 20 --interval-count 2", t.id);

	assert_status(r, 0);
	assert_string_equal(r->out, "xdp_alu_100: 0 runs\n  time: not measured\n"
				    "xdp_alu_100: 0 runs\n  time: not measured\n");
}

static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = command(f, "costs bprof -b %u -e cycles,x -j", t.id);

	assert_status(r, 2);
	assert_string_equal(r->out, "");
	assert_contains(r->err, "bprof: -e: ");
}

KTEST_GROUP(examples, "a program that embeds bprof", NULL, ON(EXACT, ONCE), KTEST(test_report),
	    KTEST(test_intervals), KTEST(test_refused));
