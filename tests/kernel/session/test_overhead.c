// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --max-overhead: the overhead of bprof stays below the limit at every rate, and each run is
 * counted. The test measures the overhead from outside: the CPU time of the load and of bprof's
 * process. The group needs the deterministic VM (one vCPU, -icount).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

#define REPORT "/tmp/report"

/* The result of a load (drive pace), and bprof's CPU time during the load. */
struct load {
	double runs, elapsed_ns, cpu_ns, bprof_ns;
};

/*
 * A load: the program runs cnt times every period_us or, if this is 0, without a pause. Most
 * programs for packets have a rate like the first loads. The last loads run as fast as the VM can.
 */
struct load_case {
	const char *name;
	int cnt, period_us;
	const char *options; /* options in addition to --max-overhead 1% */
	/* Without --strict, the run statistics alone add more than the limit. */
	bool beyond;
};

static const struct load_case one_a_ms = {"1,000/s", 1, 1000};
static const struct load_case five_a_ms = {"5,000/s, 1 kHz", 5, 1000};
static const struct load_case hundred_a_ms = {"100,000/s, 1 kHz", 100, 1000, "", true};
static const struct load_case short_bursts = {"500,000/s, 10 kHz", 50, 100, "", true};
static const struct load_case by_retval = {"5,000/s, by retval", 5, 1000, "--by retval"};
static const struct load_case bursts = {"500,000/s, 1 kHz", 500, 1000, "", true};
static const struct load_case strict = {"500,000/s, 1 kHz, strict", 500, 1000, "--strict"};
static const struct load_case long_bursts = {"1,000,000/s, bursts of 100 ms", 500000, 500000,
					     "--strict"};
static const struct load_case no_pause = {"without a pause", 100000, 0, "--strict"};

static struct load read_load(struct run *r)
{
	struct load l = {};

	assert_status(r, 0);
	if (sscanf(r->out, "%lf %lf %lf %lf", &l.runs, &l.elapsed_ns, &l.cpu_ns, &l.bprof_ns) < 3)
		fail_test("not the output of drive pace: %s", r->out);
	return l;
}

/* Runs the load alone, and returns the CPU time of one run. */
static double alone_ns(struct fixture *f, __u32 id, const struct load_case *c)
{
	struct load l = read_load(command(f, "drive pace %u %d %d 1000", id, c->cnt, c->period_us));

	return l.cpu_ns / l.runs;
}

/* Runs the load while bprof measures it, and sets *report to bprof's report. */
static struct load load_with_bprof(struct fixture *f, __u32 id, const struct load_case *c,
				   const char *options, int ms, struct run **report)
{
	struct load l =
		read_load(bprof(f,
				"-j -o " REPORT " --max-overhead 1%% %s -b %u -e %s,time -- sh -c "
				"'read a rest </proc/$PPID/schedstat; p=$(drive pace %u %d %d %d); "
				"read b rest </proc/$PPID/schedstat; echo $p $((b - a))'",
				options, id, exact_event(), id, c->cnt, c->period_us, ms));

	*report = command(f, "cat " REPORT);
	return l;
}

/* Returns the sum of the runs of all rows, in a report on one program. */
static json_int_t all_runs(const struct run *r)
{
	json_int_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(r->json, "programs"), i, row) sum += num(row, "runs");
	return sum;
}

/*
 * The probes, the run statistics and bprof itself take less of the CPU than the limit, and each run
 * is counted. If run statistics alone exceed the limit, bprof says so, or leaves them off
 * (--strict).
 */
static void test_bound(void **state)
{
	struct fixture *f = *state;
	const struct load_case *c = f->param;
	struct target t = load_target(f, "skb", "tc_mark");
	double alone = alone_ns(f, t.id, c), added, reported, stats;
	struct run *r;
	struct load l = load_with_bprof(f, t.id, c, c->options ?: "", 10000, &r);
	json_int_t runs = all_runs(r);
	bool blind = strstr(r->out, "\"runs_at_least\": true");

	added = (l.cpu_ns - alone * l.runs + l.bprof_ns) / l.elapsed_ns;
	reported = real(r->json, "sample_auto.added_share");
	stats = real(r->json, "sample_auto.run_stats_share");
	printf("# %s: %.2f%% added, %.2f%% reported, %.2f%% by run statistics\n", c->name,
	       100 * added, 100 * reported, 100 * stats);
	/*
	 * bprof's work other than measuring takes 0.1 % of the CPU, and is not in the report. The
	 * time of the load alone differs by the same amount between measurements.
	 */
	if (reported < added * .8 - .0015 || reported > added * 1.05 + .0015)
		fail_test("%f added: %s", added, r->out);
	if (c->beyond ? stats < .01 || added > stats + .005 : added > .01)
		fail_test("%f added: %s", added, r->out);
	if (blind ? runs >= l.runs || stats > 0 : runs != l.runs)
		fail_test("not %.0f runs: %s", l.runs, r->out);
}

/*
 * The cost of a run is right although the probe is attached only some of the time. With a limit of 20 %, it is
 * attached long enough for a median.
 */
static void test_cost(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;
	json_t *ev;

	load_with_bprof(f, t.id, &no_pause, "--max-overhead 20%", 10000, &r);
	ev = event_of(row_of(r, t.id), exact_event());
	if (num(row_of(r, t.id), "unprobed") < 100000 || num(ev, "per_run.p50") != 100 ||
	    num(ev, "per_run.min") != 100)
		fail_test("not 100: %s", r->out);
}

/*
 * If the events are multiplexed, each is counted in only a part of the runs in slices. Its mean is that of these
 * runs: no run costs less than 100.
 */
static void test_multiplexed(void **state)
{
	static const char options[] =
		"--max-overhead 40% -e r8,r11:k,r8:k,r8:H,r0,r23,instructions:k";
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;
	json_t *ev;

	if (!arch_is("aarch64"))
		skip_test("multiplex", "the emulated CPU has no PMU");
	load_with_bprof(f, t.id, &no_pause, options, 8000, &r);
	ev = event_of(row_of(r, t.id), exact_event());
	if (num(row_of(r, t.id), "unprobed") < 100000 ||
	    num(ev, "measured") >= num(row_of(r, t.id), "measured") ||
	    real(ev, "per_run.mean") < 100 || real(ev, "per_run.mean") > 105)
		fail_test("not 100: %s", r->out);
}

/* Each run of a rarely run program is counted while the probe of another program takes turns. */
static void test_rare(void **state)
{
	struct fixture *f = *state;
	struct target hot = load_target(f, "skb", "tc_mark");
	struct target rare = load_target(f, "alu", "xdp_alu_64");
	struct run *r;

	r = bprof(f,
		  "-j --max-overhead 1%% -b %u,%u -e %s -- sh -c 'drive pace %u 100000 0 4000 "
		  ">/dev/null & for i in 1 2 3 4 5 6 7 8 9; do drive testrun %u:3; sleep .3; done; "
		  "wait'",
		  hot.id, rare.id, exact_event(), hot.id, rare.id);
	assert_status(r, 0);
	assert_true(num(row_of(r, hot.id), "unprobed") > 100000);
	assert_int_equal(num(row_of(r, rare.id), "runs"), 27);
	assert_null(json_object_get(row_of(r, rare.id), "unprobed"));
	assert_int_equal(num(event_of(row_of(r, rare.id), exact_event()), "per_run.min"), 64);
}

/* After the load has become low again, each run is counted and measured again. */
static void test_calm_again(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "skb", "tc_mark");
	struct run *r;

	r = bprof(f,
		  "-j --max-overhead 1%% -b %u -e time -I 94000 -- sh -c 'drive pace %u 100000 0 "
		  "5000 >/dev/null; sleep 90; drive testrun %u:100; sleep 1'",
		  t.id, t.id, t.id);
	assert_status(r, 0);
	/* r->json is the report of the first interval, in which the target ran often. */
	assert_true(num(row_of(r, t.id), "unprobed") > 100000);
	assert_int_equal(sum_of_runs(r->out, t.id) - num(row_of(r, t.id), "runs"), 100);
	assert_int_equal(sum_of(r->out, t.id, "measured") - num(row_of(r, t.id), "measured"), 100);
}

/* Run statistics also slow down programs that are not measured. bprof shows this. */
static void test_others(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_64"),
		      other = load_target(f, "skb", "tc_mark");
	const struct load_case *c = &hundred_a_ms;
	double alone = alone_ns(f, other.id, c), added, stats;
	struct load l;
	struct run *r;

	r = bprof(f,
		  "-j -o " REPORT
		  " --max-overhead 1%% -b %u -e time -- sh -c 'sleep 1.5; drive pace "
		  "%u %d %d 10000'",
		  t.id, other.id, c->cnt, c->period_us);
	l = read_load(r);
	r = command(f, "cat " REPORT);
	added = (l.cpu_ns - alone * l.runs) / l.elapsed_ns;
	stats = real(r->json, "sample_auto.run_stats_share");
	printf("# a program that is not measured, %s: %.2f%% added, %.2f%% reported\n", c->name,
	       100 * added, 100 * stats);
	assert_true(added > 0.003);
	if (fabs(stats - added) > .0015)
		fail_test("%f added: %s", added, r->out);
}

static void test_refused(void **state)
{
	static const struct {
		const char *args, *text;
	} refused[] = {
		{"--max-overhead 0", "give a share of a CPU from 0.01% to 100%"},
		{"--max-overhead 101%", "give a share of a CPU from 0.01% to 100%"},
		{"--max-overhead some", "give a share of a CPU"},
		{"--max-overhead 1% --sample 4", "choose one"},
		{"--max-overhead 1% --no-calibrate", "only calibration finds out"},
		{"--max-overhead 1% --method run_stats", "need probes"},
		{"--strict", "it needs --max-overhead"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct run *r = bprof(f, "%s --all -- true", refused[i].args);

		assert_status(r, 2);
		assert_contains(r->err, refused[i].text);
	}
}

/* bprof refuses --max-overhead for functions that call one another: it cannot attach their probes in turns. */
static void test_refused_funcs(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	struct run *r = bprof(f, "--max-overhead 1%% --func '*' -b %u -- true", t.id);

	assert_status(r, 4);
	assert_contains(r->err, "--sample auto limits only what measuring adds");
}

KTEST_GROUP(overhead, "--max-overhead: probes that take turns", NULL, ON(EXACT, ONCE),
	    KTEST_PARAM("five_a_ms", test_bound, &five_a_ms, LONG),
	    KTEST_PARAM("bursts", test_bound, &bursts, LONG),
	    KTEST_PARAM("strict", test_bound, &strict),
	    KTEST_PARAM("by_retval", test_bound, &by_retval), KTEST(test_cost, LONG),
	    KTEST(test_multiplexed, LONG), KTEST(test_rare, LONG), KTEST(test_others, LONG),
	    KTEST(test_calm_again, LONG), KTEST(test_refused), KTEST(test_refused_funcs),
	    KTEST_PARAM("one_a_ms", test_bound, &one_a_ms, LONG),
	    KTEST_PARAM("hundred_a_ms", test_bound, &hundred_a_ms, LONG),
	    KTEST_PARAM("short_bursts", test_bound, &short_bursts, LONG),
	    KTEST_PARAM("long_bursts", test_bound, &long_bursts, LONG),
	    KTEST_PARAM("no_pause", test_bound, &no_pause, LONG));
