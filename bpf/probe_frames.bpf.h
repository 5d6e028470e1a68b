/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe that finds the frame of an invocation and counts the invocations without a
 * frame. At the entry, it also finds out whether interrupts are disabled.
 */
#ifndef BPROF_PROBE_FRAMES_BPF_H
#define BPROF_PROBE_FRAMES_BPF_H

#include "probe_core.bpf.h"

/*
 * Searches for frames, and for runs of nested targets (BPROF_FRAMES elements of sz bytes; the first
 * word is an address, or 0 if the element is free). The verifier takes long for loops and branches,
 * so the searches are unrolled and have no branch. They check the elements in this order, which
 * makes number_of_first() short.
 */
#define SEARCH_ORDER(i) (0x75123640 >> 4 * (i)&7)
_Static_assert(BPROF_FRAMES == 8 && BPROF_RUNS == BPROF_FRAMES, "search order of 8 elements");

/*
 * Searches for an element with that address. With or_free, a free element is a match, too. Begins
 * with element number "from" of the search order. Returns 0 if no element matches, else a number
 * whose lowest bits are set: all BPROF_FRAMES bits if the first element in the order matches, and
 * one bit less for each element before the match.
 *
 * All addresses are kernel addresses, whose highest 8 bits are set. So the highest 8 bits of "match"
 * are set if the addresses are the same or "found" is 0; otherwise they are clear.
 */
static __always_inline __u64 search(const void *v, const __u64 sz, __u64 address, const int from,
				    const bool or_free)
{
	__u64 ones = 0;

#pragma unroll
	for (int i = from; i < BPROF_FRAMES; i++) {
		__u64 found = *(const __u64 *)(v + SEARCH_ORDER(i) * sz);
		__u64 match = (found ^ address) - 1;

		if (!or_free)
			match &= found;
		barrier_var(match); /* keeps clang from making branches of it */
		ones |= match >> (64 - BPROF_FRAMES + i);
	}
	return ones;
}

/*
 * Returns the number of the element that search() found. Stores and reloads this number: otherwise
 * the verifier traces back through the whole search to find the registers that the bounds depend
 * on.
 */
static __always_inline __u64 number_of_first(__u64 ones, __u64 *scratch)
{
	*scratch = ones * 227 >> 5;
	barrier();
	return *scratch & (BPROF_FRAMES - 1);
}

/*
 * Returns true if the invocation "other" is stale: it is over before the invocation "key" begins,
 * and the probe missed its exit. Stacks grow down: if "other" is on the same stack, at or below the
 * address "key", it is over; otherwise "key" could not have begun. Returns false if "other" is 0.
 */
static __always_inline bool is_stale(__u64 other, __u64 key, __u64 config)
{
	return key - other <= (key & STACK_MASK(config));
}

/* Counts a stale frame, and subtracts it from *entered, the number of frames taken. */
static __always_inline void count_stale(struct bprof_cpu_stat *stat, __u64 *entered)
{
	stat->stale++;
	--*entered;
}

/*
 * Frees a frame if its invocation is stale. Each call checks one frame, and the next call checks the
 * next frame.
 */
static __always_inline void free_stale(struct bprof_cpu_stat *stat, __u64 key, __u64 config,
				       __u64 *entered)
{
	struct bprof_frame *frame = &stat->frame[stat->suspect++ & (BPROF_FRAMES - 1)];

	if (!is_stale(frame->ctx, key, config))
		return;
	count_stale(stat, entered);
	frame->ctx = 0;
}

/*
 * Returns a frame for an invocation that found the first frame in use. Returns NULL if there is no
 * frame for it.
 *
 * A stale frame may have the same ctx as this invocation. This function returns the stale frame or,
 * if a free frame comes before it in the search order, the free frame. At the exit, find_frame()
 * searches in the same order, so it finds the same frame.
 *
 * entered: see count_stale()
 */
static __always_inline struct bprof_frame *find_free_frame(struct bprof_cpu_stat *stat, __u64 key,
							   __u64 config, __u64 *scratch,
							   __u64 *entered)
{
	struct bprof_frame *frame;
	__u64 ones;

	free_stale(stat, key, config, entered);
	ones = search(stat->frame, sizeof(stat->frame[0]), key, 0, true);
	if (!ones)
		return NULL;
	frame = &stat->frame[number_of_first(ones, scratch)];
	if (frame->ctx)
		count_stale(stat, entered);
	return frame;
}

/*
 * Returns the frame of an invocation, or NULL if it has none. The callers have already checked the
 * first frame.
 */
static __always_inline struct bprof_frame *find_frame(struct bprof_cpu_stat *stat, __u64 key,
						      __u64 *scratch)
{
	__u64 ones = search(stat->frame, sizeof(stat->frame[0]), key, 1, false);

	return ones ? &stat->frame[number_of_first(ones, scratch)] : NULL;
}

/*
 * Returns a number for the stack that an address is on: the bits outside of STACK_MASK. x86-64
 * aligns the stacks of tasks to their size, but the stacks for interrupts only to a page. So an
 * address on such a stack is moved to where it would be if the stack were aligned; no other stack
 * is there. This takes the same instructions on each stack.
 */
static __always_inline __u64 stack_of(const struct bprof_cpu_runs *runs, __u64 address,
				      __u64 config)
{
	if (config & BPROF_CONFIG_IRQ_STACKS) {
		__u64 irq_stack = runs->irq_stack;
		__u64 inside =
			-is_negative(((address - irq_stack) >> 14) - 1); /* all bits, or none */

		barrier_var(inside); /* keeps clang from making a branch of it */
		address -= irq_stack & STACK_MASK(config) & inside;
	}
	return address & ~STACK_MASK(config);
}

/*
 * Returns the element at which the search for the run on that stack begins. The run has this
 * element, unless another run took it first. The search has to be fast because every call of a
 * nested target searches.
 */
static __always_inline struct bprof_run *preferred_run(struct bprof_cpu_runs *runs, __u64 stack)
{
	return &runs->run[stack >> 14 & (BPROF_RUNS - 1)];
}

/* Returns the run on that stack, or NULL. */
static __always_inline struct bprof_run *find_run(struct bprof_cpu_runs *runs, __u64 stack,
						  __u64 *scratch)
{
	struct bprof_run *preferred = preferred_run(runs, stack);
	__u64 ones;

	if (preferred->stack == stack)
		return preferred;
	ones = search(runs->run, sizeof(runs->run[0]), stack, 0, false);
	return ones ? &runs->run[number_of_first(ones, scratch)] : NULL;
}

/*
 * Returns the place of the measured run in a block of "period" runs: a number from 0 to period - 1. It
 * depends on the number of runs so far, in no regular way.
 */
static __always_inline __u64 choose_place(__u64 runs, __u64 period)
{
	/* the multipliers of SplitMix64 (profiler/base/random.h) */
	__u64 mixed = (runs + 1) * 0x9e3779b97f4a7c15ULL;

	mixed = (mixed ^ mixed >> 32) * 0xbf58476d1ce4e5b9ULL;
	return (mixed >> 32) * period >> 32;
}

/*
 * Returns true if thinning chooses this run to be measured: one run in each block of "period" runs. Its
 * place in the block changes. At a fixed place, a program that does more in one run of 100 would always
 * be measured in the runs that do more, or never.
 */
static __always_inline bool is_chosen(struct bprof_cpu_stat *stat)
{
	__u64 countdown = stat->countdown, measured = 0, period, place;

	if (countdown) {
		stat->countdown = countdown - 1;
		stat->thinned_out++;
		return false;
	}
	for (int i = 0; i < BPROF_CONTEXTS; i++)
		measured += stat->measured[i];
	period = measured < stat->quota ? stat->period : stat->over_period;
	place = choose_place(stat->thinned_out + measured, period);
	stat->countdown = stat->rest + place;
	stat->rest = period - 1 - place;
	return true;
}

/*
 * Returns a pointer as a number, because the verifier restricts arithmetic on pointers. For the
 * verifier, a pointer that was stored and reloaded is a number.
 */
static __always_inline __u64 number_of(void *ctx, __u64 *scratch)
{
	*scratch = (__u64)ctx;
	barrier();
	return *scratch;
}

/* Counts an invocation for which no frame is free, unless the CPU is not measured. */
static __always_inline void count_overflow(struct bprof_cpu_stat *stat, __u64 gate)
{
	__u64 measured = stat->off ^ 1;

	stat->overflows += measured;
	stat->lost_overflow += measured & gate;
}

/*
 * Counts an exit of an invocation that has no frame: either the invocation got none
 * (count_overflow()), or the probe missed its entry.
 */
static __always_inline void count_frameless(struct bprof_cpu_stat *stat, __u64 config)
{
	__u64 overflow = is_negative(stat->overflow_exits - stat->overflows);

	stat->overflow_exits += overflow;
	if (!(config & BPROF_CONFIG_THIN))
		stat->lost_entry += (overflow ^ 1) & bprof_gate;
}

/*
 * Finds out whether interrupts are disabled: if they are, reading all events costs less. An
 * interrupt between the two readings makes the reading cost more. Then the result is "enabled",
 * which is right.
 */
static __always_inline void find_irqs(struct bprof_cpu_stat *stat, __u64 *config, __u32 cpu,
				      const __u32 max)
{
	struct bprof_irqs *irqs = &stat->irqs;
	__u64 off;
	__u32 slot;

#pragma clang loop unroll(disable)
	for (int n = 0; n < 2; n++) {
		/* Keep clang from computing values before the loop and keeping them on the stack. */
		barrier_var(cpu);
		*config = reload(*config);
		read_events(&stat->again[n], *config, cpu, max, false);
	}
	barrier();
	slot = irqs->slot & (BPROF_STAT_EVENTS - 1);
	off = is_negative(stat->again[1].value[slot] - stat->again[0].value[slot] - irqs->enabled) *
	      DISPLACEMENT(BPROF_CONTEXT_IRQ);
	irqs->changes += (is_equal(off, irqs->off) | is_zero(irqs->checks)) ^ 1;
	irqs->off = off;
	irqs->checks++;
}

/*
 * Calls find_irqs() for the first runs, and then for one run in BPROF_IRQS_RUNS: a call in each run
 * would add too much overhead.
 */
static __always_inline void check_irqs(struct bprof_cpu_stat *stat, __u64 *config, __u32 cpu,
				       const __u32 max, const bool multiplexed)
{
	if (multiplexed || !(*config & BPROF_CONFIG_IRQ))
		return;
	if (stat->irqs.countdown) {
		stat->irqs.countdown--;
		return;
	}
	if (stat->irqs.checks >= BPROF_IRQS_CHECKS)
		stat->irqs.countdown = BPROF_IRQS_RUNS - 1;
	find_irqs(stat, config, cpu, max);
}

#endif
