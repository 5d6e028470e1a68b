// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns (--max-overhead). Owns the division of the share, and the lengths of slices.
 * Must not know probes, clocks or sessions.
 *
 * The share of CPU time that the user allows is divided. Three sixteenths are for attaching and
 * detaching. Five are for the slices. Five are for the probes that are attached all the time; if
 * there are no slices, these probes also get the five sixteenths for slices. Two are for checking
 * the probes.
 */
#include <math.h>

#include "base/random.h"
#include "base/util.h"
#include "budget/thinning.h"
#include "budget/turns.h"

#define ATTACH_PART(share) ((share) / 16 * 3)
#define SLICES_PART(share) ((share) / 16 * 5)
#define STEADY_PART(share) ((share) / 16 * 5)

/* Shorter slices would not be worth the cost of attaching. */
#define MIN_SLICE_NS 1e6
/*
 * A slice is so short that its probe takes at most its budget for this time, even if the probe
 * takes the entire CPU in an unexpected burst of runs.
 */
#define MAX_SLICE_BUDGET_NS 2e9
#define MIN_STRATUM_NS 100e6

/*
 * The expected cost of a probe (struct turn_cost) rises within about RISE_NS. It falls so slowly,
 * within about FALL_NS, that bursts and the pauses between them are equally likely to be in a
 * slice.
 */
#define RISE_NS 200e6
#define FALL_NS 10e9
/* The probes that are attached all the time may take their share of this time in one burst. */
#define SPAN_NS 5e9

#define MIN_LEASE_NS 1e6
#define MAX_LEASE_NS (THINNING_ADJUST_MS * 1e6)
/* Checking the probes takes at most 1/LOOK_PART of the share. */
#define LOOK_PART 8

static double part_of_cpu(__u32 share)
{
	return (double)share / THINNING_FULL_SHARE;
}

__u32 turns__steady_share(const struct turns *t, int cnt)
{
	return STEADY_PART(t->share) + (cnt ? 0 : SLICES_PART(t->share));
}

__u32 turns__planned_share(__u32 steady_share)
{
	return steady_share / 4 * 3;
}

/* Returns a random number from 0 to max. */
static double random_up_to(struct turns *t, double max)
{
	return max * (double)(random__next(&t->random) >> 11) * 0x1p-53;
}

__u64 turns__random_pause(struct turns *t)
{
	return random_up_to(t, NSEC_PER_MSEC);
}

void turns__plan(struct turns *t, double cost, int cnt, struct turn_stratum *out)
{
	double budget = part_of_cpu(SLICES_PART(t->share)) / cnt;
	double length =
		fmax(t->attach_ns * cnt / part_of_cpu(ATTACH_PART(t->share)), MIN_STRATUM_NS);
	double slice = fmin(length / 2, fmin(budget * length / fmax(cost, budget),
					     budget * MAX_SLICE_BUDGET_NS));

	if (slice < MIN_SLICE_NS) {
		slice = MIN_SLICE_NS;
		length = fmax(length, slice * cost / budget);
	}
	/* The two lengths are independent: a slice of a long stratum is not longer. */
	length += random_up_to(t, length / 2) - length / 4;
	/*
	 * From a half to one and a half times the length: the end of the slice must not depend on
	 * its beginning.
	 */
	slice = fmin(slice / 2 + random_up_to(t, slice), length / 2);
	*out = (struct turn_stratum){.length_ns = length,
				     .slice_ns = slice,
				     .begin_ns = random_up_to(t, length - slice)};
}

static double approach(double mean, double value, __u64 elapsed_ns, double span_ns)
{
	return value + (mean - value) * exp(-(elapsed_ns / span_ns));
}

void turns__expect(struct turn_cost *c, double cost, __u64 elapsed_ns)
{
	c->now = approach(c->now, cost, elapsed_ns, RISE_NS);
	c->expected = fmax(c->now, approach(c->expected, 0, elapsed_ns, FALL_NS));
}

void turns__use(double *used, double cost, __u64 elapsed_ns)
{
	*used = approach(*used, cost, elapsed_ns, SPAN_NS);
}

__u64 turns__lease(const struct turns *t, double left, __u64 look_ns)
{
	double min = look_ns * LOOK_PART / part_of_cpu(t->share);

	return fmax(min, fmin(fmax(left * SPAN_NS, MIN_LEASE_NS), MAX_LEASE_NS));
}
