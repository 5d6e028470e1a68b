// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's run statistics (kernel.bpf_stats_enabled) make the kernel time the probes, too.
 * Tests that they do not change net numbers, or that the report says so. Needs exact counts.
 */
#include <errno.h>
#include <string.h>

#include "tests/kernel/harness.h"

#define STATS "/proc/sys/kernel/bpf_stats_enabled"
#define NET 100 /* instructions of xdp_alu_100 */

/*
 * If run_stats or --follow make the kernel update its own statistics in each run, probes cost more.
 * The net cost stays the same, even if the session has a program that only run_stats can measure.
 */
static void test_from_the_start(void **state)
{
	enum { CNT = 4 };
	static const char *const options[CNT] = {"", "--max-overhead 1%", "--follow",
						 "--follow --max-overhead 1%"};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");

	for (int i = 0; i < 2 * CNT; i++) {
		const char *option = options[i % CNT];
		json_t *ev;
		struct run *r;

		if (i == CNT)
			load_raw(f);
		r = bprof(f, "stat --all %s -j -e %s -- drive testrun %u:1000", option,
			  exact_event(), t.id);
		assert_status(r, 0);
		if (strstr(option, "--max-overhead")) /* may measure only a part of the runs */
			assert_string_equal(str(row_of(r, t.id), "method"), "fentry");
		else
			assert_counted(r, t.id, 1000);
		ev = event_of(row_of(r, t.id), exact_event());
		printf("# %s: %g to %g\n", option, real(ev, "per_run.min"),
		       real(ev, "per_run.p50"));
		assert_int_equal(num(ev, "per_run.min"), NET);
		assert_int_equal(num(ev, "per_run.p50"), NET);
	}
}

/*
 * Only when the probe of a program is attached, it turns out that the program needs run_stats. This
 * slows down the probes that are already attached, so backends are chosen again for all targets.
 */
static void test_late(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct target full = load_target(f, "xdp", "xdp_pass");
	json_t *ev;
	struct run *r;

	while (try_attach(f, load_tracing(f, "fentry_one", full, "xdp_pass")))
		;
	assert_int_equal(errno, E2BIG);
	r = bprof(f, "-j -b %u,%u -e %s -- drive testrun %u:1000 %u:50", t.id, full.id,
		  exact_event(), t.id, full.id);
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, full.id), "method"), "run_stats");
	assert_counted(r, t.id, 1000);
	ev = event_of(row_of(r, t.id), exact_event());
	assert_int_equal(num(ev, "per_run.min"), NET);
	assert_int_equal(num(ev, "per_run.p50"), NET);
}

static int teardown_stats(void **state)
{
	write_file(STATS, "0");
	return teardown(state);
}

/*
 * Measures 500 runs, turns the statistics on or off, and measures 500 more runs. Writes
 * turned.json.
 */
static struct run *measure_turned(struct fixture *f, const struct target *t, int to)
{
	struct run *r = bprof(f,
			      "stat -j -o turned.json -b %u -e %s -- sh -c 'drive testrun %u:500; "
			      "echo %d >" STATS "; drive testrun %u:500'",
			      t->id, exact_event(), t->id, to, t->id);

	assert_status(r, 0);
	r = command(f, "cat turned.json");
	assert_counted(r, t->id, 1000);
	return r;
}

/*
 * The statistics are turned on during the measurement. The report says how many runs seem to cost
 * more, and diff draws no conclusion.
 */
static void test_turned_on(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	json_t *row, *ev;
	struct run *r = measure_turned(f, &t, 1);

	row = row_of(r, t.id);
	ev = event_of(row, exact_event());
	printf("# turned on: %g to %g\n", real(ev, "per_run.min"), real(ev, "per_run.max"));
	assert_int_equal(num(row, "slowed_runs"), 500);
	assert_int_equal(num(ev, "per_run.min"), NET);
	assert_true(num(ev, "per_run.max") > NET);
	r = command(f, "bprof report turned.json");
	assert_contains(r->out, "net numbers of up to 500 runs are too high; measure again");
	write_file(STATS, "0");
	r = bprof(f, "stat -j -o off.json -b %u -e %s -- drive testrun %u:1000", t.id,
		  exact_event(), t.id);
	assert_status(r, 0);
	r = command(f, "bprof diff off.json turned.json --fail-on '%s:mean>1%%'", exact_event());
	printf("# %s\n", r->out);
	assert_contains(r->out, "run statistics were turned on during a measurement");
}

/* The statistics are on at the start and are turned off. They stay on as long as bprof measures. */
static void test_turned_off(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	json_t *row, *ev;
	struct run *r;

	write_file(STATS, "1");
	r = measure_turned(f, &t, 0);
	row = row_of(r, t.id);
	ev = event_of(row, exact_event());
	printf("# turned off: %g to %g\n", real(ev, "per_run.min"), real(ev, "per_run.p99"));
	assert_null(json_object_get(row, "slowed_runs"));
	assert_int_equal(num(ev, "per_run.min"), NET);
	assert_int_equal(num(ev, "per_run.p99"), NET);
}

/* If a program may sleep, its probe is one program, which the kernel times twice in a run. */
static void test_sleepable(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/syscall.bpf.o");
	struct target t;

	if (!obj)
		skip_test("syscall", strerror(errno));
	t = program_of(obj, "syscall_zero");
	assert_int_equal(num(row_of(measure_turned(f, &t, 1), t.id), "slowed_runs"), 500);
}

/* With --max-overhead, bprof attaches a new probe for each slice of time. The report counts the slowed runs of all. */
static void test_turns(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r =
		bprof(f,
		      "stat --max-overhead 1%% --strict -j -b %u -e %s -- sh -c 'echo 1 >" STATS
		      "; drive testrun %u:1000'",
		      t.id, exact_event(), t.id);
	json_t *row = row_of(r, t.id);

	assert_true(num(row, "measured") > 0);
	assert_int_equal(num(row, "slowed_runs"), num(row, "measured"));
}

/* The records of single runs do not say which of the runs were slowed down. */
static void test_trace(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r =
		bprof(f,
		      "trace -b %u -e %s --every 1 -- sh -c 'drive testrun %u:5; echo 1 >" STATS
		      "; drive testrun %u:3'",
		      t.id, exact_event(), t.id, t.id);

	assert_status(r, 0);
	assert_contains(r->err, "net numbers of up to 3 runs are too high; trace again");
}

#define STATS_TEST(...) KTEST_WITH(setup, teardown_stats, __VA_ARGS__)

KTEST_GROUP(not_slowed, "net numbers with run statistics from the start", NULL, ON(EXACT),
	    KTEST(test_from_the_start));

KTEST_GROUP(slowed, "net numbers and run statistics that are turned on", NULL, ON(EXACT),
	    KTEST(test_late), STATS_TEST(test_turned_on, ALSO_NEWEST), STATS_TEST(test_turned_off),
	    STATS_TEST(test_sleepable), STATS_TEST(test_turns), STATS_TEST(test_trace));
