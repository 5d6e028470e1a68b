// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs on LSM hooks: a target that runs in getsid(2) with a process id, and a policy that
 * refuses tracing programs, to test how bprof reacts. Context: process context. Both need "bpf"
 * among the kernel's LSMs, and a kernel with trampolines on kernel functions.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EPERM 1

/* Has only the member that is read; libbpf finds its offset in the running kernel. */
struct bpf_prog {
	enum bpf_prog_type type;
} __attribute__((preserve_access_index));

SEC("lsm/task_getsid")
int BPF_PROG(lsm_getsid, struct task_struct *task)
{
	return 0;
}

/* Runs after verification, when a process is about to get the descriptor of a program. */
SEC("lsm/bpf_prog")
int BPF_PROG(deny_tracing, struct bpf_prog *prog)
{
	return prog->type == BPF_PROG_TYPE_TRACING ? -EPERM : 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
