/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the counts that a probe shares with user space (bpf/probe.h) while the probe is counting. Knows
 * both layouts of the counts. This file has a function for each member whose offset differs between the
 * layouts. It also sets which run the probe measures next.
 */
#ifndef BPROF_PROBE_STAT_H
#define BPROF_PROBE_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "bpf/probe.h"

static inline bool probe_stat__is_small(const struct bprof_cpu_stat *stat)
{
	return stat->clock_slot == BPROF_SMALL_EVENTS;
}

/* Returns the size in bytes of the members that precede struct bprof_cpu_stat in an element. */
static inline size_t probe_stat__front_sz(bool small)
{
	return small ? BPROF_SMALL_FRONT_SZ : BPROF_FRONT_SZ;
}

/* Returns the size of an element without distributions, in bytes. */
static inline size_t probe_stat__sz(bool small)
{
	return probe_stat__front_sz(small) + offsetof(struct bprof_cpu_stat, event) +
	       ((small ? BPROF_SMALL_EVENTS : BPROF_MAX_EVENTS) + 1) *
		       sizeof(struct bprof_event_sum);
}

/* Returns the sums of a slot, or NULL if the layout has no such slot. */
static inline struct bprof_event_sum *probe_stat__event(const struct bprof_cpu_stat *stat,
							__u32 slot)
{
	__u32 at = slot == BPROF_CLOCK_SLOT ? stat->clock_slot : slot;

	if (slot != BPROF_CLOCK_SLOT && slot >= stat->clock_slot)
		return NULL;
	return (struct bprof_event_sum *)&stat->event[at];
}

static inline struct bprof_frame *probe_stat__frame(const struct bprof_cpu_stat *stat, int i)
{
	bool small = probe_stat__is_small(stat);

	return (struct bprof_frame *)((char *)stat - probe_stat__front_sz(small) +
				      i * (small ? BPROF_SMALL_FRAME_SZ
						 : sizeof(struct bprof_frame)));
}

/*
 * Returns the address of a slot's value in the first (n 0) or second (n 1) reading of the check of
 * interrupts.
 */
static inline __u64 *probe_stat__again(const struct bprof_cpu_stat *stat, int n, __u32 slot)
{
	size_t sz = probe_stat__is_small(stat) ? BPROF_SMALL_READINGS_SZ
					       : sizeof(struct bprof_readings);

	return (__u64 *)((char *)stat - (2 - n) * sz) +
	       (slot == BPROF_CLOCK_SLOT ? stat->clock_slot : slot);
}

/*
 * Returns the address after the sums. The words of the distributions begin there, or the data that
 * some probes have instead of distributions.
 */
static inline void *probe_stat__hist(const struct bprof_cpu_stat *stat)
{
	return (void *)&stat->event[stat->clock_slot + 1];
}

/* Copies all but the frames, the readings and the distributions. The copy has the large layout. */
static inline void probe_stat__copy(const struct bprof_cpu_stat *stat, struct bprof_cpu_stat *copy)
{
	memcpy(copy, stat, offsetof(struct bprof_cpu_stat, event));
	copy->clock_slot = BPROF_CLOCK_SLOT;
	for (int i = 0; i < BPROF_SLOTS; i++) {
		const struct bprof_event_sum *sum = probe_stat__event(stat, i);

		if (sum)
			copy->event[i] = *sum;
	}
}

/* Returns the number of runs measured since the counts were last reset, in all contexts. */
static inline __u64 probe_stat__measured(const struct bprof_cpu_stat *stat)
{
	__u64 runs = 0;

	for (int i = 0; i < BPROF_CONTEXTS; i++)
		runs += __atomic_load_n(&stat->measured[i], __ATOMIC_RELAXED);
	return runs;
}

/*
 * Returns the number of finished runs that were lost because they got no frame while the gate was
 * open. The exit probe has not seen the end of the other lost runs: they are in progress, or the
 * kernel skipped the exit probe. If it skipped the exit probe, the kernel's count of skipped programs
 * already contains the run. "stat" may be a copy.
 */
static inline __u64 probe_stat__lost_overflow(const struct bprof_cpu_stat *stat)
{
	__u64 lost = __atomic_load_n(&stat->lost_overflow, __ATOMIC_RELAXED);
	__u64 ended = __atomic_load_n(&stat->overflow_exits, __ATOMIC_RELAXED);
	__u64 all = __atomic_load_n(&stat->overflows, __ATOMIC_RELAXED);
	__s64 runs = lost + ended - all;

	return runs > 0 ? runs : 0; /* negative if runs began before the gate opened */
}

/*
 * Returns the number of runs that a probe has seen, and sets *measured to the number that it has
 * measured. If the probe is attached again, a lost run that was in progress when it was detached is no
 * longer among them, so the number can be less than before.
 */
static inline __u64 probe_stat__seen(const struct bprof_cpu_stat *stat, __u64 *measured)
{
	*measured = probe_stat__measured(stat);
	return *measured + __atomic_load_n(&stat->thinned_out, __ATOMIC_RELAXED) +
	       __atomic_load_n(&stat->lost_overflow, __ATOMIC_RELAXED);
}

/* Begins a block of "period" runs, in which the probe leaves out "countdown" runs and measures the next. */
static inline void probe_stat__begin_block(struct bprof_cpu_stat *stat, __u64 period,
					   __u64 countdown)
{
	__atomic_store_n(&stat->rest, period - 1 - countdown, __ATOMIC_RELAXED);
	/* Set the countdown last, because the probe also sets it, from the other members. */
	__atomic_store_n(&stat->countdown, countdown, __ATOMIC_RELEASE);
}

/*
 * Shortens the wait for the next measured run, if it is longer than with that period. Otherwise, after a
 * longer period, this run would still come after the old period.
 */
static inline void probe_stat__shorten_block(struct bprof_cpu_stat *stat, __u64 period)
{
	if (__atomic_load_n(&stat->rest, __ATOMIC_RELAXED) >= period)
		__atomic_store_n(&stat->rest, period - 1, __ATOMIC_RELAXED);
	/* The runs left out may be in two blocks: after the measured run of one, before that of the next. */
	if (__atomic_load_n(&stat->countdown, __ATOMIC_RELAXED) > 2 * (period - 1))
		__atomic_store_n(&stat->countdown, period - 1, __ATOMIC_RELAXED);
}

#endif
