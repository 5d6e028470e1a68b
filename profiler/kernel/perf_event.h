/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf_event_open(2), the meaning of its errors, and the number of events that can be counted
 * without multiplexing.
 */
#ifndef BPROF_PERF_EVENT_H
#define BPROF_PERF_EVENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/event_status.h"

struct perf_event_attr;

/*
 * Calls perf_event_open(2) with close-on-exec. flags: PERF_FLAG_PID_CGROUP or 0. Returns the
 * descriptor or -errno.
 */
int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags);

/*
 * Excludes guests, unless the host or user space is excluded. perf stat of Linux 6.12 and older does
 * the same. So bprof system and perf stat give the same counts. Do not call this if the user gave
 * the modifier H or G (event.machines_given).
 */
void perf_event__leave_guests_out(struct perf_event_attr *attr);
/* Like perf_event__open(), but counts guests, too, if the PMU (such as msr) cannot exclude them. */
int perf_event__open_host(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd,
			  unsigned long flags);

/* Returns true if err, an error (-errno) of perf_event__open(), means that a permission is missing. */
bool perf_event__is_denied(int err);
/* Sets all but the slot of an event that perf_event__open() has refused with err (-errno). */
void perf_event__explain(int err, struct event_state *state);

/*
 * Returns the number of hardware events that the CPU can count now without multiplexing. Opens
 * pinned events until an event gets no counter of the PMU. Returns 0 without a PMU, or -errno if
 * the process may not open events.
 */
int perf_event__count_counters(int cpu);

#endif
