/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe for multiplexed events. It finds out which events were on a counter and
 * measures the cost of reading all events in that state. Runs in the exit probe after its readings,
 * so the target's own values do not include this code.
 */
#ifndef BPROF_PROBE_ROTATION_BPF_H
#define BPROF_PROBE_ROTATION_BPF_H

#include "probe_core.bpf.h"

/* The state of the events between two readings, as masks with a bit for each event. */
struct on_off {
	__u64 on;      /* events that were on a counter all the time */
	__u64 covered; /* events that were never off, including disabled and unreadable events */
	__u64 rotated; /* 1 if some event was on a counter for only a part of the time */
	/*
	 * The highest bit is set if no event counted: neither a value nor a time changed. The kernel
	 * takes the events of a CPU away when it goes offline. When it is online again, reading them
	 * does not fail, but always gives their last values. (Pinned events cannot be read then.)
	 */
	__u64 dead;
};

/*
 * Finds out from the events' times which events were on a counter between two readings. This shows
 * whether perf has rotated the events (kernel/events/core.c, perf_rotate_context()).
 */
static __always_inline struct on_off find_on(const struct bprof_readings *start,
					     const struct bprof_readings *end, const __u32 max)
{
	struct on_off o = {};
	__u64 counts = 0;

	/* The loop includes unused slots, which saves the verifier a condition. */
#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++) {
		__u64 never_off, never_on;

		if (i >= max)
			continue;
		never_off = is_equal(start->off[i], end->off[i]);
		never_on = is_equal(start->running[i], end->running[i]);
		o.covered |= never_off << i;
		o.on |= (never_off & ~never_on) << i;
		o.rotated |= (never_off | never_on) ^ 1;
		counts |= (end->running[i] ^ start->running[i]) | (end->value[i] ^ start->value[i]);
	}
	o.dead = is_zero(counts) << 63;
	return o;
}

static __always_inline __u64 minimum(__u64 a, __u64 b)
{
	return a - ((a - b) & -is_negative(b - a));
}

static __always_inline void learn_slot(struct bprof_on_set *set, const struct bprof_readings *again,
				       __u32 slot)
{
	__u64 first = again[1].value[slot] - again[0].value[slot];
	__u64 second = again[2].value[slot] - again[1].value[slot];

	set->cost[slot] = minimum(set->cost[slot], minimum(first, second));
}

/*
 * Measures the cost of reading all events once, in the unit of each event. Between two readings of
 * the same event, each event is read once. This also holds for the two readings of an event around
 * the target: the entry probe then reads the events that follow this event in the reading order,
 * and the exit probe reads the events before it and the event itself.
 *
 * Reads all events three times in a row, so that an interrupt affects only one of the two
 * differences.
 */
static __always_inline void learn_set(struct bprof_rotation *rotation, struct bprof_on_set *set,
				      __u64 on, __u64 config, __u32 cpu, const __u32 max)
{
	struct on_off o;

	barrier_var(config); /* keeps clang from merging the conditions of all the loops */
#pragma clang loop unroll(disable)
	for (int n = 0; n < 3; n++)
		read_events(&rotation->again[n], config, cpu, max, true);
	o = find_on(&rotation->again[0], &rotation->again[2], max);
	if (o.rotated || o.on != on)
		return;
#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++)
		if (i < max)
			learn_slot(set, rotation->again, i);
	learn_slot(set, rotation->again, BPROF_CLOCK_SLOT);
	set->tries++;
}

/*
 * Returns the element for the set of events that are on a counter. The set's costs are known if
 * tries is not 0.
 */
static __always_inline struct bprof_on_set *find_set(struct bprof_rotation *rotation, __u64 on,
						     const __u32 max)
{
	/* Multiplicative hashing: use the upper bits of the product with 2^32 / golden ratio. */
	__u32 hash = (__u32)on * 0x9e3779b1U >> (32 - BPROF_ON_SET_BITS);
	/*
	 * initial costs: the highest value if costs are measured (learn_slot() keeps the minimum),
	 * else 0
	 */
	__u64 none = -rotation->learn >> 1;
	struct bprof_on_set *set;

	barrier_var(hash); /* the verifier needs the mask below, which clang would remove */
	set = &rotation->set[hash & ((1 << BPROF_ON_SET_BITS) - 1)];
	if (set->on == (on | BPROF_ON_SET_USED))
		return set;
	set->on = on | BPROF_ON_SET_USED;
	set->tries = 0;
#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++)
		if (i < max)
			set->cost[i] = none;
	set->cost[BPROF_CLOCK_SLOT] = none;
	return set;
}

/*
 * Adds one event of a run to its sums, if the event was on a counter. If no event counted ("dead"), makes the
 * end reading negative, as if it had failed. If the event was off, the probe of a nested target does the same
 * work with sums that are never read.
 */
static __always_inline void add_covered(struct bprof_cpu_stat *to, const struct bprof_readings *end,
					struct bprof_rotation *rotation,
					const struct bprof_frame *frame, struct bprof_run *run,
					const struct bprof_on_set *set, __u64 covered, __u64 dead,
					__u64 config, __u64 context, __u32 i, const bool called)
{
	struct bprof_event_sum *sum = &to->event[i];
	__u64 *hist = (void *)to->hist + (i ? skip_hists(0, i) : 0);

	sum->uncovered += covered ^ 1;
	if (!covered) {
		if (!run)
			return;
		sum = &rotation->off;
		hist = rotation->off_hist;
	}
	add_run(sum, displace(sum, context), hist, 0, frame->start.value[i], end->value[i] | dead,
		set->cost[i], config, &frame->before[i], run ? &run->sum[i] : NULL,
		apart_of(to, called));
	sum->readings += set->cost[i];
}

/*
 * Adds the clock, which is never off. If the reading costs with the run's set are unknown, uses the
 * costs with an earlier set. A run whose set is unknown contains an interrupt, which is so long
 * that the error does not matter.
 */
static __always_inline void add_clock(struct bprof_cpu_stat *to, const struct bprof_readings *end,
				      const struct bprof_rotation *rotation,
				      const struct bprof_frame *frame, struct bprof_run *run,
				      __u64 config, __u64 context, const bool called)
{
	const __u32 i = BPROF_CLOCK_SLOT;

	add_run(&to->event[i], displace(&to->event[i], context), to->hist, BPROF_HIST_SKIP_ALL,
		frame->start.value[i], end->value[i], rotation->clock, config, &frame->before[i],
		run ? &run->sum[i] : NULL, apart_of(to, called));
	to->event[i].readings += rotation->clock;
}

static __always_inline bool must_learn(const struct bprof_rotation *rotation,
				       const struct bprof_on_set *set, __u64 rotated)
{
	return rotation->learn && !rotated && set->tries < BPROF_ON_SET_TRIES;
}

/*
 * For each event that was on a counter during the whole run, adds the run to the event's sums in "to".
 * Counts are never scaled. If perf has rotated the events during the run, the run is not added to any
 * event: its bias is unknown, and it contains an interrupt that the measurement itself caused.
 *
 * "run" is NULL if targets are not nested. With nested targets, reading costs are measured only
 * after the end of the outermost target: no measured caller then contains that work.
 */
static __always_inline void
add_multiplexed_run(struct bprof_cpu_stat *to, const struct bprof_readings *end,
		    const struct bprof_frame *frame, struct bprof_run *run, __u64 config,
		    __u64 context, union map_key cpu, const __u32 max, const bool called)
{
	struct bprof_rotation *rotation = bpf_map_lookup_elem(&bprof_rotation, &cpu.id);
	struct on_off o = find_on(&frame->start, end, max);
	__u64 unknown;
	struct bprof_on_set *set;

	if (!rotation)
		return;
	set = find_set(rotation, o.on, max);
	if (!run && must_learn(rotation, set, o.rotated))
		learn_set(rotation, set, o.on, config, cpu.id, max);
	unknown = is_zero(set->tries) & rotation->learn;
	if (!unknown)
		rotation->clock = set->cost[BPROF_CLOCK_SLOT];
	unknown |= o.rotated;
	if (run) {
		run->unknown |= unknown;
		unknown = run->unknown;
	}
	o.covered &= unknown - 1; /* if the costs are unknown, the run is added to no event */
	barrier_var(config);
#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++)
		if (i < max && i < BPROF_CONFIG_EVENTS(config))
			add_covered(to, end, rotation, frame, run, set, o.covered >> i & 1, o.dead,
				    config, context, i, called);
	if (config & BPROF_CONFIG_CLOCK)
		add_clock(to, end, rotation, frame, run, config, context, called);
	if (run && run->outermost == frame->ctx && must_learn(rotation, set, o.rotated))
		learn_set(rotation, set, o.on, config, cpu.id, max);
}

#endif
