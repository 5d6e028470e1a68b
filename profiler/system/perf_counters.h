/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events that count one scope where no leader is shared: for each CPU (system, cgroup), or
 * for each thread (process, thread, command), and then for each CPU too where counts are wanted by
 * CPU.
 */
#ifndef BPROF_PERF_COUNTERS_H
#define BPROF_PERF_COUNTERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "bpf/probe.h"
#include "system/scope.h"
#include "system/system.h"

/* An event that is open. */
struct perf_counter {
	int fd;
	int event; /* -1: a clock for those that follow, up to the next */
	int i;	   /* for system__at() */
};

struct perf_counters {
	struct perf_counter *v;
	int cnt;
};

/* A scope's events being opened. */
struct perf_opener {
	const struct system *s; /* events that are not EVENT_OK are not opened */
	enum scope_kind kind;
	bool inherit_thread; /* perf_event__has_inherit_thread() */
	struct perf_counters *counters;
	int err[EVENT_LIST_MAX]; /* why the kernel refused an event, the last time; 0: not */
	unsigned long flags;	 /* perf_event_open()'s, for a cgroup */
};

/* Can the kernel let a task's threads inherit an event, and its child processes not? */
bool perf_event__has_inherit_thread(void);

/*
 * Opens a scope's events, counting, into o->counters, which is empty. 0, with o->err where the
 * kernel refused some; -ESRCH: it has ended; -EMFILE, -ENFILE, -ENOMEM; what a cgroup's directory
 * is refused with, o->flags being 0 then. What is open then is to be closed all the same.
 */
int perf_opener__open(struct perf_opener *o, const struct scope *scope);

/* Tries an event for a kind of scope, without one: 0 or -errno. */
int perf_opener__try(const struct system *s, int event, enum scope_kind kind);

/*
 * Adds what the counters say to a scope's readings. Those that cannot be read are left out:
 * failed() gets the event and -errno, -EBUSY for a pinned one that found no counter.
 */
void perf_counters__read(const struct perf_counters *counters, const struct system *s, int scope,
			 struct reading *readings, void (*failed)(void *arg, int event, int err),
			 void *arg);
bool perf_counters__has(const struct perf_counters *counters, int event);
void perf_counters__close(struct perf_counters *counters); /* leaves none */

#endif
