/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --sample: which runs are measured. "auto" chooses the periods so that what the probes add to a
 * CPU stays under a share of it. Pure, whole numbers only.
 */
#ifndef BPROF_THINNING_H
#define BPROF_THINNING_H

#include <linux/types.h>

/* Shares of a CPU are in millionths; 1 % is the default. */
#define THINNING_FULL_SHARE 1000000
#define THINNING_DEFAULT_SHARE (THINNING_FULL_SHARE / 100)

/* How often the periods are looked at, and when for the first time. */
#define THINNING_ADJUST_MS 100
#define THINNING_FIRST_ADJUST_MS 10

/*
 * The argument of --sample: a period (then *share is 0), "auto" or "auto:SHARE" with a share of a
 * CPU in percent, with or without its sign (then *period is 1). 0 or -EINVAL.
 */
int thinning__parse(const char *arg, __u64 *period, __u32 *share);

/* What the probe adds to a run, on CPUs of one kind. Neither is 0, measured is the greater. */
struct probe_cost {
	__u64 measured_ns; /* to one that is measured */
	__u64 skipped_ns;  /* to one that is only counted */
};

/* One target on one CPU. */
struct thinning_target {
	__u64 seen,
		measured; /* in: runs since the last plan, and those of them that were measured */
	__u64 rate;	  /* the sampler's: runs that are expected in a second */
	__u64 left_ns;	  /* the sampler's: part of a measured run that it could not give yet */
	__u64 period;	  /* out: one run in so many is to be measured */
	__u64 quota;	  /* out: but no more than so many until the next plan */
};

/* One CPU. */
struct thinning_cpu {
	__u32 share;
	struct probe_cost cost;
	__u64 debt_ns; /* the sampler's: added beyond the share, to be saved later */
};

/*
 * Chooses what is measured on a CPU in the next next_ns, from what ran there in the last elapsed_ns
 * (0: nothing is known yet). What may be added goes to the targets in equal parts, and what one
 * does not need to the others: a rare one is measured wholly beside a frequent one.
 */
void thinning__plan(struct thinning_cpu *cpu, struct thinning_target *t, int cnt, __u64 elapsed_ns,
		    __u64 next_ns);
/* The period for runs beyond a quota: at whatever rate they come, they add little to the share. */
__u64 thinning__over_period(const struct thinning_cpu *cpu);
/* In ns: how long to wait for the next look where one takes look_ns of a CPU itself. */
__u64 thinning__min_interval(__u32 share, __u64 look_ns);

#endif
