/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaders: the BPF program that counts one event for all its users, and what a user holds open of
 * it.
 */
#ifndef BPROF_BPERF_LEADER_H
#define BPROF_BPERF_LEADER_H

#include <stdbool.h>

#include "kernel/cpus.h"
#include "system/attr_map.h"
#include "system/bperf_tables.h"

struct perf_event_attr;
struct reason;

/* A leader lives as long as some user holds its link open. */
struct bperf_leader {
	int link_fd; /* -1: not open */
	int prog_fd;
	int follower_fd; /* the link of bprof's follower, if perf made the leader; else -1 */
	int task_fd[BPERF_TASK_PROGS]; /* the links of bperf_tasks; -1: no tasks counted */
	int move_fd[BPERF_MOVE_PROGS]; /* those of bperf_moves; -1: no cgroups counted */
	struct bperf_tables tables;
};

#define BPERF_LEADER_NONE                               \
	((struct bperf_leader){.link_fd = -1,           \
			       .prog_fd = -1,           \
			       .follower_fd = -1,       \
			       .task_fd = {-1, -1, -1}, \
			       .move_fd = {-1, -1},     \
			       .tables = BPERF_TABLES_NONE})

/* The events of a leader: an open one for each CPU id; -1: none there. */
struct leader_events {
	int *fd;
	int cpu_limit;
};

int leader_events__open(struct leader_events *e,
			int cpu_limit);		    /* starts with no events; 0 or -ENOMEM */
void leader_events__close(struct leader_events *e); /* accepts a zeroed one */

/*
 * Joins the leader of an event that another user has made. 0; -ENOENT: none; another -errno with
 * *reason: *l is closed again. The caller holds the map's lock.
 */
int bperf_leader__find(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, int cpu_limit, struct reason *reason);
/*
 * Makes a leader that reads these events and takes ownership of them, and enters it in the map
 * (NULL: in none). If the map is full, the leader serves this user alone; this is not an error.
 * Otherwise as bperf_leader__find().
 */
int bperf_leader__make(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, const struct leader_events *events,
		       struct reason *reason);
/*
 * Checks whether leaders work here: makes a leader without events and map entry, runs it on that
 * CPU and closes it. 0; -errno with *reason.
 */
int bperf_leader__try(int cpu, int cpu_limit, struct reason *reason);
/*
 * Prepares for counting tasks: attaches the programs that add children and remove exited tasks. As
 * bperf_leader__find().
 */
int bperf_leader__follow_tasks(struct bperf_leader *l, struct reason *reason);
/*
 * Prepares for counting cgroups: what a moved task did before the move counts in the cgroup that it
 * leaves. The caller runs the leader on each CPU where bperf_tables__has_moved(). Cgroups can also
 * be counted without it, less exactly. As bperf_leader__find().
 */
int bperf_leader__follow_moves(struct bperf_leader *l, struct reason *reason);
void bperf_leader__close(struct bperf_leader *l);

/*
 * Runs the leader on a CPU, so that its tables include everything until now. 0, also for a CPU that
 * is offline: it counted up to its last context switch. -ESTALE: the CPU is online, but its event
 * stands still: the leader was made without that CPU, or it has been offline since. wait: make sure
 * of -ESTALE, which takes some 30 ms.
 */
int bperf_leader__update(const struct bperf_leader *l, int cpu, bool wait);

#endif
