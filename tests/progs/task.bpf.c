// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that calls a helper. On arm64, from Linux 6.10 on, the verifier leaves this call to the JIT, even if
 * the JIT is off (bug "interpreter" in docs/kernel-bugs.md). Context: a task in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("raw_tp/task_rename")
int raw_tp_task(struct bpf_raw_tracepoint_args *ctx)
{
	return bpf_get_current_task() != 0;
}

char LICENSE[] SEC("license") = "GPL";
