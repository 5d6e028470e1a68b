// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests more events than the PMU has counters. The numbers of an event do not include the runs in
 * which the event was not counted. The report says so, and the numbers are right. The group needs
 * the deterministic arm64 VM (one vCPU, -icount), whose PMU has 6 counters and one for cycles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

#define RUNS 20000 /* the kernel rotates the events many times during these runs */
/* The minimum length of a timer interrupt, in instructions. */
#define INTERRUPT 1000

static struct run *measure(struct fixture *f, struct target t, const char *events)
{
	struct run *r =
		bprof(f, "-j -b %u -e '%s' -- drive testrun %u:%d", t.id, events, t.id, RUNS);

	assert_status(r, 0);
	assert_counted(r, t.id, RUNS);
	return r;
}

/*
 * Checks that there are cnt events. The report must say of each event that it was read in the way
 * `how`, and that it was counted in at least one run.
 */
static void assert_read(const struct run *r, __u32 id, const char *how, size_t cnt)
{
	json_t *events = json_object_get(row_of(r, id), "events"), *ev;

	assert_int_equal(json_array_size(events), cnt);
	for (size_t i = 0; (ev = json_array_get(events, i)); i++) {
		assert_string_equal(str(ev, "read"), how);
		assert_string_equal(str(ev, "status"), "ok");
		if (num(ev, "measured") < 1 || num(ev, "measured") > RUNS)
			fail_test("%s: %lld runs: %s", str(ev, "name"),
				  (long long)num(ev, "measured"), r->out);
	}
}

static void test_pinned(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;

	r = measure(f, t, "cycles,instructions,r8:k,r8:H,r11:k,r23,r24");
	assert_read(r, t.id, "pinned", 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(num(json_array_get(json_object_get(row_of(r, t.id), "events"), i),
				     "measured"),
				 RUNS);
}

/* Checks that the total is the sum over the measured runs, not an extrapolation to all runs. */
static void assert_unscaled(json_t *ev, const char *out)
{
	double mean = real(ev, "per_run.mean"), total = real(ev, "total");

	if (fabs(mean * num(ev, "measured") - total) > 1e-3 * fabs(total) + 1e-3)
		fail_test("%s: %lld runs of %f are not %f: %s", str(ev, "name"),
			  (long long)num(ev, "measured"), mean, total, out);
}

static void test_eight(void **state)
{
	static const char events[] = "r8,r11:k,r8:k,r8:H,r0,r23,instructions:k,instructions";
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = measure(f, t, events);
	json_t *row = row_of(r, t.id), *ev;
	int partly = 0;

	assert_read(r, t.id, "multiplexed", 8);
	for (size_t i = 0; (ev = json_array_get(json_object_get(row, "events"), i)); i++) {
		partly += num(ev, "measured") < num(row, "measured");
		assert_unscaled(ev, r->out);
	}
	/*
	 * The PMU has six counters for these eight events. The kernel rotates all events, so at
	 * least seven events are counted in only a part of the runs.
	 */
	assert_true(partly > 6);
	assert_int_equal(num(event_of(row, "r0"), "per_run.max"), 0);
}

/* The members of a group count in the same runs; otherwise their ratios would be meaningless. */
static void test_group(void **state)
{
	static const char events[] = "{r8,r11:k,r23},r8:k,r0,r8:H,{r24,instructions:k}";
	static const char *const groups[][3] = {{"r8", "r11:k", "r23"}, {"r24", "instructions:k"}};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;

	r = measure(f, t, events);
	assert_read(r, t.id, "multiplexed", 8);
	for (int g = 0; g < 2; g++) {
		json_int_t runs = num(event_of(row_of(r, t.id), groups[g][0]), "measured");

		if (runs == RUNS)
			fail_test("the group of %s was never off: %s", groups[g][0], r->out);
		for (int i = 1; i < 3 && groups[g][i]; i++)
			if (num(event_of(row_of(r, t.id), groups[g][i]), "measured") != runs)
				fail_test("%s and %s are a group: %s", groups[g][0], groups[g][i],
					  r->out);
	}
}

/* Returns the mean of the runs that were not interrupted by a timer. */
static double calm_mean(json_t *ev, int k)
{
	double total = real(ev, "total"), runs = num(ev, "measured");
	json_t *bucket;

	for (size_t i = 0; (bucket = json_array_get(json_object_get(ev, "hist"), i)); i++) {
		double low = json_number_value(json_array_get(bucket, 0));
		double high = json_number_value(json_array_get(bucket, 1));
		json_int_t count = json_integer_value(json_array_get(bucket, 2));

		if (low < k + INTERRUPT)
			continue;
		total -= (low + high) / 2 * count;
		runs -= count;
	}
	return total / runs;
}

/* Checks that the event was counted in some runs but not in all, and that its net cost is k. */
static void assert_right(const struct run *r, struct target t, const char *name, int k)
{
	json_t *ev = event_of(row_of(r, t.id), name);
	double mean = calm_mean(ev, k), min = real(ev, "per_run.min");

	if (num(ev, "measured") < RUNS / 10 || num(ev, "measured") > RUNS - RUNS / 10)
		fail_test("%s: %lld of %d runs covered: %s", name, (long long)num(ev, "measured"),
			  RUNS, r->out);
	if (fabs(mean - k) > 2 || fabs(min - k) > 2)
		fail_test("%s: %d more are mean %f, min %f: %s", name, k, mean, min, r->out);
}

/* An event's bias is removed correctly, whichever of the other events count at the same time. */
static void test_sixteen(void **state)
{
	static const int steps[] = {0, 100, 1000};
	static const char *const counting[] = {"instructions",	 "r8",	"instructions:k", "r8:k",
					       "instructions:H", "r8:H"};
	static const char *const other[] = {"r11",   "r11:k", "r3c",   "r23",	"r24",
					    "r3c:k", "r11:H", "r23:k", "r24:k", "r3c:H"};
	struct fixture *f = *state;
	char events[256] = "";
	struct target t[3];
	struct run *r;

	/* Mix the events that count instructions with the other events. */
	for (int i = 0; i < 10; i++)
		sprintf(events + strlen(events), "%s%s%s%s", i ? "," : "", other[i],
			i < 6 ? "," : "", i < 6 ? counting[i] : "");
	for (int i = 0; i < 3; i++) {
		char name[32];

		sprintf(name, "xdp_alu_%d", steps[i]);
		t[i] = load_target(f, "alu", name);
	}
	r = bprof(f, "-j --hist -b %u,%u,%u -e %s -- drive testrun %u:%d %u:%d %u:%d", t[0].id,
		  t[1].id, t[2].id, events, t[0].id, RUNS, t[1].id, RUNS, t[2].id, RUNS);
	assert_status(r, 0);
	for (int i = 0; i < 3; i++) {
		assert_counted(r, t[i].id, RUNS);
		assert_read(r, t[i].id, "multiplexed", 16);
		for (int e = 0; e < 6; e++)
			assert_right(r, t[i], counting[e], steps[i]);
	}
}

static void test_coverage(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = bprof(f,
			      "-b %u -e r8,r8:k,r8:H,r23,r24,r23:k,r24:k,r11:k -- "
			      "drive testrun %u:%d",
			      t.id, t.id, RUNS);

	assert_status(r, 0);
	assert_contains(r->out, "COVERAGE");
	assert_contains(r->out, "coverage: the share of the measured runs");
}

/* The clock is not an event of the PMU, so it measures every run. */
static void test_clock(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;

	r = measure(f, t, "r8,r8:k,r8:H,r23,r24,r23:k,r24:k,r11:k,time");
	assert_string_equal(str(event_of(row_of(r, t.id), "r8"), "read"), "multiplexed");
	assert_string_equal(str(event_of(row_of(r, t.id), "time"), "read"), "clock");
	assert_int_equal(num(event_of(row_of(r, t.id), "time"), "measured"), RUNS);
	/* The net time does not include reading the other events. A tick of the clock is 16 ns. */
	if (fabs(real(event_of(row_of(r, t.id), "time"), "per_run.p50") - 100) > 32)
		fail_test("100 instructions of 1 ns: %s", r->out);
}

/*
 * Samples are only from the time when the event had a counter. So the estimated total is that of the
 * runs in this time, and the report says how many these are.
 */
static void test_samples(void **state)
{
	enum { SAMPLED_RUNS = 20 * RUNS }; /* for enough samples */
	static const char events[] = "r8,r11:k,r8:k,r8:H,r0,r23,instructions:k,instructions,time";
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = bprof(f, "-j -b %u --method samples -e %s -- drive testrun %u:%d", t.id,
			      events, t.id, SAMPLED_RUNS);
	json_t *row = row_of(r, t.id), *ev;
	int partly = 0;

	assert_status(r, 0);
	assert_int_equal(num(row, "runs"), SAMPLED_RUNS);
	for (size_t i = 0; (ev = json_array_get(json_object_get(row, "events"), i)); i++) {
		printf("# %s: %lld runs, %lld samples\n", str(ev, "name"),
		       (long long)num(ev, "measured"), (long long)num(ev, "samples"));
		assert_true(num(ev, "measured") > 0);
		partly += num(ev, "measured") < SAMPLED_RUNS * .95;
		assert_unscaled(ev, r->out);
	}
	assert_true(partly > 6);
	assert_int_equal(num(event_of(row, "time"), "measured"), SAMPLED_RUNS);
}

KTEST_GROUP(multiplex, "more events than counters", NULL, ON(EXACT, ARM64), KTEST(test_pinned),
	    KTEST(test_eight), KTEST(test_sixteen), KTEST(test_coverage), KTEST(test_group),
	    KTEST(test_clock), KTEST(test_samples));
