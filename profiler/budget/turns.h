/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns (--max-overhead): a probe that would cost too much even if it measured nothing is attached only
 * for slices of time. The kernel counts all runs, also outside of slices. Plans the slices so that all
 * probes together stay below a share of each CPU's time. Pure.
 *
 * The time of a probe that takes turns is divided into strata, which follow one another. Each
 * stratum has one slice, at a random place. The lengths of slices follow the load so slowly that
 * bursts and the pauses between them are equally likely to be in slices. So the runs in slices are
 * a fair sample of all runs. Because the place is random, slices cannot fall into step with a
 * periodic load. The lengths of strata are random, too, because slices reach the ends of a stratum
 * less often than its middle. The lengths of slices are also random. If a burst of runs keeps bprof
 * waiting for a CPU, an end of a slice that was due during the burst comes after it. So both ends
 * of a slice come after a burst more often than before a burst; with random lengths, the two ends
 * do not depend on each other.
 */
#ifndef BPROF_TURNS_H
#define BPROF_TURNS_H

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
 * number of probes that take turns; 0: none. Plan these probes for turns__planned_share() of the
 * result: the remainder is for bursts. With a larger remainder, bprof has to check the probes less
 * often.
 */
__u32 turns__steady_share(const struct turns *t, int cnt);
__u32 turns__planned_share(__u32 steady_share);

/*
 * Plans the next stratum of one of cnt probes that take turns. cost: the expected part of a CPU that
 * the probe takes while it is attached (0 to 1).
 */
void turns__plan(struct turns *t, double cost, int cnt, struct turn_stratum *out);
/* Returns a random time in ns, at most one period of a load at 1 kHz. */
__u64 turns__random_pause(struct turns *t);

/*
 * The part of a CPU that a probe takes while it is attached: recently (now), and the maximum over
 * some time (expected).
 */
struct turn_cost {
	double now, expected;
};
/* Notes the cost in the last elapsed_ns. */
void turns__expect(struct turn_cost *c, double cost, __u64 elapsed_ns);

/*
 * Updates *used, the part of a CPU that the probes without turns have used during some seconds. In the
 * last elapsed_ns they used the part "cost".
 */
void turns__use(double *used, double cost, __u64 elapsed_ns);
/*
 * Returns the time until bprof has to check the probes without turns again. left: the part of a CPU
 * that they have not used, on the CPU with the smallest such part. Until the check, they cannot use
 * more than this part, whatever the load does. The time is longer if so frequent checks would take too
 * much of the share. look_ns: the CPU time of a check.
 */
__u64 turns__lease(const struct turns *t, double left, __u64 look_ns);

#endif
