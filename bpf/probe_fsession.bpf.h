/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probe as an fsession (since Linux 7.0): one program runs at the target's entry and at its
 * return. On the trampoline's stack, it has eight bytes for each invocation: the cookie. So the
 * return finds the frame of its entry without a search. Fsessions are for sleepable targets: any
 * number of tasks may run such a target at the same time.
 *
 * An invocation takes the first frame of its CPU, as with a pair. If this frame is in use, the
 * invocation takes a frame of the pool, by an atomic compare-and-exchange. The target has one pool
 * for all CPUs. A frame belongs to the invocation whose address is in the frame.
 */
#ifndef BPROF_PROBE_FSESSION_BPF_H
#define BPROF_PROBE_FSESSION_BPF_H

#include "probe_pair.bpf.h"

/*
 * Calls a kfunc with ctx as its argument. The id of the kfunc is not known yet: a declared kfunc
 * would make libbpf read the kernel's BTF, which takes long.
 */
#define CALL_KFUNC(id, ctx)                                       \
	({                                                        \
		register void *arg asm("r1") = (ctx);             \
		register __u64 ret asm("r0");                     \
                                                                  \
		asm volatile("call %[func]"                       \
			     : "=r"(ret), "+r"(arg)               \
			     : [func] "i"(id)                     \
			     : "r2", "r3", "r4", "r5", "memory"); \
		ret;                                              \
	})

/*
 * The cookie. It is 0 if the kernel skipped the program at the entry (recursion). Otherwise the
 * lower half is the CPU of the entry plus 1. The upper half is the index of a frame in the pool, or
 * one of the values below.
 */
#define COOKIE(cpu, frame) ((__u64)(frame) << 32 | ((__u64)(cpu) + 1))
#define COOKIE_CPU_FRAME 0xffffffffU	   /* the first frame of the CPU */
#define COOKIE_NONE COOKIE(0, 0xfffffffeU) /* no frame: the run is not measured */

static __always_inline bool is_return(void *ctx)
{
	return CALL_KFUNC(BPROF_FSESSION_IS_RETURN, ctx);
}

static __always_inline __u64 *cookie_of(void *ctx)
{
	return (__u64 *)CALL_KFUNC(BPROF_FSESSION_COOKIE, ctx);
}

/*
 * The index of the frame in the pool for the n-th try. Uses double hashing of the stack's address:
 * if half of the frames are free, the search almost always finds a free frame.
 */
static __always_inline __u32 nth_frame(__u64 key, __u32 n)
{
	/* 2^32 / golden ratio: the upper bits of the product are well mixed */
	__u32 hash = (__u32)((key & ~STACK_MASK(load_config())) >> 14) * 0x9e3779b1U;

	hash = (hash >> (32 - BPROF_POOL_BITS)) + n * (hash >> 8 | 1);
	return hash & (BPROF_POOL_FRAMES - 1);
}

/*
 * Returns a frame for the invocation whose address is in stat->entry_scratch, and sets *index to
 * the upper half of its cookie. Returns NULL if it finds no frame. The frame may have been free or
 * stale. All invocations on one stack try the same frames in the same order, so that they find the
 * stale frames of that stack. The loop loads each value again, so that clang does not keep it on
 * the stack: see reload().
 */
static __always_inline struct bprof_frame *find_fsession_frame(struct bprof_cpu_stat *stat,
							       union map_key *index)
{
	__u64 key = *(volatile __u64 *)&stat->entry_scratch;

	if (is_stale(stat->frame[0].ctx, key, load_config())) {
		stat->stale++;
		index->id = COOKIE_CPU_FRAME;
		return &stat->frame[0];
	}
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < BPROF_POOL_TRIES; i++) {
		struct bprof_frame *frame;
		__u64 other;

		index->id = nth_frame(*(volatile __u64 *)&stat->entry_scratch, i);
		frame = bpf_map_lookup_elem(&bprof_pool, &index->id);
		if (!frame)
			return NULL;
		other = frame->ctx;
		key = *(volatile __u64 *)&stat->entry_scratch;
		if (other && !is_stale(other, key, load_config()))
			continue;
		if (__sync_val_compare_and_swap(&frame->ctx, other, key) != other)
			continue;
		if (other)
			stat->stale++;
		return frame;
	}
	return NULL;
}

static __always_inline int enter_fsession(void *ctx, struct bprof_cpu_stat *stat,
					  union map_key *key, const __u32 max)
{
	struct bprof_frame *frame = &stat->frame[0];
	__u64 config = load_config(), gate = gate_for_others((__u64)ctx, stat);
	__u32 cpu = key->id;

	if (!gate || stat->off || (config & BPROF_CONFIG_THIN && !is_chosen(stat))) {
		*cookie_of(ctx) = COOKIE_NONE;
		return 0;
	}
	*cookie_of(ctx) = COOKIE(cpu, COOKIE_CPU_FRAME);
	if (frame->ctx) {
		stat->entry_scratch = (__u64)ctx;
		frame = find_fsession_frame(stat, key);
		if (!frame) {
			*cookie_of(ctx) = COOKIE_NONE;
			stat->lost_overflow++;
			return 0;
		}
		*cookie_of(ctx) = COOKIE(cpu, key->id);
	}
	frame->ctx = (__u64)ctx;
	frame->counted = 1;
	check_irqs(stat, &config, cpu, max, false);
	/* No other code may follow the readings, because the target's counts would include it. */
	read_events(&frame->start, config, cpu, max, false);
	return 0;
}

/* Returns the frame of an invocation that began on that CPU, or NULL if its entry is unknown. */
static __always_inline struct bprof_frame *frame_of(void *ctx, struct bprof_cpu_stat *stat,
						    __u64 cookie, __u32 cpu)
{
	struct bprof_frame *frame = &stat->frame[0];
	union map_key index = {.id = cookie >> 32};

	if (cookie != COOKIE(cpu, COOKIE_CPU_FRAME))
		frame = bpf_map_lookup_elem(&bprof_pool, &index.id);
	if (!frame || frame->ctx != (__u64)ctx)
		return NULL;
	return frame;
}

/* Counts an invocation whose entry is unknown. */
static __always_inline int lose_entry(struct bprof_cpu_stat *stat)
{
	if (bprof_gate && !stat->off)
		stat->lost_entry++;
	return 0;
}

/*
 * Loads the config again at the entry and at the return, so that clang does not keep it on the
 * stack: see reload().
 */
static __always_inline int on_fsession(void *ctx, const __u32 max, const enum exit_kind kind)
{
	union map_key key = {.id = bpf_get_smp_processor_id()};
	struct bprof_cpu_stat *stat = bpf_map_lookup_elem(&bprof_stats, &key.id);
	struct bprof_frame *frame;
	__u64 cookie, config;

	if (!stat)
		return 0;
	if (!is_return(ctx))
		return enter_fsession(ctx, stat, &key, max);
	cookie = *cookie_of(ctx);
	if (cookie == COOKIE_NONE)
		return 0;
	config = load_config();
	/* All code before this line adds to the bias. */
	read_events(&stat->end, config, key.id, max, false);
	config = reload(config);
	if (!cookie) {
		stat->no_entry++;
		return lose_entry(stat);
	}
	frame = frame_of(ctx, stat, cookie, key.id);
	if (!frame)
		return lose_entry(stat);
	/*
	 * Readings on two CPUs cannot be compared. This is only a precaution: no kernel migrates a
	 * program to another CPU while it runs.
	 */
	if ((__u32)cookie == key.id + 1) {
		stat->ending = 1;
		barrier();
		if (!add_measured(ctx, stat, frame, config, &key, max, false, kind))
			return 0;
		barrier(); /* the run has been added to the sums */
		stat->ending = 0;
	} else {
		lose_entry(stat);
	}
	frame->ctx = 0;
	return 0;
}

#endif
