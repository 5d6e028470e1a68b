// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The leader of bperf. There is one leader per perf_event_attr, and all users share the leader. On
 * each context switch of a CPU, the leader reads the CPU's event. It adds the difference from the
 * previous reading to the sets of the outgoing task, which has run since the previous reading.
 *
 * perf can use this leader like its own leaders: perf's followers attach to a function named
 * on_switch and read diff_readings (tools/perf/util/bpf_counter.c). perf also runs on_switch by
 * BPF_PROG_TEST_RUN without a context, so on_switch must not access ctx.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bperf_count.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/*
 * The events, indexed by CPU id. The map keeps the events open after the process that made them has
 * exited.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
	__uint(max_entries, 1); /* set by user space to the number of possible CPU ids */
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

/*
 * Marks the total as busy and reads the CPU's event. Returns 0, or -errno with a reading of 0.
 *
 * As the mark, writes the upper half of BPERF_BUSY into the upper half of total.enabled. The same
 * number is an argument of the helper (BPF_F_CURRENT_CPU), so clang loads it into a register only
 * once.
 */
static __always_inline long read_event(struct bperf_readings *r)
{
	__u64 this_cpu = BPF_F_CURRENT_CPU;

	barrier_var(this_cpu);
	((__u32 *)&r->total.enabled)[1] = this_cpu;
	barrier();
	return bpf_perf_event_read_value(&events, this_cpu, (struct bpf_perf_event_value *)&r->now,
					 sizeof(r->now));
}

/*
 * Returns the reading that read_event() has stored. In the meantime, another run may have
 * interrupted this run and stored a later reading, or zeros if it could not read the event. Loads
 * "enabled" last, so that the caller notices zeros.
 */
static __always_inline struct bperf_count load_reading(const struct bperf_readings *r)
{
	const volatile struct bperf_count *now = &r->now;
	struct bperf_count c;

	c.counter = now->counter;
	c.running = now->running;
	c.enabled = now->enabled;
	return c;
}

/*
 * Ends a run: removes the mark from total.enabled. Writes the difference last, because another run
 * that interrupted this run may have written its own difference there.
 */
static __always_inline void end_run(struct bperf_readings *r, __u64 enabled,
				    const struct bperf_count *diff)
{
	barrier();
	r->total.enabled = enabled;
	barrier();
	r->diff = *diff;
}

/*
 * Ends a run of on_switch() in which the enabled time has not grown. "before" is total.enabled as
 * this run found it, without this run's mark. Returns the result of on_switch().
 */
static __noinline int end_odd_run(struct bperf_readings *r, __u64 before)
{
	struct bperf_count diff = {};

	if (before >= BPERF_BUSY) { /* this run has interrupted another run */
		r->diff = diff;
		return 1;
	}
	/*
	 * The time is the same if the clock stood still, or if the CPU was offline and its event no
	 * longer counts. Otherwise the event could not be read.
	 */
	if (r->now.enabled == r->enabled) {
		diff.counter = r->now.counter - r->total.counter;
		diff.running = r->now.running - r->total.running;
		r->total.counter += diff.counter;
		r->total.running += diff.running;
	}
	end_run(r, r->enabled, &diff);
	return 0;
}

/* Adds the difference to all sets of the current task, and ends the run. */
static __noinline int count_all(struct bperf_readings *r, struct bperf_cpu *cpu, __u64 slot)
{
	struct bperf_count diff = r->split;

	count_keys(cpu, slot, &diff);
	end_run(r, r->enabled, &diff);
	return 0;
}

/*
 * Does the same as on_switch(), and adds the difference to the sets of the current task. The code
 * here is short, because it handles only the most frequent case: all keys are of processes, and the
 * process has no set, or a set without a next set. Other functions handle the other cases, so that
 * no variable is on the stack here.
 */
__noinline int bprof_switch_keys(void)
{
	struct bperf_readings *r = bpf_map_lookup_elem(&bprof_readings, &bprof_config.zero);
	struct bperf_count now, diff;
	struct bperf_cpu *cpu;
	struct bperf_set *set;
	__u64 before, slot;

	if (!r)
		return 0;
	r->cpu = bpf_get_smp_processor_id();
	cpu = bpf_map_lookup_elem(&bprof_sets, &r->cpu);
	if (!cpu)
		return 0;
	/* The barriers keep clang from computing anything twice, or later. */
	barrier_var(cpu);
	slot = process_slot();
	barrier_var(r);
	barrier_var(slot);
	before = r->total.enabled;
	read_event(r);
	now = load_reading(r);
	if (now.enabled < before)
		return end_odd_run(r, before);
	diff.counter = now.counter - r->total.counter;
	diff.enabled = now.enabled - r->enabled;
	diff.running = now.running - r->total.running;
	r->total.counter = now.counter;
	r->enabled = now.enabled;
	r->total.running = now.running;
	barrier_var(cpu);
	set = &cpu->set[slot & (BPERF_SETS - 1)];
	if (slot & BPERF_SLOT_UNKNOWN || bprof_config.kinds != 1 << BPERF_PROCESS ||
	    (slot && set->next)) {
		r->split = diff;
		return count_all(r, cpu, slot);
	}
	if (slot)
		add_count(&set->count, &diff);
	end_run(r, now.enabled, &diff);
	return 0;
}

/*
 * Returns 1 if this run of on_switch interrupted another one on the same CPU. That can happen
 * because one user runs on_switch in a task, and another user runs it from an interrupt. A caller
 * that gets 1 must try again.
 *
 * Every instruction here runs on each context switch. Therefore:
 * - bprof_config.kinds is the key of the lookup. The only element has the key 0. So if there is any
 *   key in bprof_keys, the lookup fails, and bprof_switch_keys() does the work.
 * - A single comparison detects both a run that interrupts another run and a failure to read the
 *   event.
 * - There are no variables on the stack, which would need a frame.
 */
SEC("raw_tp/sched_switch")
int on_switch(void *ctx)
{
	struct bperf_readings *r = bpf_map_lookup_elem(&bprof_readings, &bprof_config.kinds);
	struct bperf_count now, diff;
	__u64 before;
	long err;

	if (!r)
		return bprof_switch_keys();
	before = r->total.enabled;
	err = read_event(r);
	now = load_reading(r);
	if (now.enabled <= before)
		return end_odd_run(r, before);
	diff.counter = now.counter - r->total.counter;
	diff.enabled = now.enabled - r->enabled;
	diff.running = now.running - r->total.running;
	r->total.counter = now.counter;
	r->enabled = now.enabled;
	r->total.running = now.running;
	end_run(r, now.enabled, &diff);
	return err; /* always 0: after an error, end_odd_run() has ended the run */
}
