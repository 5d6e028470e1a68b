/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf_event_open(2), and what its refusals mean.
 */
#ifndef BPROF_PERF_EVENT_H
#define BPROF_PERF_EVENT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/event_status.h"

struct perf_event_attr;

/*
 * perf_event_open(2), the descriptor closed on exec. flags: PERF_FLAG_PID_CGROUP or 0. The
 * descriptor, or -errno.
 */
int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags);

/*
 * What perf stat does about guests (up to Linux 6.12): events leave them out, but for those that the
 * user asked about guests or that leave user space out. An event of which bprof system counts the same.
 */
void perf_event__leave_guests_out(struct perf_event_attr *attr);
/* As perf_event__open(); a PMU that cannot leave anything out, such as msr, counts guests too. */
int perf_event__open_host(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd,
			  unsigned long flags);

/* Why the kernel refused an event: detail gets a sentence for people. err: -errno. */
enum event_status perf_event__refusal(int err, char *detail, size_t sz);

#endif
