// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets that bprof's own system calls set off, too. Context: system calls of all processes, and
 * timers' interrupts.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "own.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct own_watch);
} watch SEC(".maps");

SEC("tracepoint/syscalls/sys_enter_openat")
int tp_openat(void *ctx)
{
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_bpf")
int tp_bpf(void *ctx)
{
	return 0;
}

static __attribute__((noinline)) int inner(int *value)
{
	return *value += 1;
}

SEC("raw_tp/sys_enter")
int raw_tp_enter(void *ctx)
{
	int value = 1;

	return inner(&value) == 3;
}

SEC("kprobe/vfs_read")
int kprobe_read(void *ctx)
{
	return 0;
}

SEC("fentry/vfs_read")
int fentry_read(void *ctx)
{
	return 0;
}

SEC("lsm/file_permission")
int lsm_permission(void *ctx)
{
	return 0;
}

/* Counts its runs in which the timer has interrupted the watched process. */
SEC("raw_tp/hrtimer_expire_entry")
int raw_tp_timer(void *ctx)
{
	__u32 key = 0;
	struct own_watch *w = bpf_map_lookup_elem(&watch, &key);

	if (w && w->tgid && bpf_get_current_pid_tgid() >> 32 == w->tgid)
		__sync_fetch_and_add(&w->interrupted, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
