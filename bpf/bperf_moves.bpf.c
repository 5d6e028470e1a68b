// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Follows tasks that are moved into another cgroup while they run. The counts of such a task since
 * its CPU's last reading belong to its old cgroup, but a BPF program cannot read the events of
 * another CPU. So bprof_on_move() notes, for the task's CPU, the task's cgroups before the move.
 * The next run of the leader on the task's CPU counts for the noted cgroups
 * (bpf/bperf_count.bpf.h). After the move, the leader also runs on the CPU of the process that
 * moves the task: this suffices for a task that moves itself. For other tasks, bperf_waker.bpf.c
 * wakes the bprof processes that count cgroups, and these run the leader on the task's CPU.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bperf_count.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The maximum number of CPUs that the loop in bprof_on_move() visits. */
#define MAX_CPUS 4096

/* The kernel's run queue of a CPU. Its members are read by offset. */
struct rq {
};
extern const struct rq runqueues __ksym;

/*
 * Notes the cgroups of the task that runs on CPU "id", if this task belongs to the process whose
 * signal_struct is at "signal". Returns 1 if there is no CPU "id".
 */
__noinline int bprof_note_cgroups(__u32 id, __u64 signal)
{
	struct bperf_cpu *cpu = bpf_map_lookup_elem(&bprof_sets, &id);
	const void *rq = bpf_per_cpu_ptr(&runqueues, id), *task, *cgroup;
	const struct bperf_config *c = &bprof_config;

	if (!cpu || !rq)
		return 1;
	task = (const void *)read_u64(rq, c->at.rq_curr);
	if (read_u64(task, c->at.task_signal) != signal)
		return 0;
	/*
	 * The task has already been moved since the last reading: keep the cgroups that were noted
	 * first.
	 */
	if (cpu->moved.task == (__u64)task)
		return 0;
	cgroup = task_cgroup(c, task);
	for (__u32 level = 0; level < BPERF_LEVELS; level++)
		cpu->moved.id[level] = ancestor_id(c, cgroup, level);
	barrier();
	cpu->moved.task = (__u64)task;
	return 0;
}

/*
 * Runs at the entry of cgroup_attach_task(dst_cgrp, leader, threadgroup), kernel/cgroup/cgroup.c.
 */
SEC("kprobe")
int bprof_on_move(void *regs)
{
	const struct bperf_config *c = &bprof_config;
	const void *task;
	__u64 signal;

	if (!(c->kinds & 1 << BPERF_CGROUP))
		return 0;
	if (!c->at.task_cgroups || !c->at.rq_curr || !c->at.regs_second)
		return 0;
	task = (const void *)read_u64(regs, c->at.regs_second);
	signal = read_u64(task, c->at.task_signal);
	for (__u32 id = 0; id < MAX_CPUS; id++)
		if (bprof_note_cgroups(id, signal))
			break;
	return 0;
}
