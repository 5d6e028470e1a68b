/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaders: the BPF program that counts one event for all its users, and what a user holds of it.
 */
#ifndef BPROF_BPERF_LEADER_H
#define BPROF_BPERF_LEADER_H

#include <stdbool.h>

#include "system/attr_map.h"
#include "system/bperf_tables.h"
#include "kernel/cpus.h"

struct perf_event_attr;
struct reason;

/* What keeps a leader alive is its link: it goes when the last user closes it. */
struct bperf_leader {
	int link_fd; /* -1: not open */
	int prog_fd;
	int follower_fd; /* the link of bprof's follower, where perf made the leader; else -1 */
	int task_fd[BPERF_TASK_PROGS]; /* the links of bperf_tasks; -1: no task is counted */
	int move_fd[BPERF_MOVE_PROGS]; /* those of bperf_moves; -1: no cgroup is counted */
	struct bperf_tables tables;
};

#define BPERF_LEADER_NONE                               \
	((struct bperf_leader){.link_fd = -1,           \
			       .prog_fd = -1,           \
			       .follower_fd = -1,       \
			       .task_fd = {-1, -1, -1}, \
			       .move_fd = {-1, -1},     \
			       .tables = BPERF_TABLES_NONE})

/* What a leader is made of: an open event for each CPU id; -1: none there. */
struct leader_events {
	int *fd;
	int cpu_limit;
};

int leader_events__open(struct leader_events *e, int cpu_limit); /* none yet; 0 or -ENOMEM */
void leader_events__close(struct leader_events *e);		 /* zeroed is fine */

/*
 * Joins the leader of an event that another user has made. 0; -ENOENT: there is none; another
 * -errno with *reason: *l is closed again. With the lock of the map.
 */
int bperf_leader__find(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, int cpu_limit, struct reason *reason);
/*
 * Makes one, which reads these events, and enters it in the map (NULL: in none); it holds them from
 * then on. If the map has no room it is this user's alone, which is no failure. Otherwise as
 * bperf_leader__find().
 */
int bperf_leader__make(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, const struct leader_events *events,
		       struct reason *reason);
/*
 * Does it work here? Makes a leader without any event, which no map has, runs it on that CPU and
 * ends it. 0; -errno with *reason.
 */
int bperf_leader__try(int cpu, int cpu_limit, struct reason *reason);
/*
 * What counting tasks takes: their children counted with them, the dead removed. As
 * bperf_leader__find().
 */
int bperf_leader__follow_tasks(struct bperf_leader *l, struct reason *reason);
/*
 * What counting cgroups takes: tasks that are moved count until then in the cgroup that they leave.
 * The caller runs the leader on each CPU where bperf_tables__has_moved(). As bperf_leader__find(),
 * but without it cgroups can be counted, too.
 */
int bperf_leader__follow_moves(struct bperf_leader *l, struct reason *reason);
void bperf_leader__close(struct bperf_leader *l);

/*
 * Runs the leader on a CPU, so that all until now is counted. 0, which it also is for a CPU that is
 * offline: that counted as it went, when its last task was switched; -ESTALE: the CPU works, and its
 * event does not go on: the leader was made without that CPU, or it was offline since. wait: make sure
 * of that, which takes some 30 ms.
 */
int bperf_leader__update(const struct bperf_leader *l, int cpu, bool wait);

#endif
