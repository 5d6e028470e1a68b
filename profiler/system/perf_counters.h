/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events that count one scope without a shared leader. A system or a cgroup has one event
 * for each CPU. A process, thread or command has one event for each thread, or one for each thread
 * and CPU if counts per CPU are wanted.
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
	int event; /* -1: the clock of the counters up to the next clock */
	int i;	   /* index for system__at() */
};

struct perf_counters {
	struct perf_counter *v;
	int cnt;
};

/* The state while opening a scope's events. */
struct perf_opener {
	const struct system *s; /* only those of its events that are EVENT_OK are opened */
	enum scope_kind kind;
	bool inherit_thread; /* result of perf_event__has_inherit_thread() */
	struct perf_counters *counters;
	int err[EVENT_LIST_MAX]; /* the kernel's last error for each event; 0: none */
	unsigned long flags;	 /* flags of perf_event_open() for a cgroup */
};

/*
 * Returns true if the kernel can let a task's threads inherit an event without its child processes.
 */
bool perf_event__has_inherit_thread(void);

/*
 * Opens a scope's events, which start counting at once, into o->counters, which must be empty.
 * Returns 0, with o->err set for events that the kernel refused; -ESRCH if the scope has ended;
 * -EMFILE, -ENFILE or -ENOMEM; or, with o->flags 0, the error of opening a cgroup's directory. If
 * an error occurs, the caller closes the events opened before it.
 */
int perf_opener__open(struct perf_opener *o, const struct scope *scope);

/* Tries to open an event for a kind of scope, without a real scope. Returns 0 or -errno. */
int perf_opener__try(const struct system *s, int event, enum scope_kind kind);

/*
 * Adds the counters' values to a scope's readings. Skips counters that cannot be read, and calls
 * failed() with the event and -errno for each. -EBUSY means that a pinned event found no free
 * counter.
 */
void perf_counters__read(const struct perf_counters *counters, const struct system *s, int scope,
			 struct reading *readings, void (*failed)(void *arg, int event, int err),
			 void *arg);
bool perf_counters__has(const struct perf_counters *counters, int event);
void perf_counters__close(struct perf_counters *counters); /* leaves it empty */

#endif
