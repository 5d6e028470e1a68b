/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thinning (--sample): measuring one run in N. "auto" chooses the periods so that what the probes
 * add to a CPU stays under a share of it. Pure, integers only.
 */
#ifndef BPROF_THINNING_H
#define BPROF_THINNING_H

#include <linux/types.h>

/* Shares of a CPU are in millionths; the default is 1 %. */
#define THINNING_FULL_SHARE 1000000
#define THINNING_DEFAULT_SHARE (THINNING_FULL_SHARE / 100)

/* How often the periods are adjusted, and when for the first time. */
#define THINNING_ADJUST_MS 100
#define THINNING_FIRST_ADJUST_MS 10

/*
 * Parses the argument of --sample: a period (*share is 0), or "auto" or "auto:SHARE" with a share
 * of a CPU in percent, with or without "%" (*period is 1). Returns 0 or -EINVAL.
 */
int thinning__parse(const char *arg, __u64 *period, __u32 *share);

/* Time that the probe adds to a run, on CPUs of one kind: 0 < skipped_ns < measured_ns. */
struct probe_cost {
	__u64 measured_ns; /* to a run that is measured */
	__u64 skipped_ns;  /* to a run that is only counted */
};

/* One target on one CPU. */
struct thinning_target {
	__u64 seen, measured; /* in: runs since the last plan, and how many of them were measured */
	__u64 rate;	      /* private: expected runs per second */
	__u64 left_ns;	      /* private: part of a measured run that was not granted yet */
	__u64 period;	      /* out: measure one run in period */
	__u64 quota;	      /* out: the most runs to measure until the next plan */
};

/* One CPU. */
struct thinning_cpu {
	__u32 share;
	struct probe_cost cost;
	__u64 debt_ns; /* private: added beyond the share, to be saved later */
};

/*
 * Plans the next next_ns of a CPU from what ran there in the last elapsed_ns (0: nothing is known
 * yet). The targets get equal parts of the budget, and what one does not need goes to the others: a
 * rarely run target is still measured on every run while a busy one is thinned.
 */
void thinning__plan(struct thinning_cpu *cpu, struct thinning_target *t, int cnt, __u64 elapsed_ns,
		    __u64 next_ns);
/* Returns the period for runs beyond a quota: at any rate they add little to the share. */
__u64 thinning__over_period(const struct thinning_cpu *cpu);
/* Returns the time in ns to the next adjustment, if one takes adjust_ns of a CPU itself. */
__u64 thinning__min_interval(__u32 share, __u64 adjust_ns);

#endif
