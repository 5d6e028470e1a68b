/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of session_thinning.c and session_turns.c only.
 */
#ifndef BPROF_SESSION_THINNING_PRIV_H
#define BPROF_SESSION_THINNING_PRIV_H

#include "backend/probe_stat.h"
#include "base/thinning.h"
#include "session/session.h"

/* The number of runs of a target on a CPU at the last adjustment. */
struct last_counts {
	__u64 seen, measured;
};

struct session_thinning {
	int cpu_cnt, target_cnt;
	struct thinning_cpu *cpu;
	int *index; /* of each target that has a probe: its index in the session */
	/* The next three arrays are indexed by [index of CPU * target_cnt + target]. */
	struct thinning_target *target;
	struct last_counts *last;
	struct bprof_cpu_stat **stat; /* the counts in memory that the probes share */
	/*
	 * If targets may call one another: one plan per CPU for all targets, indexed by CPU. Then
	 * either all targets in a run of the outermost target are measured, or none. Otherwise
	 * NULL.
	 */
	struct thinning_target *total;
	struct session_turns *turns; /* NULL: all probes stay attached */
	/* time of the last adjustment, and minimum time until the next one */
	__u64 last_ns, wait_ns;
};

/* Returns the runs that a probe has seen, and sets *measured to those that it has measured. */
__u64 session_thinning__seen(const struct bprof_cpu_stat *stat, __u64 *measured);

#endif
