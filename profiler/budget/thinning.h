/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thinning (--sample): measuring one run in N. "auto" chooses the periods N so that the overhead of
 * the probes stays below a share of each CPU's time. Pure, integers only.
 */
#ifndef BPROF_THINNING_H
#define BPROF_THINNING_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/counter.h"
#include "report/report.h"

/* Shares of a CPU's time are in millionths; the default is 1 %. */
#define THINNING_FULL_SHARE 1000000
#define THINNING_DEFAULT_SHARE (THINNING_FULL_SHARE / 100)

/*
 * The periods are adjusted for the first time after THINNING_FIRST_ADJUST_MS, then at most once
 * every THINNING_ADJUST_MS (report/report.h).
 */
#define THINNING_FIRST_ADJUST_MS 10

/*
 * Parses the argument of --sample. If it is a period, sets *share to 0. If it is "auto" or
 * "auto:SHARE" (a share of a CPU in percent, with or without "%"), sets *period to 1. Returns 0 or
 * -EINVAL.
 */
int thinning__parse(const char *arg, __u64 *period, __u32 *share);

/*
 * Parses a share of a CPU, and sets *share to millionths. The share is a percentage from 0.01 to
 * 100, with at most four digits after the point, with or without "%". Returns 0 or -EINVAL.
 */
int thinning__parse_share(const char *arg, __u32 *share);

/* The state of one target on one CPU. */
struct thinning_target {
	__u64 seen, measured; /* in: all runs since the last plan; the measured runs */
	__u64 rate;	      /* private: expected runs per second */
	__u64 burst;	      /* private: expected runs in the next interval, if there are any */
	__u64 idle_ns;	      /* private: time since the last run */
	__u64 left_ns; /* private: rest of the last quota's time, too short to measure a run */
	__u64 period;  /* out: measure one run in "period" */
	__u64 quota;   /* out: maximum number of runs to measure until the next plan */
};

/* The state of one CPU. */
struct thinning_cpu {
	__u32 share;
	struct probe_cost cost;
	__u64 debt_ns; /* private: overhead beyond the share, which later intervals compensate */
	bool idle;     /* for the caller: no target ran on this CPU since the last plan */
};

/* The plans of all targets that have probes. */
struct thinning_plans {
	int cpu_cnt, target_cnt;
	struct thinning_cpu *cpu;
	int *index;			/* for each target: its index in the session */
	struct thinning_target *target; /* indexed by [index of CPU * target_cnt + target] */
};

/*
 * Plans the next next_ns of a CPU from the runs in the last elapsed_ns (0: nothing is known yet).
 * The targets get equal parts of the budget. A part that a target does not need goes to the other
 * targets. So a rarely run target is still measured on every run while a busy target is thinned.
 */
void thinning__plan(struct thinning_cpu *cpu, struct thinning_target *t, int cnt, __u64 elapsed_ns,
		    __u64 next_ns);
/*
 * Returns the period for runs beyond a quota. The period is so long that these runs add little
 * overhead, whatever their number.
 */
__u64 thinning__over_period(const struct thinning_cpu *cpu);
/*
 * Returns the minimum time in ns between two adjustments if an adjustment itself takes adjust_ns of
 * CPU time.
 */
__u64 thinning__min_interval(__u32 share, __u64 adjust_ns);

#endif
