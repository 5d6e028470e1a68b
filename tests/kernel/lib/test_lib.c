// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests libbprof: runs the programs of tests/lib, which are built only with the installed files
 * ('make install'). host_process checks what a session leaves in a process and in the kernel.
 */
#include <stdio.h>
#include <string.h>

#include "tests/kernel/harness.h"

static int setup_exact(void **state)
{
	return has_cpus(1) ? setup(state) : -1;
}

/*
 * Runs the example, a loader that measures its own program. Only the minimum is exact: a timer
 * interrupt in a run adds to the mean.
 */
static void test_measure_xdp(void **state)
{
	struct fixture *f = *state;
	char event[64];
	unsigned long long runs;
	double min, mean;
	struct run *r =
		command(f, "measure_xdp " PROGS_DIR "/alu.bpf.o xdp_alu_100 %s", exact_event());

	assert_status(r, 0);
	if (sscanf(r->out, "xdp_alu_100: %63s in a run: min %lf, mean %lf (%llu runs)", event, &min,
		   &mean, &runs) != 4)
		fail_test("no cost: %s", r->out);
	assert_string_equal(event, exact_event());
	assert_int_equal(runs, 1000);
	assert_true(min == 100);
	assert_true(mean >= min);
}

static void test_measure_xdp_refused(void **state)
{
	struct fixture *f = *state;
	struct run *r = command(f, "measure_xdp " PROGS_DIR "/alu.bpf.o xdp_alu_100 cycles,x");

	assert_status(r, 1);
	assert_contains(r->err, "measure_xdp: events: ");
}

static void test_host_process(void **state)
{
	struct fixture *f = *state;
	struct run *r = command(f, "host_process " PROGS_DIR "/alu.bpf.o %s", exact_event());

	if (r->status || *r->out)
		fail_test("status %d: %s%s", r->status, r->out, r->err);
}

#define EXACT_TEST(...) KTEST_WITH(setup_exact, teardown, __VA_ARGS__)

KTEST_GROUP(lib, "the programs of tests/lib", NULL, ON(EXACT, ONCE), EXACT_TEST(test_measure_xdp),
	    EXACT_TEST(test_measure_xdp_refused), EXACT_TEST(test_host_process));
