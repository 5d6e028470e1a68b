// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests a kernel without a JIT for BPF, which interprets all programs: nothing can be probed, but
 * programs are found and shown, and measured by the kernel's own statistics (run_stats).
 */
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

#define RUNS 500

/* bprof without options: time is the only event, and a note says why there are no others. */
static void test_stat(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = bprof(f, "-j -b %u -- drive testrun %u:%d", t.id, t.id, RUNS);
	json_t *row = row_of(r, t.id), *ev = event_of(row, "time");

	assert_status(r, 0);
	assert_string_equal(str(row, "method"), "run_stats");
	assert_string_equal(str(row, "name"), "xdp_alu_100");
	assert_int_equal(num(row, "runs"), RUNS);
	assert_int_equal(num(ev, "measured"), RUNS);
	assert_true(num(ev, "total") > 0);
	assert_false(json_is_true(json_object_get(json_object_get(r->json, "host"), "jit")));
	assert_contains(r->err, "interpreted, not JITed");
}

/* The sums of intervals are those of the whole, whichever program ran in which interval. */
static void test_intervals(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_0");
	struct target b = load_target(f, "skb", "tc_mark");
	struct run *r = bprof(f, "-j -I 10 -b %u,%u -e time -- drive testrun %u:%d %u:%d", a.id,
			      b.id, a.id, RUNS, b.id, 2 * RUNS);

	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, a.id), RUNS);
	assert_int_equal(sum_of_runs(r->out, b.id), 2 * RUNS);
}

/* A longer program takes more time. */
static void test_longer(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_0");
	struct target b = load_target(f, "alu", "xdp_alu_10000");
	struct run *r = bprof(f, "-j -b %u,%u -e time -- drive testrun %u:%d %u:%d", a.id, b.id,
			      a.id, RUNS, b.id, RUNS);

	assert_status(r, 0);
	assert_true(num(event_of(row_of(r, b.id), "time"), "total") >
		    num(event_of(row_of(r, a.id), "time"), "total"));
}

/* Options that need a probe are refused with the reason, and nothing is measured. */
static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u --method fentry -e time -- true", t.id);
	assert_status(r, 4);
	assert_contains(r->err, "interpreted, not JITed");
	r = bprof(f, "trace -b %u --every 1 --timeout 1", t.id);
	assert_status(r, 4);
	assert_contains(r->err, "interpreted, not JITed");
}

/* system counts with events of its own, and says why. */
static void test_system(void **state)
{
	struct fixture *f = *state;
	struct run *r = bprof(f, "system -j -a -e cpu-clock -- true");

	assert_status(r, 0);
	assert_contains(r->out, "\"perf_event\"");
	assert_contains(r->err, "cannot be shared: the leader is interpreted, not JITed; counting");
}

/* doctor does not advise to enable a JIT that the kernel does not have. */
static void test_doctor(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = bprof(f, "doctor");

	assert_status(r, 4);
	assert_contains(r->out, "this kernel has none: interpreted programs cannot be probed");
	assert_contains(r->out, "only run_stats works");
	assert_contains(r->out, "perf events of its own: the leader is interpreted, not JITed");
	assert_null(strstr(r->out, "bpf_jit_enable"));
	r = bprof(f, "doctor %u", t.id);
	assert_null(strstr(r->out, "bpf_jit_enable"));
}

KTEST_GROUP(interpreted, "a kernel without a JIT for BPF", NULL, ON(RUNSTATS), KTEST(test_stat),
	    KTEST(test_intervals), KTEST(test_longer), KTEST(test_refused), KTEST(test_system),
	    KTEST(test_doctor));
