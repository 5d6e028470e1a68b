// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the system calls that a single-threaded process makes in each iteration ("turn") of its
 * loop. Tests use this program to examine bprof; it is not a target. Context: raw tracepoint.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "syscalls.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct syscall_watch);
} watch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SYSCALL_TURNS);
	__type(key, __u32);
	__type(value, struct syscall_turn);
} turns SEC(".maps");

SEC("raw_tp/sys_enter")
int count_syscalls(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 key = 0, nr = ctx->args[1];
	struct syscall_watch *w = bpf_map_lookup_elem(&watch, &key);
	struct syscall_turn *t;

	if (!w || !w->tgid || bpf_get_current_pid_tgid() >> 32 != w->tgid)
		return 0;
	if (nr == w->wait_nr) {
		w->turn++;
		return 0;
	}
	key = w->turn;
	t = bpf_map_lookup_elem(&turns, &key); /* NULL after SYSCALL_TURNS turns */
	if (!t || nr >= SYSCALL_NRS)
		return 0;
	t->nr[nr]++;
	t->total++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
