/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session of `bprof system`: counts events of one or more scopes, on some CPUs or all.
 */
#ifndef BPROF_SYSTEM_H
#define BPROF_SYSTEM_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/event_status.h"
#include "engine/counting.h"
#include "engine/engine.h"
#include "event/event.h"
#include "kernel/cpus.h"
#include "report/report.h"
#include "system/scope.h"

/* The count of an event for a scope on a CPU, since some moment in the past. */
struct reading {
	__u64 counter;
	__u64 enabled_ns; /* time that the event was enabled */
	__u64 running_ns; /* time that it was on a counter */
};

struct reason;
struct system;

/*
 * A method of counting, with one state per session. A failure concerns one event or one scope, and
 * the session continues without it.
 */
struct system_ops {
	const char *method; /* in reports: "bperf" */
	bool shared;	    /* it may share its counters with other users */
	/*
	 * Prepares all events. Events that cannot be counted get a status and a detail in
	 * s->event[]. 0; -errno with *reason: this method cannot be used at all.
	 */
	int (*open)(struct system *s, void **state, struct reason *reason);
	/* Called around any number of add_scope(). 0 or -errno with *reason. May be NULL. */
	int (*begin)(struct system *s, void *state, struct reason *reason);
	void (*end)(struct system *s, void *state);
	/*
	 * Starts counting a scope of s->scopes; its readings may start at any value. 0; -errno with
	 * *reason: it cannot be counted, and the caller removes it. A command is removed and added
	 * again at each repeat.
	 */
	int (*add_scope)(struct system *s, void *state, int scope, struct reason *reason);
	void (*remove_scope)(struct system *s, void *state, int scope);
	/*
	 * Updates all counters to this moment and reads them into readings, which start zeroed and
	 * are indexed by system__at(). Skips scopes that were not added. 0 or -errno (reported).
	 */
	int (*read)(struct system *s, void *state, struct reading *readings);
	/*
	 * While counting, the caller calls ready() whenever the descriptor of ready_fd() is
	 * readable; -1: no descriptor. ready() returns 0 or -errno (reported). Both may be NULL.
	 */
	int (*ready)(struct system *s, void *state);
	int (*ready_fd)(const struct system *s, void *state);
	void (*close)(struct system *s, void *state);
};

extern const struct system_ops bperf_ops;      /* leaders shared by all users */
extern const struct system_ops perf_event_ops; /* unshared perf events */

struct system_opts {
	bool inherit;	      /* also count children of processes and threads */
	bool per_cpu;	      /* counts per CPU are wanted */
	const char *method;   /* "bperf", "perf_event"; NULL: bperf, else perf_event */
	const char *attr_map; /* path of the pinned map; NULL: perf_attr_map in bpffs */
	__u64 attr_size;      /* of its keys, if bprof makes it; 0: the kernel's */
	__u64 lock_timeout_ms;
	char **command; /* argv, NULL-terminated, for the report */
};

struct system {
	struct system_opts opts;
	const struct event_list *events; /* the caller's */
	struct cpus cpus;		 /* counted, ascending */
	bool some_cpus;			 /* -C: not all online CPUs */
	int cpu_limit;			 /* highest possible CPU id + 1 */
	bool jits;			 /* the kernel JITs BPF programs */
	struct scope_list scopes;
	bool *added;	  /* [scope]: is being counted */
	bool *added_once; /* [scope]: is or was counted */
	struct event_state event[EVENT_LIST_MAX];
	const struct system_ops *ops;
	void *state;
	/* What the readings miss, found by the method while reading. */
	bool *uncounted_cpu;	  /* [CPU id]: not counted there since some moment */
	__u64 uncounted_children; /* of processes and threads; an upper bound */
	/* Counts up to the last stop, and the method's readings at the last start. */
	struct reading *counted, *base;
	struct stopwatch stopwatch;
};

/* All counts at one moment: the sums between starts and stops since system__open(). */
struct system_snapshot {
	__u64 ns; /* time that was counted */
	struct reading *v;
};

/*
 * Opens the events and adds all scopes except the command. Takes ownership of scopes, also on
 * failure. cpus: the CPUs to count on; empty: all that are online. Scopes that cannot be counted go
 * to s->scopes.skip; if no others are left, this is not an error, but the session can only be read
 * and reported. 0 or -errno (reported); -ENODATA: no event can be counted.
 */
int system__open(struct scope_list *scopes, const struct event_list *events,
		 const struct cpus *cpus, const struct system_opts *o, struct system **out);
void system__close(struct system *s); /* accepts NULL */

/*
 * arg: struct system; *at: struct system_snapshot. If the command is a scope, its children count
 * too, until the next stop.
 */
extern const struct counting_ops system_counting_ops;

/* Implements counting_ops.report. */
int system__report(void *arg, const void *from, const void *to, struct report **out);

/*
 * The index of a reading: i is an index in s->cpus, or s->cpus.cnt for counts without a CPU (a task
 * that is not counted by CPU).
 */
static inline size_t system__at(const struct system *s, int scope, int event, int i)
{
	return ((size_t)scope * s->events->cnt + event) * (s->cpus.cnt + 1) + i;
}

#endif
