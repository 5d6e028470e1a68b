/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state that the bperf files keep for one session.
 */
#ifndef BPROF_BPERF_PRIV_H
#define BPROF_BPERF_PRIV_H

#include "btf/reason.h"
#include "kernel/kernel_offsets.h"
#include "system/attr_map.h"
#include "system/bperf_leader.h"
#include "system/bperf_waker.h"
#include "system/system.h"

struct bperf {
	struct attr_map map;
	bool lock_timed_out;
	int user_fd; /* a BPF map, which the kernel frees when this process ends or crashes */
	__u32 user;  /* id of that map, which identifies us as a bperf user */
	struct bperf_leader leader[EVENT_LIST_MAX];
	/*
	 * Used while the leaders of a group of events are made: the perf events of the group
	 * leader, one for each CPU. Otherwise empty.
	 */
	struct leader_events group;
	/*
	 * Indexed by [scope * number of events + event]: the number of the set in which the event's
	 * leader counts the scope. 0 if entire CPUs are counted, or if the scope is not counted
	 * now.
	 */
	__u32 *set;
	struct bperf_waker waker; /* open only if cgroups are counted */
	/*
	 * Steps that have failed for one scope. They would fail for the other scopes, too, so bprof
	 * does not try them again: each try takes long, while other bperf users wait for the map's
	 * lock. no_offsets and no_tasks are cleared when the map is unlocked.
	 */
	bool no_moves;
	struct reason no_offsets, no_tasks;
	/*
	 * For each leader: the number of child tasks that it had failed to count when this session
	 * opened it.
	 */
	__u64 lost[EVENT_LIST_MAX];
	struct bperf_offsets at;
};

/*
 * Locks the attr map. Once the lock has timed out, further calls do not wait for it. Returns 0 or
 * -errno with *reason.
 */
int bperf__lock_map(const struct system *s, struct bperf *b, struct reason *reason);

/*
 * Opens the leader of each event, or makes a leader if there is none. If the kernel refuses an
 * event, stores the reason in the event's state and continues. Returns 0 or -errno with *reason.
 */
int bperf__open_leaders(struct system *s, struct bperf *b, struct reason *reason);

#endif
