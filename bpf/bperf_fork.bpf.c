// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Children count where their parents do. Runs in the parent, before the child does for the first
 * time (kernel/fork.c, kernel_clone()).
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bperf_count.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline void inherit(struct bperf_config *c, enum bperf_kind kind, __u32 parent,
				    __u32 child)
{
	__u64 from = bperf_key(kind, parent), to = bperf_key(kind, child);
	struct bperf_member *m, copy = {};

	if (parent == child || !(c->kinds & 1 << kind))
		return;
	m = bpf_map_lookup_elem(&bprof_keys, &from);
	if (!m)
		return;
	copy.set = m->set;
	if (bpf_map_update_elem(&bprof_keys, &to, &copy, BPF_ANY))
		__sync_fetch_and_add(&c->lost, 1);
}

/* args: parent, child (include/trace/events/sched.h) */
SEC("raw_tp/sched_process_fork")
int bprof_on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0;
	struct bperf_config *c = bpf_map_lookup_elem(&bprof_config, &zero);
	const void *child = (const void *)ctx->args[1];
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	if (!c || !c->kinds)
		return 0;
	inherit(c, BPERF_PROCESS, pid_tgid >> 32, read_u32(child, c->at.task_tgid));
	inherit(c, BPERF_THREAD, pid_tgid, read_u32(child, c->at.task_pid));
	return 0;
}
