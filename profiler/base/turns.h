/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns (--max-overhead): a probe that would cost too much even if it measured nothing is attached
 * only for slices of time, and its runs in the rest of the time are estimated. Plans the slices so
 * that all probes together stay below a share of each CPU's time, and makes the estimates. Pure.
 *
 * The time of a probe that takes turns is divided into strata, which follow one another. Each
 * stratum has one slice, at a random place. Its length and that of the slice are chosen before the
 * stratum begins, from earlier runs only. So each moment is in a slice with a known probability,
 * whatever the load does, and the estimates have no bias (the Horvitz-Thompson estimator; see
 * Cochran, Sampling Techniques, chapter 9A). As the place is random, slices cannot fall into step
 * with a periodic load. The lengths of strata are random, too, because slices reach the ends of a
 * stratum less often than its middle. So are those of slices: where bprof has to wait for the load's CPU,
 * both ends of a slice come after a burst of runs more often than before one, and are only then
 * independent of each other.
 */
#ifndef BPROF_TURNS_H
#define BPROF_TURNS_H

#include <stdbool.h>
#include <linux/types.h>

struct turns {
	__u32 share;	 /* the limit: a share of each CPU's time, in millionths */
	__u64 attach_ns; /* CPU time that attaching a probe and detaching it takes */
	__u64 random;	 /* state of the random numbers (random.h) */
};

/* A stratum, with times from its beginning. */
struct turn_stratum {
	__u64 length_ns;
	__u64 slice_ns; /* length of the slice */
	__u64 begin_ns; /* beginning of the slice */
};

/*
 * The share of each CPU, in millionths, for the probes that are attached all the time. cnt: the
 * number of probes that take turns; 0: none. They should be planned for turns__planned_share() of
 * it: the rest becomes a credit for bursts, and with more credit they are looked at less often.
 */
__u32 turns__steady_share(const struct turns *t, int cnt);
__u32 turns__planned_share(__u32 steady_share);

/*
 * Plans the next stratum of one of cnt probes that take turns. cost: the expected share of a CPU
 * that the probe adds while it is attached, in millionths. debt_ns: what its last slices added
 * beyond their budget; the stratum becomes longer to make up for it.
 */
void turns__plan(struct turns *t, __u32 cost, int cnt, __u64 debt_ns, struct turn_stratum *out);
/* Returns a random time, up to a period of a load at 1 kHz. */
__u64 turns__random_pause(struct turns *t);
/* Returns what a probe may add to one CPU in a stratum that took length_ns, in ns. */
__u64 turns__budget(const struct turns *t, int cnt, __u64 length_ns);

/*
 * Updates the expected cost of an attached probe on a CPU, in millionths: it added added_ns in
 * elapsed_ns. The expectation follows a higher cost at once, and falls to "kept" percent of what it
 * was at most.
 */
void turns__expect(__u32 *cost, __u64 added_ns, __u64 elapsed_ns, int kept);

/*
 * The credit of a CPU: what the probes that are attached all the time may still add to it. It grows
 * by their share of the time. A burst of runs uses it up.
 */
__s64 turns__first_credit(__u32 steady_share);
/* Adds what elapsed_ns are worth, up to a limit. The caller has taken what was added in them. */
void turns__refill(__s64 *credit_ns, __u32 steady_share, __u64 elapsed_ns);
/*
 * Returns true if the credit is enough for a probe that took turns to stay attached. With little
 * credit it would be looked at often, which costs more than its turns, and would soon take turns again.
 */
bool turns__has_reserve(__s64 credit_ns, __u32 steady_share);
/* Returns true if the credit is used up. */
bool turns__is_spent(__s64 credit_ns);
/*
 * Returns after which time to look at these probes again. Until then they cannot use up more than
 * the credit, which is the smallest of all CPUs, whatever the load does, unless looking so often
 * would take too much of the share. look_ns: the CPU time that a look takes.
 */
__u64 turns__lease(const struct turns *t, __s64 credit_ns, __u64 look_ns);

/*
 * What is known of the error of an estimate: the variance, which is the sum of those of the strata, the
 * sum of the squares of these, and a standard deviation of what all strata have in common. The estimate
 * for a stratum that has not ended yet is preliminary. Its error does not cancel in the difference of
 * two moments: what is wrong before a moment is made up for after it.
 */
struct turn_error {
	double variance, squares, skew;
	double weight;		   /* sum of the squared lengths of these strata */
	double open, open_squares; /* variance of the stratum that has not ended, and its square */
};

/*
 * Adds the error *d, or subtracts an earlier one of the same estimate (sign is -1). The difference is
 * the error of what was estimated between the two. Its few strata may look more alike than they are:
 * they are taken for as different as all strata were up to then, or more.
 */
void turn_error__add(struct turn_error *e, const struct turn_error *d, int sign);
/*
 * Returns the half width of the interval that contains the true number of runs with a probability of
 * 95 %.
 */
double turn_error__half_width(const struct turn_error *e);

/* What is estimated of the runs outside of slices: of a target on one CPU, or on all of them. */
struct turn_estimate {
	double runs;
	struct turn_error error;
	double rate;   /* runs per ns in the last slice, as the probe saw them */
	double scale;  /* how many times as many there would have been without the probe */
	double length; /* of all strata that had a slice, in ns */
	double all;    /* all runs in these strata */
	__u64 slices;  /* number of slices */
};

/* What was seen in a stratum. */
struct turn_seen {
	__u64 length_ns, slice_ns; /* as they really were */
	__u64 runs;  /* all runs that the probe saw, also before and after the slice */
	double raw;  /* runs per ns in the slice */
	double rate; /* the same without the probe */
	double skew; /* the error of the rate that does not shrink with more slices */
};

/*
 * Adds to seen->raw, seen->rate and seen->skew what the probe saw of a CPU in the slice: "runs", to
 * which it added added_ns. e: the estimate for this CPU so far. idle: the part of the time for which
 * the CPU was idle lately, from 0 to 1. If it was not idle, what the probe added may have slowed down
 * the load, which would have had more runs without the probe: that is corrected. If it had idle time,
 * but perhaps none in the slice, because that had more runs than others, half of it is. The error
 * covers both possibilities.
 */
void turns__see(struct turn_seen *seen, const struct turn_estimate *e, __u64 runs, __u64 added_ns,
		double idle);
/*
 * Adds a stratum to an estimate: one that has ended, or one that goes on. A stratum without a slice
 * is taken for the mean of the others.
 */
void turns__estimate(struct turn_estimate *e, const struct turn_seen *seen);
void turns__estimate_open(struct turn_estimate *e, const struct turn_seen *seen);

#endif
