// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns (--max-overhead). Owns how the share is divided, and the lengths of slices.
 * Must not know probes, clocks or sessions.
 *
 * Of the share, three sixteenths are for attaching and detaching, five are for the slices, and five
 * for the probes that are attached all the time, which get the part of the slices too while there are
 * none. Two are for looking at the probes. The parts for runs hold at any load: a probe that is
 * attached for a part of the time cannot take more than that part of a CPU.
 */
#include "base/random.h"
#include "base/thinning.h"
#include "base/turns.h"
#include "base/util.h"

#define ATTACH_PART(share) ((share) / 16 * 3)
#define SLICES_PART(share) ((share) / 16 * 5)
#define STEADY_PART(share) ((share) / 16 * 5)

/* Shorter slices would say less than attaching them costs. */
#define MIN_SLICE_NS NSEC_PER_MSEC
/* In a slice that an unexpected burst hits, a probe adds at most its budget of this time. */
#define MAX_DEBT_NS (2000 * NSEC_PER_MSEC)
#define MIN_STRATUM_NS (100 * NSEC_PER_MSEC)

/* The credit is at most what the share is worth in this time, and begins with a twentieth of it. */
#define MAX_CREDIT_NS (10000 * NSEC_PER_MSEC)
#define MIN_LEASE_NS NSEC_PER_MSEC
#define MAX_LEASE_NS (THINNING_ADJUST_MS * NSEC_PER_MSEC)
/* Looking at the probes takes at most this part of the share. */
#define LOOK_PART 8

static __u64 in_share(__u64 ns, __u32 share)
{
	return scale_up(ns, share, THINNING_FULL_SHARE);
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
static __u64 random_up_to(struct turns *t, __u64 max)
{
	return (unsigned __int128)random__next(&t->random) * (max + 1) >> 64;
}

__u64 turns__budget(const struct turns *t, int cnt, __u64 length_ns)
{
	return in_share(length_ns, SLICES_PART(t->share)) / (cnt ?: 1);
}

__u64 turns__random_pause(struct turns *t)
{
	return random_up_to(t, NSEC_PER_MSEC);
}

void turns__plan(struct turns *t, __u32 cost, int cnt, __u64 debt_ns, struct turn_stratum *out)
{
	__u64 length = scale_up(t->attach_ns * cnt, THINNING_FULL_SHARE, ATTACH_PART(t->share));
	__u64 slice, max = turns__budget(t, cnt, MAX_DEBT_NS);

	if (!cost)
		cost = 1;
	if (length < MIN_STRATUM_NS)
		length = MIN_STRATUM_NS;
	length += random_up_to(t, length / 2) - length / 4;
	slice = scale_up(turns__budget(t, cnt, length), THINNING_FULL_SHARE, cost);
	if (slice > max)
		slice = max;
	if (slice < MIN_SLICE_NS) {
		slice = MIN_SLICE_NS;
		if (turns__budget(t, cnt, length) < in_share(slice, cost))
			length = scale_up(in_share(slice, cost) * cnt, THINNING_FULL_SHARE,
					  SLICES_PART(t->share));
	}
	/* Half of it to one and a half times: where its end falls must not depend on its beginning. */
	slice = slice / 2 + random_up_to(t, slice);
	if (slice > length / 2)
		slice = length / 2;
	length += scale_up(debt_ns * cnt, THINNING_FULL_SHARE, SLICES_PART(t->share));
	*out = (struct turn_stratum){.length_ns = length,
				     .slice_ns = slice,
				     .begin_ns = random_up_to(t, length - slice)};
}

void turns__expect(__u32 *cost, __u64 added_ns, __u64 elapsed_ns, int kept)
{
	__u64 now = scale_up(added_ns, THINNING_FULL_SHARE, elapsed_ns ?: 1);
	__u32 fallen = (__u64)*cost * kept / 100;

	if (now > THINNING_FULL_SHARE)
		now = THINNING_FULL_SHARE;
	*cost = now > fallen ? now : fallen;
}

__s64 turns__first_credit(__u32 steady_share)
{
	return in_share(MAX_CREDIT_NS / 20, steady_share);
}

void turns__refill(__s64 *credit_ns, __u32 steady_share, __u64 elapsed_ns)
{
	__s64 max = in_share(MAX_CREDIT_NS, steady_share);

	*credit_ns += in_share(elapsed_ns, steady_share);
	if (*credit_ns > max)
		*credit_ns = max;
}

bool turns__has_reserve(__s64 credit_ns, __u32 steady_share)
{
	return credit_ns >= (__s64)in_share(MAX_CREDIT_NS / 2, steady_share);
}

bool turns__is_spent(__s64 credit_ns)
{
	return credit_ns < (__s64)MIN_LEASE_NS;
}

__u64 turns__lease(const struct turns *t, __s64 credit_ns, __u64 look_ns)
{
	__u64 min = scale_up(look_ns * LOOK_PART, THINNING_FULL_SHARE, t->share);
	__u64 lease = turns__is_spent(credit_ns) ? MIN_LEASE_NS : (__u64)credit_ns;

	if (lease > MAX_LEASE_NS)
		lease = MAX_LEASE_NS;
	return lease > min ? lease : min;
}
