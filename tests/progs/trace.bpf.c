// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets that run in getsid(2) with a process id, a system call that nothing else in the test VM
 * makes. The file also has a raw tracepoint program, which is never attached and only runs in
 * BPF_PROG_TEST_RUN. Context: process context of the caller.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("tracepoint/syscalls/sys_enter_getsid")
int tp_getsid(void *ctx)
{
	return 0;
}

SEC("ksyscall/getsid")
int kprobe_getsid(struct pt_regs *ctx)
{
	return 0;
}

SEC("raw_tracepoint/task_rename")
int raw_tp_rename(struct bpf_raw_tracepoint_args *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
