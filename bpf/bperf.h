/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types that bperf's BPF programs and user space share. A bperf user is a process that counts
 * through bperf. The leader is the BPF program that reads an event for all users
 * (docs/dev/bperf.md).
 *
 * The BPF maps outlive the bperf users, because the leader holds the maps. If perf made the leader,
 * bprof's follower holds the maps: a BPF program that all bprof processes share. A user changes the
 * maps only while holding the file lock of perf_attr_map, the pinned map that lists the leaders.
 * Each step of a change writes a single word or a single element and leaves the maps usable, so a
 * user may be killed after any step.
 */
#ifndef BPROF_BPERF_H
#define BPROF_BPERF_H

#include <linux/types.h>

/* Laid out like struct bpf_perf_event_value. */
struct bperf_count {
	__u64 counter;
	__u64 enabled;
	__u64 running;
};

/*
 * The only element of bprof_readings, a per-CPU map: the leader's readings on the CPU.
 *
 * The leader may be interrupted by another run of the leader on the same CPU. total.enabled is at
 * least BPERF_BUSY while a run is changing the other members.
 */
struct bperf_readings {
	struct bperf_count diff;  /* between the last two readings; perf's followers read it */
	struct bperf_count total; /* the last reading: all events that occurred on the CPU */
	struct bperf_count now;	  /* the reading that a run of the leader is taking */
	struct bperf_count split; /* the difference that a run of the leader adds to sets */
	__u64 enabled;		  /* the value of total.enabled without BPERF_BUSY */
	__u32 cpu;		  /* the key of the CPU in bprof_sets */
	__u32 unused;
};

/* A time in ns that is longer than any event can be enabled. */
#define BPERF_BUSY (0xffffffffULL << 32)

/*
 * A set has a counter on each CPU. The counter counts the events that occur while the set's tasks
 * run. A task belongs to a set if a key in bprof_keys, of the task or of its cgroup, names this
 * set. One or more bperf users read the set. Set 0 does not exist: users that count entire CPUs
 * read bperf_readings.total. The number of sets is a power of two.
 */
#define BPERF_SETS 1024

struct bperf_set {
	struct bperf_count count;
	/*
	 * The number of another set to which the same counts are added, or 0 if there is no such
	 * set. The number is the same on all CPUs.
	 */
	__u32 next;
	__u32 unused;
};

/* The maximum depth of a counted cgroup. */
#define BPERF_LEVELS 32

/*
 * Describes a CPU's running task if it was moved to another cgroup since the CPU's event was last
 * read: the task, and the cgroups that it was in before the move.
 */
struct bperf_moved {
	/* address of the struct task_struct; 0: no task was moved; written after id */
	__u64 task;
	/* cgroup ids, indexed by level; 0: the task has no cgroup at this level */
	__u64 id[BPERF_LEVELS];
};

/* An element of bprof_sets. There is one element for each possible CPU id. */
struct bperf_cpu {
	struct bperf_set set[BPERF_SETS];
	struct bperf_moved moved;
};

/*
 * A set and the sets that follow it by bperf_set.next form a chain. BPERF_CHAIN is the maximum
 * length of a chain: a chain may contain all sets.
 *
 * A chain grows when a user starts to count a process that has forked since earlier users started:
 * the children count for the earlier users, but not for the new one. Therefore the process gets a
 * new set, whose next is the earlier set.
 */
#define BPERF_CHAIN BPERF_SETS

/*
 * Kinds of keys in bprof_keys. If a process or thread has a key, its children get a key with the
 * same set, except for the _ALONE kinds.
 */
enum bperf_kind {
	BPERF_PROCESS,
	BPERF_THREAD,
	BPERF_PROCESS_ALONE,
	BPERF_THREAD_ALONE,
	BPERF_TASK_KINDS,
	BPERF_CGROUP = BPERF_TASK_KINDS,
};

/*
 * The maximum number of keys in bprof_keys, the map of counted tasks and cgroups. BPF programs
 * remove a task's key when the task dies.
 */
#define BPERF_KEYS 16384

struct bperf_member {
	__u32 set;
	union {
		__u32 level; /* of a cgroup: its depth below the root of the hierarchy */
		__u32 dying; /* of a task: 1 if it is exiting, see bprof_remove_dead() */
	};
};

/*
 * Returns the key of a cgroup or a task. Bit 63 marks cgroups. A cgroup id does not use this bit:
 * its upper half only counts how often the lower half has wrapped around (fs/kernfs/dir.c).
 */
static inline __u64 bperf_key(enum bperf_kind kind, __u64 id)
{
	return kind == BPERF_CGROUP ? id | 1ULL << 63 : id | (__u64)(kind + 1) << 32;
}

static inline enum bperf_kind bperf_key__kind(__u64 key)
{
	return key >> 63 ? BPERF_CGROUP : (enum bperf_kind)((key >> 32) - 1);
}

/*
 * The slots are a summary of the keys of kind BPERF_PROCESS. They make most lookups in bprof_keys
 * unnecessary: a lookup takes 140 instructions. The processes with the ids P, P + BPERF_SLOTS, …
 * share slot P. A slot has one of these values:
 *
 * - 0: none of these processes has a key.
 * - bperf_slot(P, set): process P has a key, with this set. The slot's other processes may have keys.
 * - BPERF_SLOT_UNKNOWN with any id: each of these processes may have a key.
 *
 * The writer of a key first sets the slot to unknown, then changes the key, and then sets the slot
 * to its new value. So the slot is right whenever it is read, even if the writer is killed in
 * between. A process that exits sets its slot to unknown. All slots become 0 again when the last
 * key of kind BPERF_PROCESS is removed.
 */
#define BPERF_SLOTS 16384
#define BPERF_SLOT_UNKNOWN (1ULL << 63)

static inline __u64 bperf_slot(__u32 pid, __u32 set)
{
	return (__u64)pid << 32 | set;
}

/*
 * Byte offsets of members of kernel structs, taken from the kernel's BTF. The first bperf user that
 * counts tasks or cgroups writes them.
 */
struct bperf_offsets {
	__u32 task_state;
	__u32 task_pid; /* 0 if the offsets are not known yet; written after all other offsets */
	__u32 task_tgid;
	__u32 task_signal;
	__u32 task_leader;
	__u32 task_exit_state;
	__u32 signal_live;
	__u32 signal_threads;
	__u32 task_cgroups;    /* offset of cgroups; 0 if the kernel has no perf_event cgroups */
	__u32 css_set_perf;    /* offset of subsys[perf_event_cgrp_id] in struct css_set */
	__u32 css_set_default; /* offset of dfl_cgrp, the v2 cgroup */
	__u32 css_cgroup;
	__u32 cgroup_level;
	/* offset of an array of pointers; 0 before Linux 6.1, see cgroup_ancestor_ids */
	__u32 cgroup_ancestors;
	__u32 cgroup_ancestor_ids;
	__u32 cgroup_kn;
	__u32 kn_id;
	__u32 rq_curr;	   /* offset of curr; 0 if the running task of a CPU cannot be found */
	__u32 regs_second; /* offset of a function's second argument in struct pt_regs */
};

/* The programs that follow tasks (bperf_tasks.bpf.c). */
enum bperf_task_prog { BPERF_ON_FORK, BPERF_ON_EXEC, BPERF_ON_EXIT, BPERF_TASK_PROGS };

/*
 * The programs that run before (bperf_moves.bpf.c) and after (the leader) each move of a task
 * between cgroups.
 */
enum bperf_move_prog { BPERF_BEFORE_MOVE, BPERF_AFTER_MOVE, BPERF_MOVE_PROGS };

/*
 * The type of bprof_config, a variable of the BPF programs in the map .bss (bpf/bperf_count.bpf.h).
 */
struct bperf_config {
	/* A mask: bit i is set if bprof_keys has keys of kind i (enum bperf_kind). */
	__u32 kinds;
	__u32 zero; /* always 0 */
	/*
	 * The levels that have counted cgroups: element L is the lowest of these levels that is at
	 * least L, or BPERF_LEVELS if no such level exists. Element L is never below L, so a
	 * reader's loop ends even if a writer has changed only some elements so far.
	 */
	__u8 next_level[BPERF_LEVELS + 1];
	/* 1 if the counted cgroups are in the v1 hierarchy of the controller perf_event */
	__u32 cgroup_v1;
	/* ids of the programs' links, indexed by bperf_task_prog; 0: no link yet */
	__u32 task_link[BPERF_TASK_PROGS];
	/* ids of the programs' links, indexed by bperf_move_prog */
	__u32 move_link[BPERF_MOVE_PROGS];
	/* number of the set at which the search for a free set begins */
	__u32 next_set;
	/* number of children not counted because bprof_keys was full */
	__u64 lost;
	struct bperf_offsets at;
	/* indexed by process id modulo BPERF_SLOTS */
	__u64 slot[BPERF_SLOTS];
};

/*
 * A key of bprof_owners. Its existence means that the bperf user reads the set. A user is
 * identified by the id of a map that only this user holds.
 */
struct bperf_owner {
	__u32 set;
	__u32 user; /* id of the user's map */
};

#endif
