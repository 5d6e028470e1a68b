// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Follows the tasks that bperf counts when they fork, execute a program or exit: children inherit
 * the sets of their parents, a thread's id can change, and the keys of dead tasks are removed.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bperf_count.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline void inherit(__u32 kinds, enum bperf_kind kind, __u32 parent, __u32 child)
{
	struct bperf_config *c = &bprof_config;
	__u64 from = bperf_key(kind, parent), to = bperf_key(kind, child);
	struct bperf_member *m, copy = {};

	if (parent == child || !(kinds & 1 << kind))
		return;
	m = bpf_map_lookup_elem(&bprof_keys, &from);
	if (!m) {
		/*
		 * The child has no key. An earlier process with the same id may have left a key
		 * behind, if its last thread was traced by a debugger.
		 */
		bpf_map_delete_elem(&bprof_keys, &to);
		if (kind == BPERF_PROCESS)
			forget_slot(child);
		return;
	}
	copy.set = m->set;
	if (kind == BPERF_PROCESS)
		c->slot[child % BPERF_SLOTS] = BPERF_SLOT_UNKNOWN;
	if (bpf_map_update_elem(&bprof_keys, &to, &copy, BPF_ANY)) {
		__sync_fetch_and_add(&c->lost, 1);
	} else if (kind == BPERF_PROCESS) {
		c->slot[child % BPERF_SLOTS] = bperf_slot(child, copy.set);
		/* A user may have changed or deleted the key before the slot was filled. */
		m = bpf_map_lookup_elem(&bprof_keys, &to);
		if (!m || m->set != copy.set)
			forget_slot(child);
	}
}

/*
 * Runs in the parent, before the child runs for the first time (kernel/fork.c, kernel_clone()). The
 * arguments are the parent and the child (include/trace/events/sched.h).
 */
SEC("raw_tp/sched_process_fork")
int bprof_on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct bperf_offsets *at = &bprof_config.at;
	const void *child = (const void *)ctx->args[1];
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	__u32 kinds = bprof_config.kinds;

	if (!kinds)
		return 0;
	inherit(kinds, BPERF_PROCESS, pid_tgid >> 32, read_u32(child, at->task_tgid));
	inherit(kinds, BPERF_THREAD, pid_tgid, read_u32(child, at->task_pid));
	return 0;
}

static __always_inline void rename_thread(__u32 kinds, enum bperf_kind kind, __u32 from, __u32 to)
{
	__u64 old = bperf_key(kind, from), new = bperf_key(kind, to);
	struct bperf_member *m, copy = {};

	if (!(kinds & 1 << kind))
		return;
	bpf_map_delete_elem(&bprof_keys, &new);
	m = bpf_map_lookup_elem(&bprof_keys, &old);
	if (!m)
		return;
	copy.set = m->set;
	bpf_map_delete_elem(&bprof_keys, &old);
	bpf_map_update_elem(&bprof_keys, &new, &copy, BPF_ANY);
}

/*
 * A thread that executes a program becomes the first thread of its process and takes over the id of
 * the former first thread, which is dead by then (fs/exec.c, de_thread()). The arguments are the
 * task, its old id and the linux_binprm.
 */
SEC("raw_tp/sched_process_exec")
int bprof_on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 from = ctx->args[1], to = bpf_get_current_pid_tgid(), kinds = bprof_config.kinds;

	if (from == to || !kinds)
		return 0;
	rename_thread(kinds, BPERF_THREAD, from, to);
	rename_thread(kinds, BPERF_THREAD_ALONE, from, to);
	return 0;
}

static __always_inline void mark_dying(__u32 kinds, enum bperf_kind kind, __u32 id)
{
	__u64 key = bperf_key(kind, id);
	struct bperf_member *m;

	if (!(kinds & 1 << kind))
		return;
	m = bpf_map_lookup_elem(&bprof_keys, &key);
	if (m)
		m->dying = 1;
}

/*
 * Runs in the exiting task, which continues to run for a while. signal->live counts the threads of
 * a process that have not reached this point (kernel/exit.c, do_exit()).
 */
SEC("raw_tp/sched_process_exit")
int bprof_on_exit(void *ctx)
{
	const void *task = (const void *)bpf_get_current_task(), *signal;
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	const struct bperf_offsets *at = &bprof_config.at;
	__u32 kinds = bprof_config.kinds;

	if (!kinds)
		return 0;
	mark_dying(kinds, BPERF_THREAD, pid_tgid);
	mark_dying(kinds, BPERF_THREAD_ALONE, pid_tgid);
	signal = (const void *)read_u64(task, at->task_signal);
	if (read_u32(signal, at->signal_live))
		return 0;
	/*
	 * Do not remove the keys yet: threads that began to exit earlier may still be closing
	 * files, see bprof_remove_dead().
	 */
	mark_dying(kinds, BPERF_PROCESS, pid_tgid >> 32);
	forget_slot(pid_tgid >> 32);
	mark_dying(kinds, BPERF_PROCESS_ALONE, pid_tgid >> 32);
	return 0;
}
