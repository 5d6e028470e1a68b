// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests thinning (--sample). Every run is counted and one run in N is measured. The costs are as
 * exact as without thinning. The group needs the deterministic VM (one vCPU, -icount).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

/*
 * Checks the number of measured runs. On one CPU, bprof measures the first run, and one run in each
 * further block of n runs.
 */
static void assert_thinned(const struct run *r, __u32 id, json_int_t runs, json_int_t n)
{
	json_t *row = row_of(r, id);
	json_int_t measured = num(row, "measured");

	assert_status(r, 0);
	assert_int_equal(num(r->json, "sample"), n);
	if (num(row, "runs") != runs || measured < (runs > n ? runs / n : 1) ||
	    measured > (runs + n - 1) / n || num(row, "sampled_out") != runs - measured)
		fail_test("%lld runs, one in %lld measured: %s", (long long)runs, (long long)n,
			  r->out);
	assert_int_equal(num(event_of(row, exact_event()), "measured"), measured);
}

static void test_counts(void **state)
{
	static const struct {
		int runs, n;
	} cases[] = {
		{1000, 1}, {1000, 2}, {1000, 7}, {1000, 16}, {5, 16}, {1, 1000000}, {64, 64},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r = bprof(f, "-j --sample %d -b %u -e %s -- drive testrun %u:%d",
				      cases[i].n, t.id, exact_event(), t.id, cases[i].runs);

		assert_thinned(r, t.id, cases[i].runs, cases[i].n);
	}
}

/* Targets are thinned independently: a run of one target does not advance the period of another. */
static void test_two_targets(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_7");
	struct target b = load_target(f, "alu", "xdp_alu_64");
	struct run *r;

	r = bprof(f, "-j --sample 10 -b %u,%u -e %s -- drive testrun %u:15 %u:33 %u:16 %u:1", a.id,
		  b.id, exact_event(), a.id, b.id, a.id, b.id);
	assert_thinned(r, a.id, 31, 10);
	assert_thinned(r, b.id, 34, 10);
}

/* A program with K more instructions costs K more, whether bprof keeps a distribution or not. */
static void test_cost(void **state)
{
	static const int steps[] = {0, 7, 100, 1000};
	static const char *const options[] = {"", "--no-hist"};
	struct fixture *f = *state;
	struct target t[4];
	char name[32];

	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "xdp_alu_%d", steps[i]);
		t[i] = load_target(f, "alu", name);
	}
	for (int o = 0; o < 2; o++) {
		struct run *r = bprof(f,
				      "-j --sample 10 %s -b %u,%u,%u,%u -e %s,time -- drive "
				      "testrun %u:400 %u:400 %u:400 %u:400",
				      options[o], t[0].id, t[1].id, t[2].id, t[3].id, exact_event(),
				      t[0].id, t[1].id, t[2].id, t[3].id);

		for (int i = 0; i < 4; i++) {
			assert_thinned(r, t[i].id, 400, 10);
			if (num(event_of(row_of(r, t[i].id), exact_event()), "per_run.min") !=
			    steps[i])
				fail_test("%d instructions cost: %s", steps[i], r->out);
		}
	}
}

/* A period continues from one repeat to the next, and the runs of all repeats are counted. */
static void test_repeats(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	struct run *r;

	r = bprof(f, "-j --sample 8 -r 3 -b %u -e %s -- drive testrun %u:20", t.id, exact_event(),
		  t.id);
	assert_thinned(r, t.id, 60, 8);
}

/*
 * The reported CPU share includes all runs, however few of them are measured: it is the mean cost
 * of a run times the number of runs, divided by the elapsed time. The report rounds the mean and
 * the share. A share of 0.1 has a rounding error of up to 5e-7, which is 5e-6 of the share.
 */
static void test_cpu_share(void **state)
{
	static const int ns[] = {1, 16, 100};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_10000");

	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		struct run *r = bprof(f, "-j --sample %d -b %u -e %s,time -- drive testrun %u:2000",
				      ns[i], t.id, exact_event(), t.id);
		json_t *row = row_of(r, t.id);
		double mean = real(event_of(row, "time"), "per_run.mean");
		double share = real(row, "cpu_share"), elapsed = num(r->json, "elapsed_ns");
		json_int_t runs = num(row, "runs");

		assert_thinned(r, t.id, 2000, ns[i]);
		if (fabs(share * elapsed - mean * runs) >
			    rounding(share) * elapsed + rounding(mean) * runs ||
		    !json_object_get(row, "cpu_share_estimated") != (ns[i] == 1))
			fail_test("one run in %d: %.0f ns are not %.0f: %s", ns[i], share * elapsed,
				  mean * runs, r->out);
	}
}

/* ---- --sample auto ---- */

static void assert_counted_all(const struct run *r, __u32 id, json_int_t runs)
{
	assert_status(r, 0);
	if (num(row_of(r, id), "runs") != runs)
		fail_test("not %lld runs: %s", (long long)runs, r->out);
	assert_null(json_object_get(r->json, "sample"));
}

static void assert_measured_all(const struct run *r, __u32 id, json_int_t runs)
{
	assert_counted_all(r, id, runs);
	if (num(row_of(r, id), "measured") != runs)
		fail_test("not all of %lld runs are measured: %s", (long long)runs, r->out);
}

/* While the target runs rarely, all runs are measured, from the first one on. */
static void test_auto_few(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	struct run *r;

	r = bprof(f, "-j --sample auto -b %u -e %s -- drive testrun %u:40", t.id, exact_event(),
		  t.id);
	assert_measured_all(r, t.id, 40);
	assert_float_equal(real(r->json, "sample_auto.share"), 0.01, 1e-9);
	assert_int_equal(num(row_of(r, t.id), "period.max"), 1);
	assert_int_equal(num(event_of(row_of(r, t.id), exact_event()), "per_run.min"), 7);
	r = bprof(f,
		  "-j --sample auto:2%% -b %u -e time -- sh -c 'for i in 1 2 3 4; do drive testrun "
		  "%u:20; sleep .15; done'",
		  t.id, t.id);
	assert_measured_all(r, t.id, 80);
	assert_float_equal(real(r->json, "sample_auto.share"), 0.02, 1e-9);
	assert_true(real(r->json, "sample_auto.added_share") < 0.02);
	r = bprof(f, "-j --sample auto -r 3 -b %u -e time -- drive testrun %u:20", t.id, t.id);
	assert_measured_all(r, t.id, 60);
}

/*
 * Returns the ns per run that drive printed. In the VM, the clock advances with each instruction.
 */
static double time_of(struct run *r)
{
	assert_status(r, 0);
	return strtod(r->out, NULL);
}

/*
 * Runs of 10 us follow one another. --sample auto:N limits the time that measuring adds to N %. The
 * time that is really added must be below this limit, and close to the time that bprof reports. If
 * the limit is high enough, all runs are measured.
 */
static void test_auto_many(void **state)
{
	static const struct {
		int percent;
		bool all;
	} cases[] = {{5, false}, {6, false}, {25, true}};
	const int runs = 40000;
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_10000");
	double alone = time_of(command(f, "drive time %u %d", t.id, runs));

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double with = time_of(bprof(f,
					    "-j -o /tmp/report --sample auto:%d%% -b %u -e "
					    "%s,time -- drive time %u %d",
					    cases[i].percent, t.id, exact_event(), t.id, runs));
		struct run *r = command(f, "cat /tmp/report");
		double added = (with - alone) / with, reported;

		assert_counted_all(r, t.id, runs);
		reported = real(r->json, "sample_auto.added_share");
		printf("# %d%%: %.2f%% added, %.2f%% reported, %lld of %d runs measured\n",
		       cases[i].percent, 100 * added, 100 * reported,
		       (long long)num(row_of(r, t.id), "measured"), runs);
		if (added > cases[i].percent / 100.0 || reported < added * .8 ||
		    reported > added * 1.05)
			fail_test("%f added: %s", added, r->out);
		if (cases[i].all)
			assert_measured_all(r, t.id, runs);
		/*
		 * Counting the runs adds at least half of the allowed time. bprof must use the
		 * other half to measure runs.
		 */
		else if (num(row_of(r, t.id), "measured") < runs / 100 ||
			 num(row_of(r, t.id), "period.min") < 3)
			fail_test("few measured: %s", r->out);
	}
}

/*
 * If counting the runs alone adds more time than allowed, bprof says so, and still measures a few
 * runs.
 */
static void test_auto_too_many(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	struct run *r;
	json_t *row;

	r = bprof(f, "-j --sample auto:0.5 -b %u -e time -- drive testrun %u:500000", t.id, t.id);
	assert_counted_all(r, t.id, 500000);
	row = row_of(r, t.id);
	assert_true(num(row, "measured") >= 20 && num(row, "measured") < 5000);
	assert_true(real(r->json, "sample_auto.counting_share") > 0.05);
	r = bprof(f, "--sample auto:0.5 -b %u -e time -- drive testrun %u:500000", t.id, t.id);
	assert_status(r, 0);
	assert_contains(r->out, "of a CPU added (over the limit of 0.5%)");
	assert_contains(r->out,
			"of a CPU was added, more than the limit of 0.5%; counting runs alone");
}

/*
 * More than a minute after a burst, all runs of a target that runs rarely are measured, even in the middle of
 * a long period.
 */
static void test_auto_few_again(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	struct run *r;

	r = bprof(f,
		  "-j -I 3000 --sample auto -b %u -e time -- sh -c 'drive testrun %u:100000; sleep "
		  "75; drive testrun %u:20'",
		  t.id, t.id, t.id);
	assert_counted_all(r, t.id, 100000);
	assert_true(num(row_of(r, t.id), "sampled_out") > 90000);
	/*
	 * r->json is the report of the first interval, in which the target ran often. All runs in
	 * the later intervals were measured.
	 */
	assert_int_equal(sum_of_runs(r->out, t.id), 100020);
	assert_int_equal(sum_of(r->out, t.id, "measured") - num(row_of(r, t.id), "measured"), 20);
}

/* A target that runs rarely is measured on every run, even while a busy target is thinned. */
static void test_auto_rare(void **state)
{
	struct fixture *f = *state;
	struct target hot = load_target(f, "alu", "xdp_alu_10000");
	struct target rare = load_target(f, "alu", "xdp_alu_64");
	struct run *r;

	r = bprof(f,
		  "-j --sample auto:5 -b %u,%u -e %s -- drive testrun %u:20000 %u:5 %u:20000 %u:5",
		  hot.id, rare.id, exact_event(), hot.id, rare.id, hot.id, rare.id);
	assert_measured_all(r, rare.id, 10);
	assert_counted_all(r, hot.id, 40000);
	assert_true(num(row_of(r, hot.id), "sampled_out") > 20000);
	/*
	 * The minimum cost over the measured runs is the exact cost, although the target was
	 * thinned.
	 */
	assert_int_equal(num(event_of(row_of(r, hot.id), exact_event()), "per_run.min"), 10000);
	assert_int_equal(num(event_of(row_of(r, rare.id), exact_event()), "per_run.min"), 64);
}

/* Functions that call one another are measured in the same runs, whatever the period. */
static void test_auto_nested(void **state)
{
	static const struct {
		const char *func;
		int calls;
	} funcs[] = {{"xdp_tree", 1}, {"branch", 3}, {"leaf", 7}, {"add", 2}};
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	json_t *progs, *row;
	json_int_t measured;
	struct run *r;

	r = bprof(f, "-j --sample auto:5 -b %u --func '[xbla]*' -e %s -- drive testrun %u:20000",
		  t.id, exact_event(), t.id);
	assert_status(r, 0);
	progs = json_object_get(r->json, "programs");
	assert_int_equal(json_array_size(progs), 4);
	measured = num(json_array_get(progs, 0), "measured");
	assert_in_range(measured, 10, 10000);
	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		for (int k = 0; k < 4; k++) {
			if (strcmp(str(row, "func"), funcs[k].func))
				continue;
			assert_int_equal(num(row, "runs"), 20000 * funcs[k].calls);
			assert_int_equal(num(row, "measured"), measured * funcs[k].calls);
		}
}

static void test_auto_refused(void **state)
{
	static const struct {
		const char *args, *text;
	} cases[] = {
		{"--sample auto:0", "--sample auto:0: give a whole number"},
		{"--sample auto:200%", "from 0.01% to 100%"},
		{"--sample often", "or auto"},
		{"--sample 0", "a whole number from 1"},
		{"--sample auto --no-calibrate", "give --sample N"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r = bprof(f, "%s --all -- true", cases[i].args);

		assert_status(r, 2);
		assert_contains(r->err, cases[i].text);
	}
}

KTEST_GROUP(thinning, "--sample: one run in N", NULL, ON(EXACT, CPUS512), KTEST(test_counts),
	    KTEST(test_two_targets), KTEST(test_cost), KTEST(test_repeats),
	    KTEST(test_auto_few, LONG), KTEST(test_auto_many, LONG),
	    KTEST(test_auto_too_many, LONG), KTEST(test_auto_few_again, LONG),
	    KTEST(test_auto_rare, LONG), KTEST(test_auto_nested, LONG), KTEST(test_auto_refused),
	    KTEST(test_cpu_share));
