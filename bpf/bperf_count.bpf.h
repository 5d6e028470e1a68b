/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF maps of bperf and the code that adds counts to them. The leader and the follower share
 * this file. The code runs on each context switch, while the outgoing task is still current. Users
 * also run the code at other times, by BPF_PROG_TEST_RUN; interrupts may be enabled in these runs.
 */
#ifndef BPROF_BPERF_COUNT_BPF_H
#define BPROF_BPERF_COUNT_BPF_H

#include "bperf.h"

/* The number of sets that one call of bprof_add_to_some() handles. */
#define SOME_SETS 32

#define TASK_DEAD 0x80 /* state of a dead task at its last context switch (include/linux/sched.h) */

/*
 * The only variable of these programs, so that their map .bss contains nothing else. A program can
 * use a variable without a lookup, unlike an element of a map.
 */
struct bperf_config bprof_config;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bperf_readings);
} bprof_readings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space to the number of possible CPU ids */
	__type(key, __u32);
	__type(value, struct bperf_cpu);
} bprof_sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BPERF_KEYS);
	__type(key, __u64);
	__type(value, struct bperf_member);
} bprof_keys SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, BPERF_KEYS);
	__type(key, struct bperf_owner);
	__type(value, __u32);
} bprof_owners SEC(".maps");

/* Reads a word of kernel memory at p + offset. */
static __always_inline __u64 read_u64(const void *p, __u32 offset)
{
	__u64 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), p + offset);
	return v;
}

static __always_inline __u32 read_u32(const void *p, __u32 offset)
{
	__u32 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), p + offset);
	return v;
}

static __always_inline void add_count(struct bperf_count *to, const struct bperf_count *diff)
{
	to->counter += diff->counter;
	to->enabled += diff->enabled;
	to->running += diff->running;
}

/*
 * Adds "diff" to one set. Returns the number of the next set in the chain, or 0 at the end of the
 * chain.
 */
static __always_inline __u32 add_to_set(struct bperf_cpu *cpu, __u32 set,
					const struct bperf_count *diff)
{
	struct bperf_set *s = &cpu->set[set & (BPERF_SETS - 1)];

	add_count(&s->count, diff);
	return s->next;
}

static __always_inline struct bperf_cpu *this_cpu(void)
{
	__u32 id = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&bprof_sets, &id);
}

/*
 * Sets the slot of a process to unknown if the slot names this process. Called when the process no
 * longer has a key or has begun to exit.
 */
static __always_inline void forget_slot(__u32 pid)
{
	__u64 *slot = &bprof_config.slot[pid % BPERF_SLOTS];

	if (*slot >> 32 == pid)
		*slot = BPERF_SLOT_UNKNOWN;
}

/*
 * Adds the difference to a set and the sets after it in the chain, to at most SOME_SETS sets.
 * Returns the next set, or 0. Long code that rarely runs is in global functions like this: the
 * verifier checks a global function only once, and not again for each call. The members of "diff"
 * are passed as numbers, because global functions can take pointers only since Linux 5.12.
 */
__noinline int bprof_add_to_some(__u32 set, __u64 counter, __u64 enabled, __u64 running)
{
	struct bperf_count diff = {counter, enabled, running};
	struct bperf_cpu *cpu = this_cpu();

	for (int i = 0; cpu && set && i < SOME_SETS; i++)
		set = add_to_set(cpu, set, &diff);
	return set;
}

/*
 * Adds the difference to a set and all sets after it in the chain, with one function call for each
 * SOME_SETS sets: the verifier would spend more time on a single loop over all sets than on the
 * rest of the program.
 */
__noinline int bprof_add_to_rest(__u32 set, __u64 counter, __u64 enabled, __u64 running)
{
	for (int i = 0; set && i < BPERF_CHAIN / SOME_SETS; i++)
		set = bprof_add_to_some(set, counter, enabled, running);
	return 0;
}

static __always_inline void add_to_sets(struct bperf_cpu *cpu, __u32 set,
					const struct bperf_count *diff)
{
	set = add_to_set(cpu, set, diff);
	if (set)
		bprof_add_to_rest(set, diff->counter, diff->enabled, diff->running);
}

/*
 * Returns 1 if every thread of the current task's process has reached exit_notify()
 * (kernel/exit.c). In exit_notify() each thread sets its exit_state, and all threads but the thread
 * group leader leave the process. A thread that has only begun to exit may still have much work to
 * do: it frees its memory and closes its files.
 */
static __always_inline int process_is_dead(const struct bperf_config *c, const void *task)
{
	const void *signal = (const void *)read_u64(task, c->at.task_signal);
	const void *leader = (const void *)read_u64(task, c->at.task_leader);

	return read_u32(signal, c->at.signal_threads) <= 1 &&
	       read_u32(leader, c->at.task_exit_state);
}

/*
 * Removes the key of a task that will not run again. The key of a process is removed when its last
 * thread dies.
 */
__noinline int bprof_remove_dead(__u64 key)
{
	const void *task = (const void *)bpf_get_current_task();
	enum bperf_kind kind = bperf_key__kind(key);
	const struct bperf_config *c = &bprof_config;

	if (read_u32(task, c->at.task_state) != TASK_DEAD)
		return 0;
	if (kind == BPERF_THREAD || kind == BPERF_THREAD_ALONE || process_is_dead(c, task))
		bpf_map_delete_elem(&bprof_keys, &key);
	return 0;
}

static __always_inline void count_task(struct bperf_cpu *cpu, enum bperf_kind kind, __u32 id,
				       const struct bperf_count *diff)
{
	__u64 key = bperf_key(kind, id);
	struct bperf_member *m;

	if (!(bprof_config.kinds & 1 << kind))
		return;
	m = bpf_map_lookup_elem(&bprof_keys, &key);
	if (!m)
		return;
	add_to_sets(cpu, m->set, diff);
	if (m->dying)
		bprof_remove_dead(key);
}

/*
 * Returns the task's cgroup in the counted hierarchy: v2, or the v1 hierarchy that has perf_event.
 */
static __always_inline const void *task_cgroup(const struct bperf_config *c, const void *task)
{
	const void *css_set = (const void *)read_u64(task, c->at.task_cgroups), *css;

	if (!c->cgroup_v1)
		return (const void *)read_u64(css_set, c->at.css_set_default);
	css = (const void *)read_u64(css_set, c->at.css_set_perf);
	return (const void *)read_u64(css, c->at.css_cgroup);
}

/*
 * Returns the id of the cgroup's ancestor at that level, or 0. At the cgroup's own level, returns
 * the id of the cgroup itself.
 */
static __always_inline __u64 ancestor_id(const struct bperf_config *c, const void *cgroup,
					 __u32 level)
{
	const void *ancestor;

	if (level > read_u32(cgroup, c->at.cgroup_level))
		return 0;
	if (!c->at.cgroup_ancestors)
		return read_u64(cgroup, c->at.cgroup_ancestor_ids + level * sizeof(__u64));
	ancestor = (const void *)read_u64(cgroup, c->at.cgroup_ancestors + level * sizeof(void *));
	return read_u64((const void *)read_u64(ancestor, c->at.cgroup_kn), c->at.kn_id);
}

/*
 * Adds the difference to the sets of the current task's cgroup and of all ancestors of that cgroup.
 */
__noinline int bprof_count_cgroups(__u64 counter, __u64 enabled, __u64 running)
{
	struct bperf_count diff = {counter, enabled, running};
	const struct bperf_config *c = &bprof_config;
	struct bperf_cpu *cpu = this_cpu();
	const void *v1 = NULL;
	__u32 level = 0;
	__u64 moved;

	if (!cpu)
		return 0;
	moved = cpu->moved.task;
	if (moved) {
		/*
		 * If the current task has been moved, use the cgroups that bprof_on_move() noted.
		 * Ignore them if another task was moved.
		 */
		moved = moved == bpf_get_current_task();
		cpu->moved.task = 0;
	}
	if (c->cgroup_v1)
		v1 = task_cgroup(c, (const void *)bpf_get_current_task());
	for (__u32 i = 0; i < BPERF_LEVELS; i++) {
		struct bperf_member *m;
		__u64 id, key;

		level = c->next_level[level];
		if (level >= BPERF_LEVELS)
			break;
		if (moved)
			id = cpu->moved.id[level & (BPERF_LEVELS - 1)];
		else
			id = v1 ? ancestor_id(c, v1, level)
				: bpf_get_current_ancestor_cgroup_id(level);
		if (!id)
			break;
		key = bperf_key(BPERF_CGROUP, id);
		m = bpf_map_lookup_elem(&bprof_keys, &key);
		if (m)
			add_to_sets(cpu, m->set, &diff);
		level++;
	}
	return 0;
}

/*
 * Adds the difference to the sets of the current task's process if the process has a key of kind
 * BPERF_PROCESS.
 */
__noinline int bprof_count_process(__u64 counter, __u64 enabled, __u64 running)
{
	struct bperf_count diff = {counter, enabled, running};
	struct bperf_cpu *cpu = this_cpu();

	if (cpu)
		count_task(cpu, BPERF_PROCESS, bpf_get_current_pid_tgid() >> 32, &diff);
	return 0;
}

/*
 * Adds the difference to the sets of the current task's keys of three rare kinds; for the kinds
 * BPERF_PROCESS and BPERF_CGROUP, count_keys() calls other functions.
 */
__noinline int bprof_count_others(__u64 counter, __u64 enabled, __u64 running)
{
	struct bperf_count diff = {counter, enabled, running};
	struct bperf_cpu *cpu = this_cpu();
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	if (!cpu)
		return 0;
	count_task(cpu, BPERF_THREAD, pid_tgid, &diff);
	count_task(cpu, BPERF_PROCESS_ALONE, pid_tgid >> 32, &diff);
	count_task(cpu, BPERF_THREAD_ALONE, pid_tgid, &diff);
	return 0;
}

/*
 * Returns the slot of the current task's process. The slot's lower half is the process's set.
 * Returns 0 if the process has no key, and BPERF_SLOT_UNKNOWN if only a lookup in bprof_keys can
 * tell.
 */
static __always_inline __u64 process_slot(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	__u64 slot = *(const volatile __u64 *)&bprof_config.slot[pid % BPERF_SLOTS];

	return !slot || slot >> 32 == pid ? slot : BPERF_SLOT_UNKNOWN;
}

/*
 * Adds the difference between two readings to the sets of the current task, which has run between
 * the readings. "slot" comes from process_slot().
 */
static __always_inline void count_keys(struct bperf_cpu *cpu, __u64 slot,
				       const struct bperf_count *diff)
{
	__u32 kinds = bprof_config.kinds;

	if (slot & BPERF_SLOT_UNKNOWN)
		bprof_count_process(diff->counter, diff->enabled, diff->running);
	else if (slot)
		add_to_sets(cpu, slot, diff);
	if (kinds & (1 << BPERF_THREAD | 1 << BPERF_PROCESS_ALONE | 1 << BPERF_THREAD_ALONE))
		bprof_count_others(diff->counter, diff->enabled, diff->running);
	if (kinds & 1 << BPERF_CGROUP)
		bprof_count_cgroups(diff->counter, diff->enabled, diff->running);
}

#endif
