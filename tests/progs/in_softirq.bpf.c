// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that runs in soft interrupts and calls a function of the kernel, and a program that runs in
 * the hard interrupts of a timer. On most architectures, both use the same stack. So test_interrupt.c makes
 * the second one run at many places of the first one, and of its probe. Contexts: the tracepoint
 * softirq_exit, and a perf event.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "in_softirq.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} table SEC(".maps");

struct in_softirq_seen seen;

SEC("raw_tracepoint/softirq_exit")
int in_softirq(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 key = 1;
	__u64 value = 2;

	seen.softirqs++;
	bpf_map_update_elem(&table, &key, &value, BPF_ANY);
	return 0;
}

SEC("perf_event")
int on_clock(struct bpf_perf_event_data *ctx)
{
	seen.ticks++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
