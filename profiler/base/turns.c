// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns (--max-overhead). Owns how the share is divided, the lengths of slices, and the estimates.
 * Must not know probes, clocks or sessions.
 *
 * Of the share, three sixteenths are for attaching and detaching, five are for the slices, and five
 * for the probes that are attached all the time, which get the part of the slices too while there are
 * none. Two are for looking at the probes. The parts for runs hold at any load: a probe that is
 * attached for a part of the time cannot take more than that part of a CPU.
 */
#include <math.h>

#include "base/random.h"
#include "base/stats.h"
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

/* How much the calibrated cost of a probe may differ from its cost in the packet path, for example. */
#define COST_ERROR 0.05
/* From here on, Student's t is nearly normal. */
#define MAX_DF 200
/* The variance of the runs in a slice because its ends lie between two runs. */
#define CUT (1 / 6.)
/* With at least this part of idle time, a CPU has time for what the probe adds. */
#define IDLE_ENOUGH 0.1
/* A probe cannot slow down a load more than this. */
#define MAX_SLOWED 0.95

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

/* ---- estimates ---- */

/*
 * Returns which part of the slice's time the CPU needed if the load was not slowed down: it was as busy
 * as at other times, or more if the slice had more runs than they, and with what the probe added.
 */
static double find_need(const struct turn_estimate *e, double raw, double added, double idle)
{
	double more = e->slices ? fmax(1, raw * e->length / e->all) : 1;

	return idle < 1 ? (1 - idle) * more + added : 0;
}

void turns__see(struct turn_seen *seen, const struct turn_estimate *e, __u64 runs, __u64 added_ns,
		double idle)
{
	double most, slowed, raw, least, rate, corrected, need;

	if (!seen->slice_ns || !runs)
		return;
	most = fmin((double)added_ns / seen->slice_ns, MAX_SLOWED);
	slowed = most * fmax(0, 1 - idle / IDLE_ENOUGH);
	raw = (double)runs / seen->slice_ns;
	corrected = raw / (1 - most);
	rate = least = raw / (1 - slowed);
	need = find_need(e, raw, most, idle);
	if (need > 1 - IDLE_ENOUGH) {
		/* It may have had all of that time, or none; and none if it had needed more. */
		rate += (corrected - least) * fmin(1, 1 - (1 - need) / IDLE_ENOUGH / 2);
		seen->skew += fmax(corrected - rate, rate - least) / 2;
	}
	seen->raw += raw;
	seen->rate += rate;
	/* If slowed is wrong by x %, 1 - slowed is wrong by slowed / (1 - slowed) * x %. */
	seen->skew += rate * slowed / (1 - slowed) * COST_ERROR;
}

static void add_variance(struct turn_estimate *e, double v)
{
	e->error.variance += v;
	e->error.squares += v * v;
}

/*
 * The variance within a stratum cannot be estimated from its one slice. The difference from the
 * slice before has twice this variance, or more if the load has changed meanwhile (Cochran, 5A.12,
 * collapsed strata). The correction for what the probe adds is not part of the difference: it has its
 * own error, and idle times are not known from the beginning.
 */
static void compare(struct turn_estimate *e, const struct turn_seen *seen)
{
	double length = seen->length_ns, part = seen->slice_ns / length;
	double scale = seen->raw > 0 ? seen->rate / seen->raw : 1;
	double diff = (seen->raw - e->rate) * fmax(scale, e->scale) * length;

	if (e->slices || e->rate > 0) {
		add_variance(e, (diff * diff / 2 + CUT / (part * part)) * (1 - part));
		e->error.weight += length * length;
	}
	e->rate = seen->raw;
	e->scale = scale;
}

/*
 * Adds what is estimated for a stratum that ended before its slice. This makes the sum of the others
 * larger by a factor, and has the variance of a stratum itself.
 */
static void extrapolate(struct turn_estimate *e, const struct turn_seen *seen)
{
	double length = seen->length_ns, factor;
	double runs = fmax(0, (e->slices ? e->all / e->length : e->rate) * length - seen->runs);

	e->runs += runs;
	if (!e->error.weight) {
		/* The only slice may have been at no random time: the error may be as large. */
		add_variance(e, runs * runs);
		return;
	}
	factor = 1 + length / e->length;
	e->error.skew *= factor;
	factor = factor * factor + length * length / e->error.weight;
	e->error.variance *= factor;
	e->error.squares *= factor * factor;
}

void turns__estimate(struct turn_estimate *e, const struct turn_seen *seen)
{
	double length = seen->length_ns, runs = fmax(seen->rate * length, seen->runs);

	if (!seen->length_ns)
		return;
	if (!seen->slice_ns) {
		extrapolate(e, seen);
		return;
	}
	e->runs += runs - seen->runs;
	compare(e, seen);
	e->error.skew += seen->skew * length;
	e->slices++;
	e->length += length;
	e->all += runs;
}

void turns__estimate_open(struct turn_estimate *e, const struct turn_seen *seen)
{
	struct turn_error ended = e->error;
	double df = ended.squares > 0 ? ended.variance * ended.variance / ended.squares : 1;

	turns__estimate(e, seen);
	e->error.open = e->error.variance - ended.variance;
	e->error.open_squares = e->error.open * e->error.open / (seen->slice_ns ? 1 : df);
	e->error.variance = ended.variance;
	e->error.squares = ended.squares;
}

/* Returns the variance of strata with a weight if they differ as much as all strata of *e do. */
static double usual_variance(const struct turn_error *e, double weight)
{
	return e->weight > 0 ? e->variance / e->weight * weight : 0;
}

void turn_error__add(struct turn_error *e, const struct turn_error *d, int sign)
{
	struct turn_error sum = {
		.variance = e->variance + sign * d->variance,
		.squares = e->squares + sign * d->squares,
		.skew = e->skew + sign * d->skew,
		.weight = e->weight + sign * d->weight,
		.open = e->open + d->open,
		.open_squares = e->open_squares + d->open_squares,
	};
	double usual = sign < 0 ? usual_variance(e, sum.weight) : 0;

	if (usual > sum.variance) {
		sum.variance = usual;
		sum.squares = e->squares * (usual / e->variance) * (usual / e->variance);
	}
	*e = sum;
}

double turn_error__half_width(const struct turn_error *e)
{
	double variance = fmax(0, e->variance + e->open), squares = e->squares + e->open_squares;
	/* Few of the strata may have nearly all of the variance (Satterthwaite, 1946). */
	double df = squares > 0 ? variance * variance / squares : 1;

	return stats__student_quantile(fmin(fmax(df, 1), MAX_DF)) * sqrt(variance) +
	       2 * fmax(0, e->skew);
}
