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

/*
 * Returns the number of runs that were lost while the gate was open because they got no frame, and
 * that are over. Of the others the exit probe has seen no end: they are in progress, or the kernel
 * skipped the exit probe, and then they are in the kernel's count of skipped programs already. "stat"
 * may be a copy.
 */
static inline __u64 probe_stat__lost_overflow(const struct bprof_cpu_stat *stat)
{
	__u64 lost = __atomic_load_n(&stat->lost_overflow, __ATOMIC_RELAXED);
	__u64 ended = __atomic_load_n(&stat->overflow_exits, __ATOMIC_RELAXED);
	__u64 all = __atomic_load_n(&stat->overflows, __ATOMIC_RELAXED);
	__s64 runs = lost + ended - all;

	return runs > 0 ? runs : 0; /* negative: runs that began before the gate opened */
}

/* Returns the runs that a probe has seen, and sets *measured to those that it has measured. */
static inline __u64 probe_stat__seen(const struct bprof_cpu_stat *stat, __u64 *measured)
{
	*measured = probe_stat__measured(stat);
	return *measured + __atomic_load_n(&stat->thinned_out, __ATOMIC_RELAXED) +
	       __atomic_load_n(&stat->lost_overflow, __ATOMIC_RELAXED);
}

#endif
