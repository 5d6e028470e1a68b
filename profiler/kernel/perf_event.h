/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf_event_open(2), and what its errors mean.
 */
#ifndef BPROF_PERF_EVENT_H
#define BPROF_PERF_EVENT_H

#include <stddef.h>
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
 * Excludes guests like perf stat (up to Linux 6.12): unless the user asked for guests or excluded
 * user space. So bprof system counts the same as perf stat.
 */
void perf_event__leave_guests_out(struct perf_event_attr *attr);
/*
 * Like perf_event__open(); but on a PMU that cannot exclude anything, such as msr, guests are
 * counted too.
 */
int perf_event__open_host(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd,
			  unsigned long flags);

/*
 * Returns the status for an error of perf_event__open() and writes a sentence for people to detail.
 * err: -errno.
 */
enum event_status perf_event__refusal(int err, char *detail, size_t sz);

#endif
