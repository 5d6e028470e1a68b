/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe for nested targets, which may call one another. It has the entry and the exit
 * probe, and the state that all calls below an outermost target share (struct bprof_run). Runs in the
 * same context as the programs of probe_pair.bpf.h.
 */
#ifndef BPROF_PROBE_NESTED_BPF_H
#define BPROF_PROBE_NESTED_BPF_H

#include "probe_pair.bpf.h"

/*
 * Returns a free element for a new run on a stack that has no run. Returns NULL if no element is
 * free.
 */
static __always_inline struct bprof_run *find_free_run(struct bprof_cpu_runs *runs, __u64 stack,
						       __u64 *scratch)
{
	struct bprof_run *preferred = preferred_run(runs, stack);
	__u64 ones;

	if (!preferred->stack)
		return preferred;
	ones = search(runs->run, sizeof(runs->run[0]), stack, 0, true);
	return ones ? &runs->run[number_of_first(ones, scratch)] : NULL;
}

/*
 * Returns the state of the run that an invocation belongs to. Starts a new run if the invocation is
 * the outermost target on its stack. Returns NULL if no element is free for the new run.
 */
static __always_inline struct bprof_run *
enter_run(struct bprof_cpu_stat *stat, struct bprof_cpu_runs *runs, __u64 key, __u64 config)
{
	__u64 stack = stack_of(runs, key, config);
	struct bprof_run *run = find_run(runs, stack, &stat->entry_scratch);
	__u64 state;

	/*
	 * Stacks grow down. If this invocation is not below the run's outermost invocation, the run
	 * is over, although the probe missed its end. Then a new run takes its element.
	 */
	if (run && key < run->outermost)
		return run;
	if (!run) {
		run = find_free_run(runs, stack, &stat->entry_scratch);
		if (!run)
			return NULL;
	}
	/*
	 * Only the probe of the outermost target checks the gate: the probes of callees must always
	 * add the same overhead to their callers.
	 */
	state = BPROF_RUN_CLOSED;
	if (gate_for_others(key, stat))
		state = config & BPROF_CONFIG_THIN && !is_chosen(stat) ? BPROF_RUN_SKIPPED
								       : BPROF_RUN_COUNTED;
	run->state = state;
	run->outermost = key;
	/*
	 * Computes the value of "stack" again, so that clang does not keep it on the stack: see
	 * reload().
	 */
	run->stack = stack_of(runs, number_of((void *)key, &stat->entry_scratch), load_config());
	barrier();
	/*
	 * Until now the element was free, and a target in an interrupt may have taken and changed it. From now
	 * on, targets in interrupts on this stack are in this run, and those on other stacks take other
	 * elements. So set the members now, even those that are set already.
	 */
	run->state = state;
	run->outermost = key;
	run->serial = ++runs->begun;
	WITH_SHARES(begin_shares(run));
	return run;
}

/*
 * Adds the cost of searching for a frame, here and at the exit, to the overhead that the callers
 * subtract.
 */
static __always_inline void add_search(struct bprof_run *run, const struct bprof_cpu_stat *stat,
				       __u64 config, const __u32 max)
{
#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++)
		if (i < max && i < BPROF_CONFIG_EVENTS(config))
			run->sum[i].probes += stat->event[i].search;
	if (config & BPROF_CONFIG_CLOCK)
		run->sum[BPROF_CLOCK_SLOT].probes += stat->event[BPROF_CLOCK_SLOT].search;
}

/*
 * With BPROF_CONFIG_CALLS: returns the number of the target, which user space writes into this
 * instruction (probe_constants.h).
 */
static __always_inline __u64 load_caller(void)
{
	__u64 caller;

	asm volatile("%0 = %1" : "=r"(caller) : "i"(BPROF_CALLER_PLACEHOLDER));
	return caller;
}

static __always_inline void copy_sums(struct bprof_frame *frame, const struct bprof_run *run,
				      __u64 config, const __u32 max)
{
#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++) {
		if (i >= max || i >= BPROF_CONFIG_EVENTS(config))
			continue;
		frame->before[i] = run->sum[i];
	}
	if (config & BPROF_CONFIG_CLOCK)
		frame->before[BPROF_CLOCK_SLOT] = run->sum[BPROF_CLOCK_SLOT];
}

/*
 * The entry probe of nested targets. The overhead of this probe is subtracted from the callers'
 * readings. So the probe may do more than on_entry(), but it must do the same work in every call.
 */
static __always_inline int on_nested_entry(void *ctx, __u64 config, const __u32 max,
					   const bool multiplexed)
{
	union map_key cpu = {.id = bpf_get_smp_processor_id()};
	struct bprof_cpu_stat *stat = bpf_map_lookup_elem(&bprof_stats, &cpu.id);
	struct bprof_cpu_runs *runs = bpf_map_lookup_elem(&bprof_runs, &cpu.id);
	struct bprof_frame *frame;
	struct bprof_run *run;
	__u64 key;

	if (!stat || !runs || stat->off)
		return 0;
	key = number_of(ctx, &stat->entry_scratch);
	run = enter_run(stat, runs, key, config);
	if (run && run->state == BPROF_RUN_SKIPPED) {
		/* count only the inner calls: is_chosen() has counted the outermost invocation */
		stat->thinned_out += run->outermost != key;
		return 0;
	}
	/*
	 * Check once per run: the callees run in the same context, and their probes must not do the extra
	 * work of a check. During the check, clang must keep neither the frame nor the key on the stack
	 * (reload()).
	 */
	if (run && config & BPROF_CONFIG_IRQ && run->outermost == key) {
		check_irqs(stat, &config, cpu.id, max, multiplexed);
		run->irqs_off = stat->irqs.off;
		key = run->outermost;
	}
	frame = &stat->frame[0];
	if (run && frame->ctx) {
		/*
		 * before the search: otherwise clang would keep stat and the frame on the stack in
		 * all runs
		 */
		add_search(run, stat, load_config(), max);
		frame = find_free_frame(stat, key, config, &stat->entry_scratch, &stat->entered);
	}
	if (!run || !frame) {
		stat->overflows++;
		if (bprof_gate)
			stat->lost_overflow++;
		return 0;
	}
	frame->ctx = key;
	frame->counted = run->state;
	if (multiplexed && run->outermost == key)
		run->unknown = 0;
	if (load_config() & BPROF_CONFIG_CALLS) {
		frame->caller = run->caller;
		run->caller = load_caller();
	}
	/* Reload the config: otherwise clang keeps parts of it on the stack (reload()). */
	copy_sums(frame, run, load_config(), max);
	/* No other code may follow the readings, because the target's counts would include it. */
	read_events(&frame->start, load_config(), cpu.id, max, multiplexed);
	return 0;
}

/*
 * Returns true for an exit in a run that is not measured because of thinning. The calls of such a
 * run have no frames.
 */
static __always_inline bool leave_skipped(struct bprof_cpu_stat *stat, struct bprof_cpu_runs *runs,
					  void *ctx, __u64 config)
{
	__u64 key = number_of(ctx, &stat->exit_scratch);
	struct bprof_run *run = find_run(runs, stack_of(runs, key, config), &stat->exit_scratch);

	if (!run || run->state != BPROF_RUN_SKIPPED)
		return false;
	if (run->outermost == key)
		run->stack = 0;
	return true;
}

/* Frees the run if the ending invocation is the run's outermost invocation. */
static __always_inline void end_run(struct bprof_run *run, __u64 key)
{
	if (run && run->outermost == key)
		run->stack = 0;
}

static __always_inline int end_nested(void *ctx, __u64 config, const __u32 max,
				      const bool multiplexed, const enum exit_kind kind)
{
	union map_key cpu = {.id = bpf_get_smp_processor_id()};
	struct bprof_cpu_stat *stat = bpf_map_lookup_elem(&bprof_stats, &cpu.id);
	struct bprof_cpu_runs *runs = bpf_map_lookup_elem(&bprof_runs, &cpu.id);
	struct bprof_frame *frame;
	struct bprof_run *run;
	__u64 key;

	if (!stat || !runs || stat->off)
		return 0;
	if (config & BPROF_CONFIG_THIN && leave_skipped(stat, runs, ctx, config))
		return 0;
	read_events(&stat->end, config, cpu.id, max, multiplexed);
	config = load_config();
	key = number_of(ctx, &stat->exit_scratch);
	frame = &stat->frame[0];
	if (frame->ctx != key)
		frame = find_frame(stat, key, &stat->exit_scratch);
	run = find_run(runs, stack_of(runs, key, config), &stat->exit_scratch);
	if (!frame) {
		if (stat->overflow_exits < stat->overflows)
			stat->overflow_exits++;
		else if (bprof_gate)
			stat->lost_entry++;
		end_run(run, key);
		return 0;
	}
	/*
	 * From here on, use frame->ctx instead of the key: clang need not keep the key on the stack
	 * (reload()).
	 */
	if (frame->counted && run) {
		__u64 context = find_context(config, &run->irqs_off);
		struct bprof_cpu_stat *to = stat;

		frame->counted = BPROF_FRAME_ENDING;
		if (kind == EXIT_BY_RETVAL) {
			to = part_of_run(ctx, &cpu, true);
			if (!to)
				return 0;
			IN_CONTEXT(to->measured, context)++;
		}
		IN_CONTEXT(stat->measured, context)++;
		if (multiplexed)
			add_multiplexed_run(to, &stat->end, frame, run, config, context, cpu, max,
					    false);
		else
			add_run_events(to, &stat->end, frame, run, to->hist, load_config(), context,
				       max, false);
		WITH_SHARES(add_share(run, stat, load_config(), max));
		WITH_SHARES(if (run->outermost == frame->ctx) return end_outermost(ctx, stat, frame,
										   run, max, kind));
	} else if (frame->counted) {
		stat->lost_overflow++; /* the struct bprof_run was reused for another run */
	}
	if (run && load_config() & BPROF_CONFIG_CALLS)
		run->caller = frame->caller;
	end_run(run, frame->ctx);
	barrier(); /* free the frame last, after its run has been added to the sums */
	frame->ctx = 0;
	return 0;
}

static __always_inline int on_nested_exit(void *ctx, __u64 config, const __u32 max,
					  const bool multiplexed)
{
	return end_nested(ctx, config, max, multiplexed, EXIT_PLAIN);
}

#endif
