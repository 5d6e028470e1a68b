/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session of `bprof system`: counts of events, of one or more scopes, on some CPUs or all.
 */
#ifndef BPROF_SYSTEM_H
#define BPROF_SYSTEM_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/event_status.h"
#include "engine/counting.h"
#include "engine/engine.h"
#include "kernel/cpus.h"
#include "event/event.h"
#include "report/report.h"
#include "system/scope.h"

/* What an event counted of a scope on a CPU, since some moment in the past. */
struct reading {
	__u64 counter;
	__u64 enabled_ns; /* so long it would have counted */
	__u64 running_ns; /* and so long it was on a counter */
};

struct reason;
struct system;

/*
 * A way of counting. One state for a session. Every failure is one event's or one scope's, and the
 * session goes on without it.
 */
struct system_ops {
	const char *method; /* in reports: "bperf" */
	bool shared;	    /* its counters may be those of other users */
	/*
	 * Makes all events ready; those that cannot be counted get a status and a detail in
	 * s->event[]. 0; -errno with *reason: this method cannot be used at all.
	 */
	int (*open)(struct system *s, void **state, struct reason *reason);
	/* Around any number of add_scope(). 0 or -errno with *reason. May be NULL. */
	int (*begin)(struct system *s, void *state, struct reason *reason);
	void (*end)(struct system *s, void *state);
	/*
	 * Begins to count a scope of s->scopes, whose readings may begin with any value. 0; -errno
	 * with *reason: it cannot be counted, and is removed. A command's is removed and added anew at
	 * each repeat.
	 */
	int (*add_scope)(struct system *s, void *state, int scope, struct reason *reason);
	void (*remove_scope)(struct system *s, void *state, int scope);
	/*
	 * Brings all counters up to this moment and reads them: system__at() says where each goes;
	 * they come zeroed. Scopes that were not added are left alone. 0 or -errno (reported).
	 */
	int (*read)(struct system *s, void *state, struct reading *readings);
	/*
	 * While it counts, ready() is to be called whenever that descriptor is readable; -1: there is
	 * none. 0 or -errno (reported). Both may be NULL.
	 */
	int (*ready)(struct system *s, void *state);
	int (*ready_fd)(const struct system *s, void *state);
	void (*close)(struct system *s, void *state);
};

extern const struct system_ops bperf_ops;      /* leaders that all users share */
extern const struct system_ops perf_event_ops; /* perf events of our own */

struct system_opts {
	bool inherit;	      /* children of processes and threads count too */
	bool per_cpu;	      /* each CPU's counts are wanted */
	const char *method;   /* "bperf", "perf_event"; NULL: bperf, or where it is refused, that */
	const char *attr_map; /* path of the pinned map; NULL: perf_attr_map in bpffs */
	__u64 attr_size;      /* of its keys, where we make it; 0: as the kernel's */
	__u64 lock_timeout_ms;
	char **command; /* argv, NULL-terminated, for the report */
};

struct system {
	struct system_opts opts;
	const struct event_list *events; /* the caller's */
	struct cpus cpus;		 /* counted, ascending */
	bool some_cpus;			 /* -C: not all that are online */
	int cpu_limit;			 /* highest possible CPU id + 1 */
	bool jits;			 /* does the kernel compile BPF programs? */
	struct scope_list scopes;
	bool *added;	  /* [scope]: it is being counted */
	bool *added_once; /* [scope]: it is, or was */
	struct event_state event[EVENT_LIST_MAX];
	const struct system_ops *ops;
	void *state;
	/* What the readings lack, as the method found while it read. */
	bool *uncounted_cpu;	  /* [CPU id]: what ran there, since some moment */
	__u64 uncounted_children; /* of processes and threads: as many at most */
	/* What was counted until the last stop, and what the method showed at the last start. */
	struct reading *counted, *base;
	struct stopwatch stopwatch;
};

/* All counts at one moment: what was counted between a start and a stop, since system__open(). */
struct system_snapshot {
	__u64 ns; /* so long it was counted */
	struct reading *v;
};

/*
 * Opens the events and makes all scopes ready, but for the command's. Takes over scopes (also on
 * failure). cpus: those to count on; empty: all that are online. Scopes that cannot be counted are
 * in s->scopes.skip after it; it is no failure if there are no others: such a session can only be
 * read and reported. 0 or -errno (reported); -ENODATA: no event can be counted.
 */
int system__open(struct scope_list *scopes, const struct event_list *events,
		 const struct cpus *cpus, const struct system_opts *o, struct system **out);
void system__close(struct system *s); /* NULL is fine */

/*
 * arg: struct system; *at: struct system_snapshot. If the command is a scope, its children count with
 * it, until the next stop.
 */
extern const struct counting_ops system_counting_ops;

/* counting_ops.report */
int system__report(void *arg, const void *from, const void *to, struct report **out);

/*
 * Where a reading is: for the i-th CPU of s->cpus; i = s->cpus.cnt: what belongs to no one CPU (a
 * task's count, where it was not asked for by CPU).
 */
static inline size_t system__at(const struct system *s, int scope, int event, int i)
{
	return ((size_t)scope * s->events->cnt + event) * (s->cpus.cnt + 1) + i;
}

#endif
