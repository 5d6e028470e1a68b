// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probe: one fentry/fexit pair around one target, whatever the number of events. Both run in
 * the target's trampoline, in its context (softirq, syscall, NMI, …), with migration disabled; they
 * may be preempted or interrupted where the target may be. Every instruction here is added to the
 * target's cost.
 *
 * An invocation is known by its ctx pointer, the address of the arguments on the trampoline's
 * stack: the same at entry and exit, and unique among the invocations in flight. Its entry readings
 * are kept in one of the CPU's frames.
 *
 * No CO-RE relocations: libbpf then needs no kernel BTF to load this, which is what makes it quick.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "probe.h"

/*
 * A constant for the verifier, which removes the code of all events that are not there. It is read
 * once, at the head of each program: what is left of it is that one load.
 */
const volatile __u32 bprof_config;

/* Shared by all probes of a session, so that all targets start and stop together. */
__u64 bprof_gate SEC(".data.gate");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* user space: BPROF_EVENT_SLOT(highest CPU id + 1, 0) */
	__type(key, __u32);
	__type(value, __u32);
} bprof_events SEC(".maps");

/*
 * An mmapable array indexed by CPU id costs what a per-CPU array does and is read without a
 * syscall.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* user space: highest CPU id + 1 */
	__type(key, __u32);
	__type(value, struct bprof_cpu_stat);
} bprof_stats SEC(".maps");

/*
 * Reads the counters into at[], in the same order at entry and at exit, so that every event has the
 * same bias. Each i has to be a constant for the verifier, hence no loop. The cheap read, without
 * enabled and running times, will do: the events are pinned (event_fds.c).
 */
static __always_inline void read_events(__u64 *at, __u32 config, __u32 cpu)
{
	__u32 slot = BPROF_EVENT_SLOT(cpu, 0);

#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++)
		if (i < BPROF_CONFIG_EVENTS(config))
			at[i] = bpf_perf_event_read(&bprof_events, slot + i);
	if (BPROF_CONFIG_CLOCK(config))
		at[BPROF_CLOCK_SLOT] = bpf_ktime_get_ns();
}

static __always_inline void add_run(struct bprof_event_sum *sum, __u64 start, __u64 end)
{
	__u64 delta = end - start;

	/* Errors come as small negative numbers; no counter gets so far. */
	if ((__s64)(start | end) < 0) {
		sum->errors++;
		return;
	}
	sum->total += delta;
	if (delta < sum->min)
		sum->min = delta;
	if (delta > sum->max)
		sum->max = delta;
}

static __always_inline void add_run_events(struct bprof_cpu_stat *stat, const __u64 *start,
					   const __u64 *end, __u32 config)
{
#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++)
		if (i < BPROF_CONFIG_EVENTS(config))
			add_run(&stat->event[i], start[i], end[i]);
	if (BPROF_CONFIG_CLOCK(config))
		add_run(&stat->event[BPROF_CLOCK_SLOT], start[BPROF_CLOCK_SLOT],
			end[BPROF_CLOCK_SLOT]);
}

SEC("fentry")
int bprof_entry(void *ctx)
{
	__u32 config = bprof_config;
	__u32 cpu = bpf_get_smp_processor_id();
	struct bprof_cpu_stat *stat = bpf_map_lookup_elem(&bprof_stats, &cpu);
	struct bprof_frame *frame;
	__u64 key = (__u64)ctx;

	if (!stat || stat->off)
		return 0;
	frame = &stat->frame[0];
	/*
	 * A frame with our own ctx is left from an invocation whose exit the kernel did not show
	 * us.
	 */
	if (frame->ctx && frame->ctx != key && (++frame)->ctx && frame->ctx != key &&
	    (++frame)->ctx && frame->ctx != key && (++frame)->ctx && frame->ctx != key) {
		if (bprof_gate)
			stat->lost_overflow++;
		return 0;
	}
	frame->ctx = key;
	frame->counted = bprof_gate;
	/* Nothing but the readings from here on: it would be counted as the target's. */
	read_events(frame->start, config, cpu);
	return 0;
}

SEC("fexit")
int bprof_exit(void *ctx)
{
	__u64 end[BPROF_SLOTS];
	__u32 config = bprof_config;
	__u32 cpu = bpf_get_smp_processor_id();
	struct bprof_cpu_stat *stat;
	struct bprof_frame *frame;
	__u64 key = (__u64)ctx;

	/* The readings first: the rest of this probe is not the target's. */
	read_events(end, config, cpu);
	stat = bpf_map_lookup_elem(&bprof_stats, &cpu);
	if (!stat || stat->off)
		return 0;
	frame = &stat->frame[0];
	if (frame->ctx != key && (++frame)->ctx != key && (++frame)->ctx != key &&
	    (++frame)->ctx != key) {
		if (bprof_gate)
			stat->lost_entry++;
		return 0;
	}
	if (frame->counted) {
		add_run_events(stat, frame->start, end, config);
		stat->measured++;
	}
	barrier(); /* last: a free frame says that its run is in the sums */
	frame->ctx = 0;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
