/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe for functions of the kernel that targets call, such as helpers. All other
 * callers of such a function run the probe, too. The probe measures only calls in the run of a target,
 * on the target's stack, and does as little as possible in other calls. So it never begins a run.
 * Apart from this, it does the same as the probe of a nested target (probe_nested.bpf.h).
 */
#ifndef BPROF_PROBE_CALLED_BPF_H
#define BPROF_PROBE_CALLED_BPF_H

#include <stddef.h>

#include "probe_nested.bpf.h"

/* Returns the run of targets that contains an invocation, or NULL. */
static __always_inline struct bprof_run *find_caller_run(struct bprof_cpu_runs *runs, __u64 key,
							 __u64 config, __u64 *scratch)
{
	struct bprof_run *run = find_run(runs, stack_of(runs, key, config), scratch);

	/*
	 * The run is over if this invocation is not below the run's outermost invocation on the
	 * stack: see enter_run().
	 */
	return run && key < run->outermost ? run : NULL;
}

/*
 * Counts a call that is in no run of a target. If an interrupt between load and store makes such a call,
 * too, one of the calls is not counted. The number only serves to show how much the probe adds to other
 * callers.
 */
static __always_inline void add_other(struct bprof_cpu_stat *base)
{
	((struct bprof_pieces *)base->hist)->others++;
}

/*
 * Returns the address that decides to which piece a call belongs: the address of the map that is an
 * argument or, with --by site, the address to which the call returns. The return address is in the
 * trampoline's stack frame, above the saved arguments. scratch: the offset of scratch space in base.
 *
 * The first instruction jumps over the code that reads the stack. Without --by site, user space removes
 * the jump and this code, and writes the offset of the map into the load (probe_template.c). With --by
 * site, user space inverts the condition of the jump: the verifier knows that base is not NULL, and
 * removes the load. On kernels that have bpf_rdonly_cast(), one instruction reads the stack: see
 * probe/site_read.c.
 */
static __always_inline __u64 address_of_call(void *ctx, struct bprof_cpu_stat *base,
					     const __u32 scratch)
{
	register __u64 address asm("r0");

	asm volatile("if %[base] != 0 goto LBB_map_%=\n\t"
		     "*(u64 *)(%[base] + %[scratch]) = %[ctx]\n\t"
		     "r3 = *(u64 *)(%[base] + %[scratch])\n\t"
		     "r3 += %[skip]\n\t"
		     "r3 &= %[align]\n\t"
		     "r3 += %[at]\n\t"
		     "r1 = %[base]\n\t"
		     "r1 += %[scratch]\n\t"
		     "r2 = 8\n\t"
		     "call %[read]\n\t"
		     "r0 = *(u64 *)(%[base] + %[scratch])\n\t"
		     "goto LBB_found_%=\n"
		     "LBB_map_%=:\n\t"
		     "r0 = *(u64 *)(%[ctx] + %[map])\n\t"
		     /* turns a pointer into a number, like number_of() */
		     "*(u64 *)(%[base] + %[scratch]) = r0\n\t"
		     "r0 = *(u64 *)(%[base] + %[scratch])\n"
		     "LBB_found_%=:"
		     : "=&r"(address)
		     : [base] "r"(base), [ctx] "r"(ctx), [scratch] "i"(scratch),
		       [skip] "i"(BPROF_SITE_SKIP), [align] "i"(BPROF_SITE_ALIGN),
		       [at] "i"(BPROF_SITE_AT), [read] "i"(BPF_FUNC_probe_read_kernel),
		       [map] "i"(BPROF_MAP_OFFSET)
		     : "r1", "r2", "r3", "r4", "r5", "memory");
	return address;
}

/*
 * Returns the number of the piece for a call by "caller". Has no branch, so that the probe executes
 * the same instructions for all calls.
 */
static __always_inline __u64 number_piece(__u64 address, const struct bprof_pieces *pieces,
					  __u64 caller)
{
	__u64 key = BPROF_CALL_KEY(address, caller), others = pieces->of[caller];
	const struct bprof_call_slot *slot =
		&pieces->slot[BPROF_CALL_SLOT(key, pieces->multiplier)];
	__u64 found = -is_equal(slot->key, key); /* all bits, or none */

	barrier_var(found); /* keeps clang from making a branch of it */
	return (slot->piece & found) | (others & ~found);
}

/*
 * Returns the counts for a call by the run's innermost target (struct bprof_pieces). Returns NULL if the
 * map has no such element, which cannot happen. "base" is the CPU's own element. *cpu is the CPU's id,
 * and has it again after the lookup. For "scratch", see address_of_call().
 */
static __always_inline struct bprof_cpu_stat *find_piece(void *ctx, struct bprof_cpu_stat *base,
							 const struct bprof_run *run,
							 union map_key *cpu, const __u32 scratch)
{
	const struct bprof_pieces *pieces = (void *)base->hist;
	__u64 address = address_of_call(ctx, base, scratch);
	__u64 piece = number_piece(address, pieces, run->caller & (BPROF_CALLERS - 1));
	struct bprof_cpu_stat *stat;
	__u32 id = cpu->id;

	cpu->id = id + piece * pieces->cpus;
	stat = bpf_map_lookup_elem(&bprof_stats, &cpu->id);
	cpu->id = id;
	return stat;
}

static __always_inline int on_called_entry(void *ctx, __u64 config, const __u32 max,
					   const bool multiplexed)
{
	union map_key cpu = {.id = bpf_get_smp_processor_id()};
	struct bprof_cpu_stat *base = bpf_map_lookup_elem(&bprof_stats, &cpu.id), *stat;
	struct bprof_cpu_runs *runs = bpf_map_lookup_elem(&bprof_runs, &cpu.id);
	struct bprof_frame *frame;
	struct bprof_run *run;
	__u64 key;

	if (!base || !runs)
		return 0;
	if (base->off) {
		add_other(base);
		return 0;
	}
	key = number_of(ctx, &base->entry_scratch);
	run = find_caller_run(runs, key, config, &base->entry_scratch);
	if (!run) {
		add_other(base);
		return 0;
	}
	if (run->state == BPROF_RUN_SKIPPED)
		return 0;
	stat = find_piece(ctx, base, run, &cpu, offsetof(struct bprof_cpu_stat, entry_scratch));
	if (!stat)
		return 0;
	frame = &stat->frame[0];
	if (frame->ctx) {
		add_search(run, stat, load_config(), max);
		frame = find_free_frame(stat, key, load_config(), &stat->entry_scratch,
					&base->entered);
		if (!frame) {
			stat->overflows++;
			if (bprof_gate)
				stat->lost_overflow++;
			return 0;
		}
	}
	base->entered++;
	frame->ctx = key;
	frame->counted = run->state;
	frame->caller = run->serial;
	copy_sums(frame, run, load_config(), max);
	/* No other code may follow the readings, because the function's counts would include it. */
	read_events(&frame->start, load_config(), cpu.id, max, multiplexed);
	return 0;
}

/* Counts the exit of an invocation that is in a run but has no frame. */
static __always_inline void count_lost_call(struct bprof_cpu_stat *stat,
					    const struct bprof_run *run)
{
	if (stat->overflow_exits < stat->overflows)
		stat->overflow_exits++;
	else if (bprof_gate && run->state == BPROF_RUN_COUNTED)
		stat->lost_entry++;
}

static __always_inline int on_called_exit(void *ctx, __u64 config, const __u32 max,
					  const bool multiplexed)
{
	union map_key cpu = {.id = bpf_get_smp_processor_id()};
	struct bprof_cpu_stat *base = bpf_map_lookup_elem(&bprof_stats, &cpu.id), *stat;
	struct bprof_cpu_runs *runs = bpf_map_lookup_elem(&bprof_runs, &cpu.id);
	struct bprof_frame *frame;
	struct bprof_run *run;
	__u64 key;

	/* If no frame is in use, the call is in no run of a target. */
	if (!base || !runs || base->entered == base->exited)
		return 0;
	read_events(&base->end, config, cpu.id, max, multiplexed);
	config = load_config();
	key = number_of(ctx, &base->exit_scratch);
	run = find_caller_run(runs, key, config, &base->exit_scratch);
	stat = run ? find_piece(ctx, base, run, &cpu, offsetof(struct bprof_cpu_stat, exit_scratch))
		   : NULL;
	if (!stat)
		return 0;
	frame = &stat->frame[0];
	if (frame->ctx != key)
		frame = find_frame(stat, key, &stat->exit_scratch);
	if (!frame) {
		count_lost_call(stat, run);
		return 0;
	}
	base->exited++;
	/*
	 * The frame belongs to a call in an earlier run. The probe missed the exit of that call, and the
	 * entry of this one.
	 */
	if (frame->caller != run->serial) {
		frame->ctx = 0;
		count_lost_call(stat, run);
		return 0;
	}
	if (frame->counted) {
		__u64 context = find_context(load_config(), &run->irqs_off);

		frame->counted = BPROF_FRAME_ENDING;
		IN_CONTEXT(stat->measured, context)++;
		if (multiplexed)
			add_multiplexed_run(stat, &base->end, frame, run, config, context, cpu, max,
					    true);
		else
			add_run_events(stat, &base->end, frame, run, stat->hist, load_config(),
				       context, max, true);
		WITH_SHARES(add_share(run, stat, load_config(), max));
	}
	barrier(); /* free the frame last, after its run has been added to the sums */
	frame->ctx = 0;
	return 0;
}

#endif
