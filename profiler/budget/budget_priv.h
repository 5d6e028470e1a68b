/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of budget.c. Only budget.c and unit tests use it. */
#ifndef BPROF_BUDGET_PRIV_H
#define BPROF_BUDGET_PRIV_H

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "budget/thinning.h"

/* The number of runs of a target on a CPU at the last adjustment. */
struct last_counts {
	__u64 seen, measured;
	bool running; /* there were runs in the last interval */
	bool ended;   /* there were runs in the interval before, but not in the last one */
};

struct budget {
	struct thinning_plans plans;
	struct last_counts *last;     /* last and stat are indexed like plans.target */
	struct bprof_cpu_stat **stat; /* the counts in memory that the probes share */
	/*
	 * If targets may call one another: one plan per CPU for all targets, indexed by CPU. Then a
	 * run of the outermost target is measured with all targets in it, or not at all. Otherwise
	 * NULL.
	 */
	struct thinning_target *total;
	struct probe_turns *turns; /* NULL: all probes stay attached */
	/* time of the last adjustment, and minimum time until the next adjustment */
	__u64 last_ns, wait_ns;
	__u64 random; /* the state of random__next() */
};

#endif
