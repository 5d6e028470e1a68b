/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A budget of CPU time for recurring work: in the long run, the work may take a share of a CPU, and
 * for a short time more than that share. Pure.
 */
#ifndef BPROF_CPU_BUDGET_H
#define BPROF_CPU_BUDGET_H

#include <stdbool.h>
#include <linux/types.h>

struct cpu_budget {
	__u32 part;    /* the work may take 1/part of a CPU; 0: no limit */
	__u64 max_ns;  /* maximum of the budget, which it also has at the start */
	__s64 left_ns; /* private: the rest of the budget; negative after too much work */
	__u64 time_ns; /* private: time of the last refill; 0: no refill yet */
};

/*
 * Adds the budget for the time since the last call. Returns true if at least a quarter of max_ns is
 * left: then the work can do several steps in a row.
 */
bool cpu_budget__refill(struct cpu_budget *b, __u64 now_ns);
/* Returns true if more than cpu_ns is left, so that the next step may follow. */
bool cpu_budget__has(const struct cpu_budget *b, __u64 cpu_ns);
/* Subtracts CPU time that was used. */
void cpu_budget__take(struct cpu_budget *b, __u64 cpu_ns);

#endif
