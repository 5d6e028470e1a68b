/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session of `bprof system`, which counts events of one or more scopes on some or all CPUs.
 */
#ifndef BPROF_SYSTEM_H
#define BPROF_SYSTEM_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/event_status.h"
#include "base/stopwatch.h"
#include "event/event.h"
#include "host/cpus.h"
#include "report/report.h"
#include "run/counting.h"
#include "system/scope.h"

/*
 * The count of an event for a scope on a CPU. It may start at any value, so only differences
 * between readings are meaningful.
 */
struct reading {
	__u64 counter;
	__u64 enabled_ns; /* time during which the event was enabled */
	__u64 running_ns; /* time during which a hardware counter counted the event */
};

struct reason;
struct system;

/*
 * A method of counting scopes. Its functions get the method's state of a session as a void *. If an
 * event or a scope cannot be counted, the session continues without it.
 */
struct system_ops {
	const char *method; /* name in reports, such as "bperf" */
	bool shared;	    /* other processes may use the same counters */
	/*
	 * Prepares all events. Sets status and detail in s->event[] for events that cannot be
	 * counted. Returns 0, or -errno with *reason if this method cannot be used at all.
	 */
	int (*open)(struct system *s, void **state, struct reason *reason);
	/*
	 * The caller calls begin(), then add_scope() for one or more scopes, then end(). begin()
	 * returns 0, or -errno with *reason. begin() and end() may be NULL.
	 */
	int (*begin)(struct system *s, void *state, struct reason *reason);
	void (*end)(struct system *s, void *state);
	/*
	 * Starts counting the scope with this index in s->scopes. Returns 0, or -errno with *reason
	 * if the scope cannot be counted; then the caller calls remove_scope(). With -r, the
	 * command is removed and added again for each repeat.
	 */
	int (*add_scope)(struct system *s, void *state, int scope, struct reason *reason);
	void (*remove_scope)(struct system *s, void *state, int scope);
	/*
	 * Reads the present values of all counters into readings, which the caller has zeroed and
	 * which is indexed by system__at(). Skips scopes that were not added. Returns 0 or -errno
	 * (reported).
	 */
	int (*read)(struct system *s, void *state, struct reading *readings);
	/*
	 * While counting, the caller calls ready() whenever the descriptor that ready_fd() returns
	 * is readable. If ready_fd() returns -1, there is no such descriptor. ready() returns 0 or
	 * -errno (reported). Both may be NULL.
	 */
	int (*ready)(struct system *s, void *state);
	int (*ready_fd)(const struct system *s, void *state);
	void (*close)(struct system *s, void *state);
};

extern const struct system_ops bperf_ops; /* counts through leaders, which all bperf users share */
extern const struct system_ops perf_event_ops; /* counts with perf events that are not shared */

struct system_opts {
	bool inherit;	      /* also count the children of the counted processes and threads */
	bool per_cpu;	      /* the report has a row for each CPU */
	const char *method;   /* "bperf" or "perf_event"; NULL: bperf if possible */
	const char *attr_map; /* path of the pinned attr map; NULL: the default path */
	/*
	 * size of the attr map's keys, if bprof has to create the map; 0: the size of the kernel's
	 * struct perf_event_attr
	 */
	__u64 attr_size;
	__u64 lock_timeout_ns;
	char **command; /* bprof's argv, which the report shows; NULL-terminated */
};

struct system {
	struct system_opts opts;
	const struct event_list *events; /* owned by the caller */
	struct cpus cpus;		 /* CPUs that are counted, in ascending order */
	bool some_cpus;			 /* only the CPUs of -C are counted */
	int cpu_limit;			 /* highest possible CPU id + 1 */
	bool jits;			 /* the kernel JITs BPF programs */
	struct scope_list scopes;
	bool *added;	  /* indexed by scope: the scope is being counted now */
	bool *added_once; /* indexed by scope: the scope is or was counted */
	bool denied;	  /* a scope cannot be counted because privileges are missing */
	struct event_state event[EVENT_LIST_MAX];
	/*
	 * Indexed by scope * number of events + event: the error (-errno) of reading a counter, which
	 * the method sets; 0: none. -EBUSY: a pinned event got no hardware counter.
	 */
	int *unread;
	const struct system_ops *ops;
	void *state;
	/*
	 * The next two members say which counts are missing in the readings. They are set while
	 * reading. uncounted_cpu holds for the scopes for which system__counts_by_cpu() is true.
	 */
	bool *uncounted_cpu; /* indexed by CPU id: not counted since some moment */
	/*
	 * Indexed by event * cpu_limit + CPU id: the error (-errno) with which the kernel refused the event on
	 * this CPU, though not on all CPUs; 0: none. Like uncounted_cpu, but set when the event is opened.
	 */
	int *refused;
	__u64 uncounted_children; /* at most this many children were not counted */
	/* The counts up to the last stop, and the method's readings at the last start. */
	struct reading *counted, *base;
	struct stopwatch stopwatch;
};

/* All counts from system__open() up to one moment, but none between a stop and the next start. */
struct system_snapshot {
	__u64 ns; /* how long the session had counted up to this moment */
	struct reading *v;
};

/*
 * Opens the events and adds all scopes except the command. Takes ownership of scopes, also on
 * failure. Counts on the given CPUs or, if cpus is empty, on all online CPUs. Moves scopes that
 * cannot be counted to s->scopes.skip. It is no error if no scope is left, but then call only the
 * operations read() and report(). Returns 0 or -errno (reported); -ENODATA: no event can be
 * counted.
 */
int system__open(struct scope_list *scopes, const struct event_list *events,
		 const struct cpus *cpus, const struct system_opts *o, struct system **out);
void system__close(struct system *s); /* accepts NULL */

/*
 * The arg of these operations is a struct system, and *at is a struct system_snapshot. If the
 * command is a scope, its children are counted until the next stop.
 */
extern const struct counting_ops system_counting_ops;

/*
 * Returns true if scopes of this kind are counted on each CPU of s->cpus. Returns false if the
 * method counts tasks wherever they run.
 */
bool system__counts_by_cpu(const struct system *s, enum scope_kind kind);

/* Implements counting_ops.report. */
int system__report(void *arg, const void *from, const void *to, struct report **out);

/*
 * Returns the index of a reading in an array of all readings. i is an index in s->cpus, or
 * s->cpus.cnt if the counts of a task are not separated by CPU.
 */
static inline size_t system__at(const struct system *s, int scope, int event, int i)
{
	return ((size_t)scope * s->events->cnt + event) * (s->cpus.cnt + 1) + i;
}

#endif
