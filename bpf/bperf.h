/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bperf: what its BPF programs share with user space. docs/bperf.md has the picture.
 *
 * Users come and go, the tables stay: they belong to the leader (or, where perf made that, to the
 * one follower that all bprof users share), and are changed by users that hold the lock of the
 * attr map only. Each step of a change is a single word or a single element, so that a user may die
 * after any of them.
 */
#ifndef BPROF_BPERF_H
#define BPROF_BPERF_H

#include <linux/types.h>

/*
 * A set is a counter that some users read: what the tasks and cgroups in it did, on each CPU. Set 0
 * is all that happened on the CPU. A power of two.
 */
#define BPERF_SETS 1024

struct bperf_set {
	__u64 counter; /* these three as in struct bpf_perf_event_value */
	__u64 enabled;
	__u64 running;
	union {
		/* What counts here counts there too; 0: nowhere else. The same on all CPUs. */
		__u32 next;
		/* Of set 0. Bit i: there are keys of enum bperf_kind i. The same on all CPUs. */
		__u32 kinds;
	};
	__u32 busy; /* of set 0: the leader is running on this CPU */
};

/* How deep a cgroup may be that is counted. */
#define BPERF_LEVELS 32

/* The task that runs on a CPU has been moved: the cgroups that it was in at the CPU's last reading. */
struct bperf_moved {
	__u64 task;		/* struct task_struct; 0: none. Written last */
	__u64 id[BPERF_LEVELS]; /* by level; 0: none */
};

/* bprof_sets: one for each possible CPU id. */
struct bperf_cpu {
	struct bperf_set set[BPERF_SETS];
	struct bperf_moved moved;
};

/* Sets that a task may count to: users of one task that began while it had different children. As many
 * as there are. */
#define BPERF_CHAIN BPERF_SETS

/* Whose work goes to a set. Processes and threads hand theirs on to their children, but ALONE. */
enum bperf_kind {
	BPERF_PROCESS,
	BPERF_THREAD,
	BPERF_PROCESS_ALONE,
	BPERF_THREAD_ALONE,
	BPERF_TASK_KINDS,
	BPERF_CGROUP = BPERF_TASK_KINDS,
};

/* bprof_keys: what is counted. The kernel removes tasks as they die. */
#define BPERF_KEYS 16384

struct bperf_member {
	__u32 set;
	union {
		__u32 level; /* of a cgroup, below the root of its hierarchy */
		__u32 dying; /* of a task: it exits; see bprof_remove_dead() */
	};
};

/* Cgroup ids have less than 63 bits: the lower half is an inode number (fs/kernfs/dir.c). */
static inline __u64 bperf_key(enum bperf_kind kind, __u64 id)
{
	return kind == BPERF_CGROUP ? id | 1ULL << 63 : id | (__u64)(kind + 1) << 32;
}

static inline enum bperf_kind bperf_key__kind(__u64 key)
{
	return key >> 63 ? BPERF_CGROUP : (enum bperf_kind)((key >> 32) - 1);
}

/*
 * Where things are in the kernel's structs, in bytes, as its BTF says: filled in by the first user
 * that counts tasks or cgroups.
 */
struct bperf_offsets {
	__u32 task_state;
	__u32 task_pid; /* 0: none of this is known yet; written last */
	__u32 task_tgid;
	__u32 task_signal;
	__u32 task_leader;
	__u32 task_exit_state;
	__u32 signal_live;
	__u32 signal_threads;
	__u32 task_cgroups;    /* 0: the kernel has no perf_event cgroups */
	__u32 css_set_perf;    /* subsys[perf_event_cgrp_id] */
	__u32 css_set_default; /* the cgroup of v2 */
	__u32 css_cgroup;
	__u32 cgroup_level;
	__u32 cgroup_ancestors; /* pointers, since Linux 6.1; 0: there are ids */
	__u32 cgroup_ancestor_ids;
	__u32 cgroup_kn;
	__u32 kn_id;
	__u32 rq_curr;	   /* 0: which task runs on a CPU is not known */
	__u32 regs_second; /* of a function's arguments, in struct pt_regs */
};

/* What follows tasks, see bperf_tasks.bpf.c. */
enum bperf_task_prog { BPERF_ON_FORK, BPERF_ON_EXEC, BPERF_ON_EXIT, BPERF_TASK_PROGS };

/* What follows moves of tasks between cgroups, see bperf_moves.bpf.c: before the move and after it. */
enum bperf_move_prog { BPERF_BEFORE_MOVE, BPERF_AFTER_MOVE, BPERF_MOVE_PROGS };

/* bprof_config: one. */
struct bperf_config {
	__u32 level_min; /* of the cgroups that are counted */
	__u32 level_max;
	__u32 cgroup_v1; /* they are those of the v1 hierarchy that has perf_event */
	__u32 task_link[BPERF_TASK_PROGS]; /* ids of the links of bperf_tasks; 0: none yet */
	__u32 move_link[BPERF_MOVE_PROGS]; /* the same of bperf_moves */
	__u32 next_set;			   /* where the search for a free one begins */
	__u64 lost;			   /* children that there was no key left for */
	struct bperf_offsets at;
};

/* bprof_owners: a user that reads a set; known by a map that it alone holds. */
struct bperf_owner {
	__u32 set;
	__u32 user; /* id of the map */
};

#endif
