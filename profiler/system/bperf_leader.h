/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaders. A leader is a BPF program with perf events; it counts one event for all bperf users of
 * that event. A bperf user is a process that counts through leaders: bprof, or perf stat
 * --bpf-counters.
 */
#ifndef BPROF_BPERF_LEADER_H
#define BPROF_BPERF_LEADER_H

#include <stdbool.h>

#include "host/cpus.h"
#include "system/attr_map.h"
#include "system/bperf_tables.h"

struct perf_event_attr;
struct reason;

/*
 * The descriptors of one leader that one bperf user holds. A leader lives as long as any user has
 * the leader's link open.
 */
struct bperf_leader {
	int link_fd; /* -1: not open */
	int prog_fd;
	/* Link of bprof's follower program, if perf made the leader; else -1. */
	int follower_fd;
	/* Links of the programs in bpf/bperf_tasks.bpf.c; -1: tasks are not counted. */
	int task_fd[BPERF_TASK_PROGS];
	/*
	 * Links of the programs in bpf/bperf_moves.bpf.c; -1: bprof does not follow moves of tasks.
	 */
	int move_fd[BPERF_MOVE_PROGS];
	struct bperf_tables tables;
};

#define BPERF_LEADER_NONE                               \
	((struct bperf_leader){.link_fd = -1,           \
			       .prog_fd = -1,           \
			       .follower_fd = -1,       \
			       .task_fd = {-1, -1, -1}, \
			       .move_fd = {-1, -1},     \
			       .tables = BPERF_TABLES_NONE})

/* The perf events of a leader, indexed by CPU id; -1: none is open on that CPU. */
struct leader_events {
	int *fd;
	int cpu_limit;
};

/* Initializes *e without events. */
void leader_events__open(struct leader_events *e, int cpu_limit);
void leader_events__close(struct leader_events *e); /* *e may be zeroed */

/*
 * Opens the leader of an event that another bperf user has made. Returns 0, -ENOENT if there is no
 * leader, or another -errno with *reason; *l is closed on failure. The caller holds the map's lock.
 */
int bperf_leader__find(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, int cpu_limit, struct reason *reason);
/*
 * Makes a leader that reads these events, and adds it to the attr map m, unless m is NULL. The
 * leader keeps the events open. If the map is full, the leader works, but other users cannot find
 * it; this is not an error. Returns 0 or -errno with *reason; *l is closed on failure. The caller
 * holds the map's lock.
 */
int bperf_leader__make(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, const struct leader_events *events,
		       struct reason *reason);
/* Returns 0, or -errno with *reason if bprof attaches no probes to leaders on this kernel. */
int bperf_leader__allow(struct reason *reason);
/*
 * Checks whether leaders work on this machine: makes a leader that has no events and is not in the
 * attr map, runs it on that CPU and closes it. Returns 0, or -errno with *reason.
 */
int bperf_leader__try(int cpu, int cpu_limit, struct reason *reason);
/*
 * Call it before tasks are counted. Attaches programs: they add the children of counted tasks to
 * the tables, and remove tasks that have exited. The caller holds the map's lock. Returns 0, or
 * -errno with *reason.
 */
int bperf_leader__follow_tasks(struct bperf_leader *l, struct reason *reason);
/*
 * Call it before cgroups are counted, so that a task that is moved to another cgroup is counted
 * exactly: its events up to the move count for the old cgroup. During the measurement, call
 * bperf_leader__run() for each CPU for which bperf_tables__has_moved() is true. If
 * bperf_leader__follow_moves() fails, cgroups can still be counted, but less exactly. The caller
 * holds the map's lock. Returns 0, or -errno with *reason.
 */
int bperf_leader__follow_moves(struct bperf_leader *l, struct reason *reason);
void bperf_leader__close(struct bperf_leader *l);

/* Runs the leader on a CPU. Returns 0, -ENXIO if the CPU is offline, or another -errno. */
int bperf_leader__run(const struct bperf_leader *l, int cpu);
/*
 * Runs the leader on these CPUs, so that its tables have the CPUs' counts up to now. If mask is not
 * empty, runs it only on the CPUs in mask. Leaves out CPUs on which the kernel refused the event:
 * refused[CPU] is not 0. For an offline CPU, the tables have the counts up to its last context
 * switch. Sets uncounted[CPU] if the CPU is online but its event does not count,
 * because the CPU was offline in the meantime or when the leader was made. Before it sets an
 * element, waits some 30 ms for a sign that the event counts. Returns 0 or -errno.
 */
int bperf_leader__update(const struct bperf_leader *l, const struct cpus *cpus,
			 const struct cpus *mask, const int *refused, bool *uncounted);

#endif
