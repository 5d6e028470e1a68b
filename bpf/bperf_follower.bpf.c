// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof's follower of a leader that perf made. It adds that leader's readings to the sets of all
 * bprof users. It runs after that leader's on_switch, on the same CPU.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bperf_count.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* A map of the leader: user space sets the map's descriptor before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_perf_event_value);
} diff_readings SEC(".maps");

SEC("fexit/on_switch")
int bprof_on_switch(void *ctx)
{
	__u32 zero = 0;
	const struct bpf_perf_event_value *diff = bpf_map_lookup_elem(&diff_readings, &zero);
	struct bperf_cpu *cpu = this_cpu();

	if (!diff || !cpu)
		return 0;
	add_to_set(cpu, 0, diff);
	count_keys(cpu, diff);
	return 0;
}
