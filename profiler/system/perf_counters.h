/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events that count one scope without a shared leader: one for each CPU (system, cgroup),
 * or for each thread (process, thread, command), and for each thread and CPU if counts per CPU are
 * wanted.
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
	int event; /* -1: a clock for the counters up to the next clock */
	int i;	   /* for system__at() */
};

struct perf_counters {
	struct perf_counter *v;
	int cnt;
};

/* The state of opening a scope's events. */
struct perf_opener {
	const struct system *s; /* only its events that are EVENT_OK are opened */
	enum scope_kind kind;
	bool inherit_thread; /* perf_event__has_inherit_thread() */
	struct perf_counters *counters;
	int err[EVENT_LIST_MAX]; /* last refusal of each event; 0: none */
	unsigned long flags;	 /* perf_event_open()'s, for a cgroup */
};

/* True if the kernel can let a task's threads inherit an event, but not its child processes. */
bool perf_event__has_inherit_thread(void);

/*
 * Opens a scope's events, already counting, into o->counters, which must be empty. 0, with o->err
 * for events that the kernel refused; -ESRCH: the scope has ended; -EMFILE, -ENFILE, -ENOMEM; or
 * the error of opening a cgroup's directory, with o->flags 0. Events opened before an error stay
 * open for the caller to close.
 */
int perf_opener__open(struct perf_opener *o, const struct scope *scope);

/* Tries to open an event for a kind of scope, without a real scope. 0 or -errno. */
int perf_opener__try(const struct system *s, int event, enum scope_kind kind);

/*
 * Adds the counters' values to a scope's readings. Skips those that cannot be read and calls
 * failed() with the event and -errno; -EBUSY: a pinned event found no counter.
 */
void perf_counters__read(const struct perf_counters *counters, const struct system *s, int scope,
			 struct reading *readings, void (*failed)(void *arg, int event, int err),
			 void *arg);
bool perf_counters__has(const struct perf_counters *counters, int event);
void perf_counters__close(struct perf_counters *counters); /* leaves it empty */

#endif
