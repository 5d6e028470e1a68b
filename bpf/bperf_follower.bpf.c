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

/* A map of the leader. User space sets its descriptor before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bperf_count);
} diff_readings SEC(".maps");

SEC("fexit/on_switch")
int bprof_on_switch(void *ctx)
{
	const struct bperf_count *diff = bpf_map_lookup_elem(&diff_readings, &bprof_config.zero);
	struct bperf_readings *r = bpf_map_lookup_elem(&bprof_readings, &bprof_config.zero);
	struct bperf_cpu *cpu;

	if (!diff || !r)
		return 0;
	add_count(&r->total, diff);
	if (!bprof_config.kinds)
		return 0;
	cpu = this_cpu();
	if (cpu)
		count_keys(cpu, process_slot(), diff);
	return 0;
}
