/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns (--max-overhead): a probe that would cost too much even if it measured nothing is attached
 * only for slices of time. The kernel counts all runs meanwhile. Plans the slices so that all probes
 * together stay below a share of each CPU's time. Pure.
 *
 * The time of a probe that takes turns is divided into strata, which follow one another. Each
 * stratum has one slice, at a random place. Its length and that of the slice are chosen before the
 * stratum begins, from earlier runs only. So each run is in a slice with a known probability, whatever
 * the load does, and the runs in slices are a fair sample of all. As the place is random, slices
 * cannot fall into step with a periodic load. The lengths of strata are random, too, because slices
 * reach the ends of a stratum less often than its middle. So are those of slices: where bprof has to
 * wait for the load's CPU, both ends of a slice come after a burst of runs more often than before one,
 * and are only then independent of each other.
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

#endif
