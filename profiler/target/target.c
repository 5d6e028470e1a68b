// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Properties of a target that follow from its program and function. Must not know how targets are
 * selected.
 */
#include "btf/func_table.h"
#include "target/target.h"

const struct bpf_fn *target__fn(const struct target *t)
{
	return t->prog->funcs && !target__is_called(t) ? &t->prog->funcs->fn[t->func_index] : NULL;
}

/*
 * Returns false for programs that run in softirqs, such as XDP programs: in a softirq, the current
 * task has nothing to do with the run.
 */
bool target__is_on_syscalls(const struct target *t)
{
	enum bpf_prog_type type = t->prog->info.type;

	return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
	       type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       type == BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE || type == BPF_PROG_TYPE_TRACING ||
	       type == BPF_PROG_TYPE_LSM || type == BPF_PROG_TYPE_CGROUP_DEVICE ||
	       type == BPF_PROG_TYPE_CGROUP_SYSCTL;
}

__u32 target__ret_sz(const struct target *t)
{
	const struct bpf_fn *fn = target__fn(t);

	return fn ? fn->ret_sz : 0;
}
