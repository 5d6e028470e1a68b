// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wakes a bperf user when a task has been moved into another cgroup: see bperf_moves.bpf.c. Runs in
 * the process that moves the task.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The records carry no information; their arrival wakes the user. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} bprof_wakes SEC(".maps");

SEC("raw_tp/cgroup_attach_task")
int bprof_wake(void *ctx)
{
	__u64 word = 0;

	bpf_ringbuf_output(&bprof_wakes, &word, sizeof(word), BPF_RB_FORCE_WAKEUP);
	return 0;
}
