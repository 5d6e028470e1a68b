/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaders. A leader is a BPF program with perf events; it counts one event for all bperf users of
 * that event. A bperf user is a process that counts through leaders: bprof, or perf stat
 * --bpf-counters.
 */
#ifndef BPROF_BPERF_LEADER_H
#define BPROF_BPERF_LEADER_H

#include <stdbool.h>

#include "kernel/cpus.h"
#include "system/attr_map.h"
#include "system/bperf_tables.h"

struct perf_event_attr;
struct reason;

/*
 * The descriptors that one bperf user holds for a leader. A leader lives as long as any user has
 * its link open.
 */
struct bperf_leader {
	int link_fd; /* -1: not open */
	int prog_fd;
	/* Link of bprof's follower program, if perf made the leader; else -1. */
	int follower_fd;
	/* Links of the programs in bperf_tasks; -1: tasks are not counted. */
	int task_fd[BPERF_TASK_PROGS];
	/* Links of the programs in bperf_moves; -1: cgroups are not counted. */
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

int leader_events__open(struct leader_events *e,
			int cpu_limit);		    /* starts without events; 0 or -ENOMEM */
void leader_events__close(struct leader_events *e); /* accepts a zeroed *e */

/*
 * Opens the leader of an event that another bperf user has made. Returns 0, -ENOENT if there is no
 * leader, or another -errno with *reason; *l is closed on failure. The caller holds the map's lock.
 */
int bperf_leader__find(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, int cpu_limit, struct reason *reason);
/*
 * Makes a leader that reads these events, and enters it in the map m (NULL: in no map). The leader
 * keeps the events open. If the map is full, this user does not share its leader; that is no error.
 * Returns 0 or -errno with *reason; *l is closed on failure. The caller holds the map's lock.
 */
int bperf_leader__make(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, const struct leader_events *events,
		       struct reason *reason);
/*
 * Checks whether leaders work on this machine: makes a leader without events and without a map
 * entry, runs it on that CPU and closes it. Returns 0, or -errno with *reason.
 */
int bperf_leader__try(int cpu, int cpu_limit, struct reason *reason);
/*
 * Prepares for counting tasks: attaches the programs that add children and remove tasks that have
 * exited. The caller holds the map's lock. Returns 0, or -errno with *reason.
 */
int bperf_leader__follow_tasks(struct bperf_leader *l, struct reason *reason);
/*
 * Prepares for counting tasks that are moved between cgroups: what a task did before a move then
 * counts in its old cgroup. The caller runs the leader on each CPU for which
 * bperf_tables__has_moved() is true. Without this, cgroups can also be counted, but less exactly.
 * The caller holds the map's lock. Returns 0, or -errno with *reason.
 */
int bperf_leader__follow_moves(struct bperf_leader *l, struct reason *reason);
void bperf_leader__close(struct bperf_leader *l);

/*
 * Runs the leader on a CPU, so that its tables include everything until now. Returns 0, also for an
 * offline CPU, whose counts include everything up to its last context switch. Returns -ESTALE if
 * the CPU is online but its event stands still, because the leader was made without that CPU or the
 * CPU was offline in the meantime. wait: retry for some 30 ms before returning -ESTALE.
 */
int bperf_leader__update(const struct bperf_leader *l, int cpu, bool wait);

#endif
