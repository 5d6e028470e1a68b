// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The leader of bperf. There is one leader per perf_event_attr, and all users share it. On each
 * context switch of a CPU the leader reads its event. It adds the difference from the previous
 * reading to the sets of the outgoing task, which has run since then.
 *
 * perf can use this leader like one of its own: perf's followers attach to a function named
 * on_switch and read diff_readings (tools/perf/util/bpf_counter.c). perf also runs on_switch by
 * BPF_PROG_TEST_RUN without a context, so on_switch must not access ctx.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bperf_count.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/*
 * The events, indexed by CPU id. The map keeps them open after the process that made them has
 * exited.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
	__uint(max_entries, 1); /* set by user space to the number of possible CPU ids */
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_perf_event_value);
} diff_readings SEC(".maps");

/*
 * Returns 1 if this run of on_switch interrupted another one on the same CPU. That can happen
 * because one user runs on_switch in a task, and another user runs it from an interrupt. A caller
 * that gets 1 must try again.
 */
SEC("raw_tp/sched_switch")
int on_switch(void *ctx)
{
	__u32 id = bpf_get_smp_processor_id(), zero = 0;
	struct bperf_cpu *cpu = bpf_map_lookup_elem(&bprof_sets, &id);
	struct bpf_perf_event_value now, diff = {},
					 *out = bpf_map_lookup_elem(&diff_readings, &zero);
	struct bperf_set *all;

	if (!cpu || !out)
		return 0;
	all = &cpu->set[0];
	if (all->busy) {
		*out = diff; /* a difference of 0: perf's followers add nothing */
		return 1;
	}
	all->busy = 1;
	if (!bpf_perf_event_read_value(&events, id, &now, sizeof(now))) {
		diff.counter = now.counter - all->counter;
		diff.enabled = now.enabled - all->enabled;
		diff.running = now.running - all->running;
		all->counter = now.counter;
		all->enabled = now.enabled;
		all->running = now.running;
		count_keys(cpu, &diff);
	}
	barrier();
	all->busy = 0;
	/*
	 * Write the difference last: if another run of on_switch has interrupted this one, it may
	 * have written to *out, too. If this CPU has no event, the difference is 0.
	 */
	*out = diff;
	return 0;
}
