// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests turns against simulated loads: what is added stays below the share, and the interval of the
 * estimate contains the true number as often as it says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/thinning.h"
#include "base/turns.h"
#include "base/util.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)
#define PERCENT (THINNING_FULL_SHARE / 100)

/* What a probe adds to a run, in ns. */
#define ADDED_NS 400

/* A load: the runs until a time, in ns. */
typedef double (*load_fn)(double t, double rate);

static double steady(double t, double rate)
{
	return t * rate;
}

/* Runs only in the first "on" of each period. rate is that in these times. */
static double pulses(double t, double rate, double period, double on)
{
	double whole = floor(t / period), rest = t - whole * period;

	return rate * (whole * on + fmin(rest, on));
}

static double periodic(double t, double rate)
{
	return pulses(t, rate, 1 * MS, 0.5 * MS);
}

/* In step with the shortest strata. */
static double each_100_ms(double t, double rate)
{
	return pulses(t, rate, 100 * MS, 20 * MS);
}

static double bursts(double t, double rate)
{
	return pulses(t, rate, 500 * MS, 100 * MS);
}

struct simulation {
	double added_ns, true_runs, total_ns;
	struct turn_estimate e;
	double seen;
};

/* Lets one of cnt probes take turns for some time, on a CPU that has idle time. */
static void simulate(struct turns *t, load_fn load, double rate, int cnt, double end,
		     struct simulation *sim)
{
	__u64 debt = 0;
	__u32 cost = THINNING_FULL_SHARE;
	double now = 0;

	memset(sim, 0, sizeof(*sim));
	/* Turns begin with a slice when there is a load. */
	sim->e.rate = (load(10 * MS, rate) - load(0, rate)) / (10 * MS);
	while (now < end) {
		struct turn_stratum s;
		struct turn_seen seen = {};
		__u64 runs, budget, added;

		turns__plan(t, cost, cnt, debt, &s);
		runs = floor(load(now + s.begin_ns + s.slice_ns, rate)) -
		       floor(load(now + s.begin_ns, rate));
		added = fmin((double)runs * ADDED_NS, s.slice_ns);
		sim->added_ns += added;
		sim->seen += runs;
		turns__expect(&cost, added, s.slice_ns, 0);
		budget = turns__budget(t, cnt, s.length_ns);
		debt = debt + added > budget ? debt + added - budget : 0;
		seen.length_ns = s.length_ns;
		seen.slice_ns = s.slice_ns;
		seen.runs = runs;
		turns__see(&seen, &sim->e, runs, added, 1);
		turns__estimate(&sim->e, &seen);
		now += s.length_ns;
	}
	sim->total_ns = now;
	sim->true_runs = load(now, rate);
}

static struct turns new_turns(__u64 seed)
{
	return (struct turns){
		.share = PERCENT, .attach_ns = MS, .random = seed * 0x9e3779b97f4a7c15ULL | 1};
}

static const struct {
	load_fn load;
	double max_rate; /* runs per ns */
} loads[] = {{steady, 1e-2}, {periodic, 2e-2}, {each_100_ms, 1e-2}, {bursts, 1e-2}};

/* From 1,000 to 10 million runs a second, the slices add no more than their part of the share. */
static void test_bound(void **state)
{
	for (size_t l = 0; l < ARRAY_SIZE(loads); l++)
		for (double rate = 1e-6; rate <= loads[l].max_rate; rate *= 10)
			for (int cnt = 1; cnt <= 100; cnt *= 10) {
				struct turns t = new_turns(cnt);
				struct simulation sim;

				simulate(&t, loads[l].load, rate, cnt, 100 * SECOND, &sim);
				assert_true(sim.added_ns * cnt <=
					    sim.total_ns * 0.3125 / 100 * 1.01);
			}
}

/* The true number is in the interval in 95 of 100 simulations, or nearly. */
static void test_coverage(void **state)
{
	for (size_t l = 0; l < ARRAY_SIZE(loads); l++) {
		int covered = 0;
		double sum = 0, truth = 0;

		for (int seed = 1; seed <= 400; seed++) {
			struct turns t = new_turns(seed);
			struct simulation sim;
			double error;

			simulate(&t, loads[l].load, 1e-3, 1, 60 * SECOND, &sim);
			error = sim.e.runs + sim.seen - sim.true_runs;
			covered += fabs(error) <= turn_error__half_width(&sim.e.error);
			sum += sim.e.runs + sim.seen;
			truth += sim.true_runs;
		}
		print_message("load %zu: covered %d of 400, mean error %.2f %%\n", l, covered,
			      100 * (sum / truth - 1));
		assert_true(covered >= 0.93 * 400);
		assert_true(fabs(sum / truth - 1) < 0.01);
	}
}

/*
 * What the probe adds has slowed down a load only if the CPU had no time for it. If that is not
 * certain, the error covers it.
 */
static void test_slowed(void **state)
{
	/* The slice has 1,000 runs in 1 ms, and 20 % added. Before: a mean rate per ns. */
	static const struct {
		int slices;
		double before, idle;
		double rate; /* of the load without the probe, per ms */
		bool certain;
	} cases[] = {
		{1, 1e-3, 0.8, 1000, true},    /* as many runs as always: there is idle time */
		{1, 2.5e-4, 0.7, 1250, false}, /* a burst: there was none, unless idle is wrong */
		{1, 2.5e-4, 0.8, 1250, false},
		{1, 1. / 3000, 0.75, 1187.5, false}, /* perhaps there was none */
		{1, 1e-3, 0.25, 1187.5, false},	     /* not enough for what is added, perhaps */
		{1, 1e-3, 0, 1250, false}, /* none, but what the probe adds is not quite known */
		{1, 0, 0.8, 1250, false},  /* the first burst */
		{0, 0, 0.8, 1000, true},   /* nothing is known of other times */
		{1, 0, 1, 1000, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct turn_estimate e = {
			.length = 1e9, .all = cases[i].before * 1e9, .slices = cases[i].slices};
		struct turn_seen seen = {.length_ns = 100 * MS, .slice_ns = MS, .runs = 1000};

		turns__see(&seen, &e, 1000, MS / 5, cases[i].idle);
		assert_true(fabs(seen.rate * MS - cases[i].rate) < 1e-6);
		assert_true((seen.skew > 0) == !cases[i].certain);
	}
}

/* The error of an interval is not 0 because no stratum ended in it, nor because its strata look alike. */
static void test_intervals(void **state)
{
	struct turn_estimate e = {.rate = 1e-3, .scale = 1}, before, after;
	struct turn_seen seen = {.length_ns = SECOND, .slice_ns = MS};
	struct turn_error error;

	for (int i = 0; i < 10; i++) {
		seen.raw = seen.rate = i % 2 ? 1.1e-3 : 0.9e-3;
		turns__estimate(&e, &seen);
	}
	before = after = e;
	turns__estimate_open(&before, &(struct turn_seen){.length_ns = SECOND / 4});
	turns__estimate_open(&after, &(struct turn_seen){.length_ns = SECOND / 2});
	assert_true(fabs(after.runs - before.runs - 1e6 / 4) < 1);
	error = after.error;
	turn_error__add(&error, &before.error, -1);
	assert_true(turn_error__half_width(&error) > 0.05e6);

	after = e;
	turns__estimate(&after, &seen); /* the same rate as before */
	error = after.error;
	turn_error__add(&error, &e.error, -1);
	assert_true(turn_error__half_width(&error) > 0.2e6);
	assert_true(turn_error__half_width(&error) < turn_error__half_width(&e.error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_slowed),
		cmocka_unit_test(test_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
