/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the counts that a probe shares with user space (bpf/probe.h) while the probe is counting.
 */
#ifndef BPROF_PROBE_STAT_H
#define BPROF_PROBE_STAT_H

#include "bpf/probe.h"

/* Returns the number of runs measured since the counts were last reset, in all contexts. */
static inline __u64 probe_stat__measured(const struct bprof_cpu_stat *stat)
{
	__u64 runs = 0;

	for (int i = 0; i < BPROF_CONTEXTS; i++)
		runs += __atomic_load_n(&stat->measured[i], __ATOMIC_RELAXED);
	return runs;
}

#endif
