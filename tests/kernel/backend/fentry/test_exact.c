// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests exact results in the deterministic VM (one vCPU, -icount). If a program has K more
 * instructions, the report shows K more, and the probe adds no more instructions than documented.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"
#include "tests/progs/slow.h"

static const int steps[] = {0, 1, 7, 64, 100, 1000, 10000};

#define STEP_CNT ((int)(sizeof(steps) / sizeof(steps[0])))
#define MANY 10 /* number of runs that cannot all be interrupted by a timer */

static int setup_exact(void **state)
{
	return has_cpus(1) ? setup(state) : -1;
}

static struct target load_alu(struct fixture *f, int k)
{
	char name[32];

	snprintf(name, sizeof(name), "xdp_alu_%d", k);
	return load_target(f, "alu", name);
}

/*
 * Checks that a program with K instructions more than the empty program has a net cost of K. The
 * minimum must be exact. A median above 64 may differ by 3 %, because a bucket of the distribution
 * can hold more than one value.
 */
static void assert_steps(const struct run *r, const struct target *t, const char *event)
{
	for (int i = 0; i < STEP_CNT; i++) {
		json_t *ev = event_of(row_of(r, t[i].id), event);
		json_int_t min = num(ev, "per_run.min");
		double p50 = real(ev, "per_run.p50");

		if (min != steps[i] || fabs(p50 - steps[i]) > (steps[i] > 64 ? steps[i] * .03 : 0))
			fail_msg("%d instructions more are min %lld, p50 %f: %s", steps[i],
				 (long long)min, p50, r->out);
	}
}

static void test_instructions(void **state)
{
	/* Every set of events has its own bias. Net costs are exact with each of these sets. */
	static const char *const others[] = {"", ",time", ",page-faults,time"};
	struct fixture *f = *state;
	char ids[64] = "", runs[256] = "";
	struct target t[STEP_CNT];

	for (int i = 0; i < STEP_CNT; i++) {
		t[i] = load_alu(f, steps[i]);
		sprintf(ids + strlen(ids), "%s%u", i ? "," : "", t[i].id);
		sprintf(runs + strlen(runs), " %u:200", t[i].id);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct run *r = bprof(f, "-j -b %s -e %s%s -- drive testrun%s", ids, exact_event(),
				      others[i], runs);

		assert_status(r, 0);
		assert_steps(r, t, exact_event());
	}
}

static void assert_exact_stat(json_t *ev, const char *stat, double value, const struct run *r)
{
	char path[32];

	snprintf(path, sizeof(path), "per_run.%s", stat);
	if (real(ev, path) != value ||
	    json_object_get(json_object_get(ev, "bounds") ?: r->json, stat))
		fail_test("%s is not %g, exactly: %s", stat, value, r->out);
}

/*
 * One run in 2,000 costs more than all other runs. The maximum shows this run; the 50th, 90th and
 * 99th percentiles do not. Timer interrupts occasionally make other runs longer, too.
 */
static void test_percentiles(void **state)
{
	static const char *const exact[] = {"p50", "p90", "p99"};
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_outlier");
	struct run *r =
		bprof(f, "-j -b %u -e %s -- drive testrun %u:2000", t.id, exact_event(), t.id);
	json_t *ev = event_of(row_of(r, t.id), exact_event());
	json_int_t min = num(ev, "per_run.min");

	assert_status(r, 0);
	if (min < 655 || num(ev, "per_run.max") < min + OUTLIER_INSNS)
		fail_test("no outlier: %s", r->out);
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		assert_exact_stat(ev, exact[i], min, r);
}

/*
 * If memory is short, distributions are coarser. Each event has its own distribution; the test
 * checks both events.
 */
static void test_resolutions(void **state)
{
	static const struct {
		double memory; /* the limit, as a share of what the first session takes */
		double width;
	} how[] = {{1, 1. / 64}, {.29, 1. / 8}, {.115, 1. / 2}};
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_outlier");
	json_int_t full = 64 << 20;

	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct run *r = bprof(f,
				      "-j --hist -b %u -e page-faults,%s --max-memory %.0f -- "
				      "drive testrun %u:2000",
				      t.id, exact_event(), how[i].memory * full, t.id);
		json_t *ev = event_of(row_of(r, t.id), exact_event()), *bucket;
		json_int_t min = num(ev, "per_run.min"), runs = 0;

		assert_status(r, 0);
		assert_true(real(r->json, "memory.bucket_width") == how[i].width);
		if (!i)
			full = num(r->json, "memory.counts_bytes");
		assert_exact_stat(ev, "p50", min, r);
		assert_exact_stat(ev, "p90", min, r);
		assert_exact_stat(event_of(row_of(r, t.id), "page-faults"), "p99", 0, r);
		for (size_t k = 0; (bucket = json_array_get(json_object_get(ev, "hist"), k)); k++)
			runs += json_integer_value(json_array_get(bucket, 2));
		assert_int_equal(runs, num(ev, "measured"));
	}
}

/*
 * Each interval has a minimum and maximum of its own runs, not those of all runs so far. If an
 * interval has only a few runs, the timer interrupt that ends it may have interrupted all of them.
 * So the minimum is checked only if there are at least MANY runs. There are always three such
 * intervals, because the runs take more than 60 ms.
 */
static void test_extremes_of_intervals(void **state)
{
	struct fixture *f = *state;
	struct target t = load_alu(f, 1000);
	struct child *c = bprof_start(f, "-j -I 20 -b %u -e %s -- drive testrun %u:30000", t.id,
				      exact_event(), t.id);
	struct run *r = child_wait(f, c);
	int seen = 0;

	assert_status(r, 0);
	for (char *line = strtok(r->out, "\n"); line; line = strtok(NULL, "\n")) {
		struct run one = {.out = line, .json = json_loads(line, 0, NULL)};
		json_t *ev = event_of(row_of(&one, t.id), exact_event());

		if (num(ev, "measured") >= MANY) {
			assert_exact_stat(ev, "min", 1000, &one);
			if (real(ev, "per_run.max") < 1000)
				fail_test("no maximum: %s", line);
			seen++;
		}
		json_decref(one.json);
	}
	if (seen < 3)
		fail_test("%d intervals with runs", seen);
}

/*
 * A program costs the same whether it is measured alone or together with other programs: no number
 * includes the probes of another target.
 */
static void test_alone_and_together(void **state)
{
	struct fixture *f = *state;
	struct target a = load_alu(f, 100), b = load_alu(f, 7);
	json_int_t alone, together;
	struct run *r;

	r = bprof(f, "-j -b %u -e %s -- drive testrun %u:200", a.id, exact_event(), a.id);
	assert_status(r, 0);
	alone = num(event_of(row_of(r, a.id), exact_event()), "per_run.min");
	r = bprof(f, "-j -b %u,%u -e %s -- drive testrun %u:200 %u:200", a.id, b.id, exact_event(),
		  a.id, b.id);
	assert_status(r, 0);
	together = num(event_of(row_of(r, a.id), exact_event()), "per_run.min");
	assert_int_equal(alone, together);
}

static double slope(struct run *r)
{
	char *end;
	double v = strtod(r->out, &end);

	assert_status(r, 0);
	if (end == r->out)
		fail_test("no number: %s%s", r->out, r->err);
	return v;
}

/*
 * Checks how many instructions bprof adds to each invocation of an empty program (README, What it
 * costs and disturbs).
 */
static void test_added_instructions(void **state)
{
	static const struct {
		const char *events;
		double most;
	} cases[] = {
		{"instructions --no-hist", 900},
		{"cycles,instructions --no-hist", 1380},
		{"cycles,instructions,r23,r24 --no-hist", 2430},
		{"instructions", 915},
		{"cycles,instructions", 1400},
		{"cycles,instructions,r23,r24", 2470},
		{"cycles,instructions --no-hist --sample 16", 490},
		{"cycles,instructions --sample 16", 495},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	double alone;

	if (!arch_is("aarch64") || !kernel_is("6.12"))
		skip_test("added_instructions", "no promise is made for this kernel");
	alone = slope(command(f, "drive slope %u", t.id));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double with = slope(bprof(f, "-j -o /tmp/report -b %u -e %s -- drive slope %u",
					  t.id, cases[i].events, t.id));

		printf("# %s: %.0f instructions added per invocation, at most %.0f\n",
		       cases[i].events, with - alone, cases[i].most);
		if (with - alone > cases[i].most || with - alone < 100)
			fail_test("%s: %.2f instructions added", cases[i].events, with - alone);
		assert_status(command(f, "grep -q not_ /tmp/report"), 1);
	}
}

/*
 * In runs that --sample leaves out, the probes of functions read no counters. This saves more than
 * half of the overhead.
 */
static void test_thinned_functions(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	double alone, all, thinned;

	if (arch_is("riscv64"))
		skip_test("thinned_functions", "bprof uses the only counter of instructions");
	alone = slope(command(f, "drive slope %u", t.id));
	all = slope(bprof(f, "-j -o /tmp/report -b '%u:*' -e %s,time -- drive slope %u", t.id,
			  exact_event(), t.id));
	thinned = slope(
		bprof(f, "-j -o /tmp/report -b '%u:*' -e %s,time --sample 100 -- drive slope %u",
		      t.id, exact_event(), t.id));
	printf("# functions: %.0f instructions added per run, %.0f where one in 100 is measured\n",
	       all - alone, thinned - alone);
	assert_true(thinned - alone < (all - alone) / 2);
}

#define EXACT_TEST(...) KTEST_WITH(setup_exact, teardown, __VA_ARGS__)

KTEST_GROUP(exact, "exact counts", NULL, ON(EXACT, CPUS512, RISCV64),
	    EXACT_TEST(test_instructions, ALSO_X86, ALSO_NEWEST),
	    EXACT_TEST(test_percentiles, ALSO_X86), EXACT_TEST(test_resolutions),
	    EXACT_TEST(test_extremes_of_intervals), EXACT_TEST(test_alone_and_together, ALSO_X86),
	    EXACT_TEST(test_added_instructions), EXACT_TEST(test_thinned_functions));
