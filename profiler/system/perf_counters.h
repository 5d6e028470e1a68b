/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events that count one scope without a shared leader. For the system or a cgroup, each
 * event is opened once per CPU. For a process, a thread or a command, each event is opened once per
 * thread. If the report has rows for CPUs, it is opened once per thread and CPU.
 */
#ifndef BPROF_PERF_COUNTERS_H
#define BPROF_PERF_COUNTERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "bpf/probe.h"
#include "system/scope.h"
#include "system/system.h"

/* An open event. */
struct perf_counter {
	int fd;
	/* index of the event; -1: this is the clock of the counters after it in the array */
	int event;
	int i; /* argument i of system__at() */
};

struct perf_counters {
	struct perf_counter *v;
	int cnt;
};

/* The state while opening a scope's events. */
struct perf_opener {
	/* has the list of events; bprof opens only events whose status is EVENT_OK */
	const struct system *s;
	enum scope_kind kind;
	bool inherit_thread; /* result of perf_event__has_inherit_thread() */
	struct perf_counters *counters;
	int err[EVENT_LIST_MAX]; /* for each event, the last error of perf_event_open(); 0: none */
	/* flags for perf_event_open(); PERF_FLAG_PID_CGROUP for a cgroup, else 0 */
	unsigned long flags;
};

/* Returns true if the kernel can make threads inherit an event, but not child processes. */
bool perf_event__has_inherit_thread(void);

/*
 * Opens a scope's events and adds them to o->counters, which must be empty. The events start
 * counting at once. Sets o->err for each event that the kernel refuses. Returns 0; -ESRCH if the
 * scope has ended; -EMFILE, -ENFILE or -ENOMEM; or another -errno, with o->flags 0, if a cgroup's
 * directory cannot be opened. On failure, the caller must close the events that were opened before.
 */
int perf_opener__open(struct perf_opener *o, const struct scope *scope);

/*
 * Tests whether the kernel opens an event for this kind of scope. Uses this process or all tasks on
 * a CPU as the scope. Returns 0 or -errno.
 */
int perf_opener__try(const struct system *s, int event, enum scope_kind kind);

/*
 * Adds the values of the counters to a scope's readings. If a counter cannot be read, skips it and
 * sets unread[event] to -errno. -EBUSY: a pinned event got no hardware counter.
 */
void perf_counters__read(const struct perf_counters *counters, const struct system *s, int scope,
			 struct reading *readings, int *unread);
bool perf_counters__has(const struct perf_counters *counters, int event);
void perf_counters__close(struct perf_counters *counters); /* *counters is empty afterwards */

#endif
