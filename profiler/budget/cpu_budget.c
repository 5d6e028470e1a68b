// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A budget of CPU time. Must not know what the time is spent on, or read clocks.
 */
#include "budget/cpu_budget.h"

bool cpu_budget__refill(struct cpu_budget *b, __u64 now_ns)
{
	if (!b->part)
		return true;
	if (!b->time_ns)
		b->left_ns = b->max_ns;
	else
		b->left_ns += (now_ns - b->time_ns) / b->part;
	if (b->left_ns > (__s64)b->max_ns)
		b->left_ns = b->max_ns;
	b->time_ns = now_ns;
	return b->left_ns >= (__s64)b->max_ns / 4;
}

bool cpu_budget__has(const struct cpu_budget *b, __u64 cpu_ns)
{
	return !b->part || b->left_ns > (__s64)cpu_ns;
}

void cpu_budget__take(struct cpu_budget *b, __u64 cpu_ns)
{
	b->left_ns -= b->part ? cpu_ns : 0;
}
