// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests turns against simulated loads: the time that probes add stays below the allowed share.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/util.h"
#include "budget/thinning.h"
#include "budget/turns.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)
#define PERCENT (THINNING_FULL_SHARE / 100)

/* The time that a probe adds to a run, in ns. */
#define ADDED_NS 400

/* A load. Returns the number of runs until the time t, in ns. */
typedef double (*load_fn)(double t, double rate);

static double steady(double t, double rate)
{
	return t * rate;
}

/* A load that runs only in the first "on" ns of each period, at this rate. */
static double pulses(double t, double rate, double period, double on)
{
	double whole = floor(t / period), rest = t - whole * period;

	return rate * (whole * on + fmin(rest, on));
}

static double periodic(double t, double rate)
{
	return pulses(t, rate, 1 * MS, 0.5 * MS);
}

/* Pulses with the same period as the shortest stratum (a part of time that has one slice). */
static double each_100_ms(double t, double rate)
{
	return pulses(t, rate, 100 * MS, 20 * MS);
}

static double bursts(double t, double rate)
{
	return pulses(t, rate, 500 * MS, 100 * MS);
}

struct simulation {
	double added_ns, total_ns;
};

/* Lets one of cnt probes take turns for some time, on a CPU that has idle time. */
static void simulate(struct turns *t, load_fn load, double rate, int cnt, double end,
		     struct simulation *sim)
{
	struct turn_cost cost = {1, 1};
	double now = 0;

	memset(sim, 0, sizeof(*sim));
	while (now < end) {
		struct turn_stratum s;
		double runs, added;

		turns__plan(t, cost.expected, cnt, &s);
		runs = floor(load(now + s.begin_ns + s.slice_ns, rate)) -
		       floor(load(now + s.begin_ns, rate));
		added = fmin(runs * ADDED_NS, s.slice_ns);
		sim->added_ns += added;
		runs = load(now + s.length_ns, rate) - load(now, rate);
		turns__expect(&cost, fmin(1, runs * ADDED_NS / s.length_ns), s.length_ns);
		now += s.length_ns;
	}
	sim->total_ns = now;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
