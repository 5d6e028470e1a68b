// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the cost of a call from --calls with the cost that the call adds to a program, measured
 * without bprof: the slope between programs with one call and with four calls, minus the slope of
 * the same programs without the calls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

static double slope_of(struct fixture *f, const char *prog, int calls)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%d", prog, calls);
	return atof(command(f, "drive slope %u", load_target(f, "slopes", name).id)->out);
}

/* Uses programs with few calls, because a test run of all invocations must end before the next timer tick. */
static double added_by_three(struct fixture *f, const char *prog)
{
	return slope_of(f, prog, 4) - slope_of(f, prog, 1);
}

static void check_calls(struct fixture *f, const char *prog, int calls, double want)
{
	struct target t;
	char name[64];
	struct run *r;
	json_t *row;
	double min, mean;

	snprintf(name, sizeof(name), "%s_%d", prog, calls);
	t = load_target(f, "slopes", name);
	r = bprof(f, "-j -b %u --calls '*' -e %s -- drive testrun %u:200", t.id, exact_event(),
		  t.id);
	assert_status(r, 0);
	row = called_row(r, t.id);
	assert_int_equal(num(row, "calls_per_run"), calls);
	min = num(event_of(row, exact_event()), "per_run.min");
	mean = real(event_of(row, exact_event()), "per_run.mean");
	printf("# %d calls of %s: %.0f, on average %.2f; by the slope %.2f\n", calls,
	       str(row, "func"), min, mean, want);
	/* Some calls cost more, for example those that find an empty list. */
	if (want < min - 0.5 || want > mean + 0.5)
		fail_test("a call takes %f: %s", want, r->out);
}

static void test_slope(void **state)
{
	struct fixture *f = *state;
	const char *prog = f->param;
	char bare[64];
	double call;

	if (arch_is("aarch64") && kernel_is("6.1"))
		skip_test("called", "no trampoline on kernel functions");
	snprintf(bare, sizeof(bare), "%s_bare", prog);
	call = (added_by_three(f, prog) - added_by_three(f, bare)) / 3;
	check_calls(f, prog, 1, call);
	check_calls(f, prog, 4, call);
}

/*
 * From Linux 7.0 on, functions of tries and queues allow no probe. On x86-64, the clock then
 * interrupts every ms, and each slope contains these interrupts.
 */
KTEST_GROUP(slopes, "what a call takes, with bprof and without", NULL,
	    ON(EXACT, FROM(6.1), UNTIL(6.12)),
	    KTEST_PARAM("update_hash", test_slope, "update_hash"),
	    KTEST_PARAM("update_lru", test_slope, "update_lru", LONG),
	    KTEST_PARAM("update_percpu", test_slope, "update_percpu", LONG),
	    KTEST_PARAM("delete_hash", test_slope, "delete_hash", LONG),
	    KTEST_PARAM("lookup_trie", test_slope, "lookup_trie", LONG),
	    KTEST_PARAM("peek_queue", test_slope, "peek_queue", LONG),
	    KTEST_PARAM("csum", test_slope, "csum", LONG),
	    KTEST_PARAM("load_bytes", test_slope, "load_bytes", LONG));
