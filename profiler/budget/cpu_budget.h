/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A budget of CPU time for work that recurs: the work may take a share of a CPU in the long run, and
 * more than that for a short time. Pure.
 */
#ifndef BPROF_CPU_BUDGET_H
#define BPROF_CPU_BUDGET_H

#include <stdbool.h>
#include <linux/types.h>

struct cpu_budget {
	__u32 part;    /* the work may take one part-th of a CPU; 0: there is no limit */
	__u64 max_ns;  /* the budget never has more than this; it starts with it */
	__s64 left_ns; /* private: what is left; negative after too much work */
	__u64 time_ns; /* private: time of the last refill; 0: none yet */
};

/*
 * Adds what the time since the last call is worth. Returns true if at least a quarter of max_ns is
 * left: work that begins then can do several steps in a row.
 */
bool cpu_budget__refill(struct cpu_budget *b, __u64 now_ns);
/* Returns true if more than this CPU time is left, so that the next step may follow. */
bool cpu_budget__has(const struct cpu_budget *b, __u64 cpu_ns);
/* Takes CPU time that was used. */
void cpu_budget__take(struct cpu_budget *b, __u64 cpu_ns);

#endif
