/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session of `bprof system`: counts of events, of one or more scopes, on some CPUs or all.
 */
#ifndef BPROF_SYSTEM_H
#define BPROF_SYSTEM_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "cpus.h"
#include "event.h"
#include "probe.h"
#include "report.h"
#include "scope.h"

/* What an event counted of a scope on a CPU, since some moment in the past. */
struct reading {
	__u64 counter;
	__u64 enabled_ns; /* so long it would have counted */
	__u64 running_ns; /* and so long it was on a counter */
};

struct system;

/*
 * A way of counting. One state for a session. Every failure is one event's or one scope's, and the
 * session goes on without it.
 */
struct system_ops {
	const char *method; /* in reports: "bperf" */
	/*
	 * Makes all events ready; those that cannot be counted get a status and a detail in
	 * s->event[]. 0; -errno with *why, of why_sz bytes: this method cannot be used at all.
	 */
	int (*open)(struct system *s, void **state, char *why, size_t why_sz);
	/*
	 * Begins to count a scope of s->scopes, whose readings may begin with any value. 0; -errno
	 * with *why: it cannot be counted. A command's is removed and added anew at each repeat.
	 */
	int (*add_scope)(struct system *s, void *state, int scope, char *why, size_t why_sz);
	void (*remove_scope)(struct system *s, void *state, int scope);
	/*
	 * Brings all counters up to this moment and reads them: system__at() says where each goes;
	 * they come zeroed. Scopes that were not added are left alone. 0 or -errno (reported).
	 */
	int (*read)(struct system *s, void *state, struct reading *readings);
	void (*close)(struct system *s, void *state);
};

extern const struct system_ops bperf_ops;      /* leaders that all users share */
extern const struct system_ops perf_event_ops; /* perf events of our own */

struct system_opts {
	bool inherit;		 /* children of processes and threads count too */
	bool per_cpu;		 /* each CPU's counts are wanted */
	const char *attr_map;	 /* path of the pinned map; NULL: perf_attr_map in bpffs */
	__u64 lock_timeout_ms;
};

struct system {
	struct system_opts opts;
	const struct event_list *events; /* the caller's */
	struct cpus cpus;		 /* counted, ascending */
	bool some_cpus;			 /* -C: not all that are online */
	int cpu_limit;			 /* highest possible CPU id + 1 */
	struct scope_list scopes;
	bool *added; /* [scope]: it is being counted */
	struct system_event {
		enum event_status status;
		char detail[200]; /* why it is not EVENT_OK */
	} event[BPROF_MAX_EVENTS];
	const struct system_ops *ops;
	void *state;
};

/*
 * Where a reading is: for the i-th CPU of s->cpus; i = s->cpus.cnt: what belongs to no one CPU (a
 * task's count, where it was not asked for by CPU).
 */
static inline size_t system__at(const struct system *s, int scope, int event, int i)
{
	return ((size_t)scope * s->events->cnt + event) * (s->cpus.cnt + 1) + i;
}

#endif
