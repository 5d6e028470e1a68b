/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probe: one fentry/fexit pair around one target, whatever the number of events. Both programs
 * run in the target's trampoline, in the target's context (softirq, syscall, NMI, ...), with
 * migration disabled. They can be preempted or interrupted wherever the target can be. Every
 * instruction of the probe makes the target slower.
 *
 * The ctx pointer, the address of the arguments on the trampoline's stack, identifies an
 * invocation: the pointer is the same at entry and exit, and unique among the invocations in
 * flight. Each invocation has a frame (struct bprof_frame), which keeps the readings at the entry
 * until the exit.
 *
 * The probe has no CO-RE relocations, so libbpf does not have to parse the kernel's BTF. This makes
 * loading fast.
 */
#ifndef BPROF_PROBE_PAIR_BPF_H
#define BPROF_PROBE_PAIR_BPF_H

#include "probe_core.bpf.h"
#include "probe_frames.bpf.h"
#include "probe_own.bpf.h"
#include "probe_rotation.bpf.h"
#include "probe_trace.bpf.h"

/*
 * Both headers below define part_of_run(). Only the objects for keys other than return values include
 * probe_key.bpf.h, so that it does not change the code that clang generates for other probes.
 */
#ifdef HAS_KEYS
#include "probe_key.bpf.h"
#else
#include "probe_retval.bpf.h"
#endif

/*
 * With BPROF_CONFIG_THIN: at the entry of an invocation that is not measured, frees the frame of an
 * earlier invocation with the same ctx. The kernel skipped the exit probe of that invocation, because
 * it interrupted an exit probe. Otherwise the exit of this invocation would end the earlier one.
 */
static __always_inline void forget_skipped(struct bprof_cpu_stat *stat, void *ctx)
{
	struct bprof_frame *frame = &stat->frame[0];

	if (stat->entered == stat->exited)
		return;
	if (frame->ctx != (__u64)ctx)
		frame = find_frame(stat, number_of(ctx, &stat->entry_scratch),
				   &stat->entry_scratch);
	if (!frame)
		return;
	frame->ctx = 0;
	count_stale(stat, &stat->entered);
}

static __always_inline int on_entry(void *ctx, __u64 config, const __u32 max,
				    const bool multiplexed)
{
	union map_key cpu = {.slot = bpf_get_smp_processor_id()};
	struct bprof_cpu_stat *stat = find_stat(&cpu, config);
	struct bprof_frame *frame;
	__u64 key = (__u64)ctx, gate;

	if (!stat)
		return 0;
	gate = gate_for_others(key, stat);
	if (config & BPROF_CONFIG_THIN && (!gate || !is_chosen(stat))) {
		forget_skipped(stat, ctx);
		return 0;
	}
	frame = &stat->frame[0];
	if (frame->ctx) {
		frame = find_free_frame(stat, number_of(ctx, &stat->entry_scratch), config,
					&stat->entry_scratch, &stat->entered);
		if (!frame) {
			count_overflow(stat, gate);
			return 0;
		}
	}
	frame->ctx = key;
	frame->counted = gate;
	if (config & BPROF_CONFIG_THIN)
		stat->entered++;
	check_irqs(stat, &config, cpu.id, max, multiplexed);
	/* No other code may follow the readings, because the target's counts would include it. */
	read_events(&frame->start, config, cpu.id, max, multiplexed);
	return 0;
}

/*
 * What an exit probe does besides adding a run to the target's sums. With EXIT_BY_RETVAL, it adds the
 * run to the sums of a part instead. It finds the part by the return value or, with HAS_KEYS, by another
 * key.
 */
enum exit_kind { EXIT_PLAIN, EXIT_TRACED, EXIT_TRACED_SLOWEST, EXIT_BY_RETVAL };

/*
 * Adds a run to the sums; stat->end has its readings at the exit. Returns false if a map has no
 * element, which cannot happen.
 */
static __always_inline bool add_measured(void *ctx, struct bprof_cpu_stat *stat,
					 const struct bprof_frame *frame, __u64 config,
					 union map_key *cpu, const __u32 max,
					 const bool multiplexed, const enum exit_kind kind)
{
	__u64 context = find_context(config, &stat->irqs.off);
	const bool is_traced = kind == EXIT_TRACED || kind == EXIT_TRACED_SLOWEST;
	struct bprof_cpu_stat *to = stat;

	if (kind == EXIT_BY_RETVAL) {
		to = part_of_run(ctx, cpu, false);
		if (!to)
			return false;
		IN_CONTEXT(to->measured, context)++;
	}
	if (multiplexed)
		add_multiplexed_run(to, &stat->end, frame, NULL, config, context, *cpu, max, false);
	else
		add_run_events(to, &stat->end, frame, NULL, is_traced ? NULL : to->hist, config,
			       context, max, false);
	IN_CONTEXT(stat->measured, context)++;
	if (kind == EXIT_TRACED)
		trace_run(ctx, stat, frame, context, max, false);
	if (kind == EXIT_TRACED_SLOWEST)
		trace_run(ctx, stat, frame, context, max, true);
	return true;
}

static __always_inline int end_invocation(void *ctx, __u64 config, const __u32 max,
					  const bool multiplexed, const enum exit_kind kind)
{
	union map_key cpu = {.slot = bpf_get_smp_processor_id()};
	struct bprof_cpu_stat *stat = find_stat(&cpu, config);
	struct bprof_frame *frame;
	__u64 key = (__u64)ctx;

	if (!stat)
		return 0;
	if (config & BPROF_CONFIG_THIN && stat->entered == stat->exited)
		return 0;
	frame = &stat->frame[0];
	if (frame->ctx == BPROF_CTX_OFF)
		return 0;
	/*
	 * All code before this line adds to the bias. The search for the frame, which few runs
	 * need, comes after this line.
	 */
	read_events(&stat->end, config, cpu.id, max, multiplexed);
	config = reload(config);
	if (frame->ctx != key) {
		frame = find_frame(stat, number_of(ctx, &stat->exit_scratch), &stat->exit_scratch);
		if (!frame) {
			count_frameless(stat, config);
			return 0;
		}
	}
	if (config & BPROF_CONFIG_THIN)
		stat->exited++;
	if (frame->counted) {
		frame->counted = BPROF_FRAME_ENDING;
		if (!add_measured(ctx, stat, frame, config, &cpu, max, multiplexed, kind))
			return 0;
	}
	barrier(); /* free the frame last, after its run has been added to the sums */
	frame->ctx = 0;
	return 0;
}

static __always_inline int on_exit(void *ctx, __u64 config, const __u32 max, const bool multiplexed)
{
	return end_invocation(ctx, config, max, multiplexed, EXIT_PLAIN);
}

/*
 * Defines a pair of programs for up to "max" events. An "m" in the name means multiplexed events
 * (otherwise pinned), an "n" means targets that may be nested. A pair for more events than needed
 * would work, too, because the verifier removes the code that the config does not need. But it
 * would take longer to load.
 */
#define DEFINE_PAIR(name, entry, exit, config, max, multiplexed) \
	SEC("fentry")                                            \
	int bprof_entry_##name(void *ctx)                        \
	{                                                        \
		return entry(ctx, config, max, multiplexed);     \
	}                                                        \
	SEC("fexit")                                             \
	int bprof_exit_##name(void *ctx)                         \
	{                                                        \
		return exit(ctx, config, max, multiplexed);      \
	}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
