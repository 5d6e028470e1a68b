/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe that records single invocations for bprof trace. Runs in the exit probe after
 * its readings and sums, so the target's own values do not include this code.
 */
#ifndef BPROF_PROBE_TRACE_BPF_H
#define BPROF_PROBE_TRACE_BPF_H

#include <stddef.h>

#include "probe_core.bpf.h"
#include "trace.h"

#define XDP_FLAGS_HAS_FRAGS 1 /* as in include/net/xdp.h */
#define NSEC_PER_SEC 1000000000ULL

/* The verifier knows the values of these constants. */
const volatile struct bprof_trace_config bprof_trace;

/* needs bprof_trace */
#include "probe_args.bpf.h"

/* Indexed by CPU id. User space puts a perf event with a ring buffer into each element. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} bprof_records SEC(".maps");

static __always_inline __u32 read_u32_at(__u64 base, __u32 offset)
{
	__u32 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), (const void *)(base + offset));
	return v;
}

static __always_inline __u64 read_u64_at(__u64 base, __u64 offset)
{
	__u64 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), (const void *)(base + offset));
	return v;
}

/* Returns the run's return value. It is loaded each time, so that clang does not keep it on the stack. */
static __always_inline __u32 retval_of(const void *ctx)
{
	return *(const volatile __u64 *)(ctx + BPROF_RETVAL_OFFSET);
}

static __always_inline __u64 has_failed(const struct bprof_cpu_stat *stat,
					const struct bprof_frame *frame, const __u32 i)
{
	return is_negative(frame->start.value[i] | stat->end.value[i]);
}

/*
 * Returns the net value of the frame's invocation for a slot. For nested targets, "run" is the run
 * that contains the invocation: the invocation has already been added to its sums. For other
 * targets, "run" is NULL.
 */
static __always_inline __s64 net_of(const struct bprof_cpu_stat *stat,
				    const struct bprof_frame *frame, const struct bprof_run *run,
				    __u64 context, const __u32 i)
{
	if (run)
		return run->sum[i].net - frame->before[i].net;
	return stat->end.value[i] - frame->start.value[i] -
	       IN_CONTEXT(stat->event[i].bias, context);
}

static __always_inline bool is_read(__u64 config, const __u32 max, const __u32 i)
{
	return i == BPROF_CLOCK_SLOT ? config & BPROF_CONFIG_CLOCK
				     : i < max && i < BPROF_CONFIG_EVENTS(config);
}

/* Adds a run to the distribution from which user space computes the percentile. */
static __always_inline void add_to_words(struct bprof_trace_cpu *t, __s64 net)
{
	__u64 *words = (void *)t + bprof_trace.words_off, bucket;

	t->scratch = bucket_of(net); /* stored and reloaded as in add_to_hist() */
	barrier();
	bucket = t->scratch & (BPROF_HIST_BUCKETS - 1);
	words[bucket] = add_to_bucket(words[bucket], net, false);
}

/*
 * One slot has a percentile as its bound. Returns the bit of this slot if the run is above the bound,
 * else 0. The verifier knows the slot.
 */
static __always_inline __u64 find_slowest(struct bprof_trace_cpu *t,
					  const struct bprof_cpu_stat *stat,
					  const struct bprof_frame *frame,
					  const struct bprof_run *run, __u64 context)
{
	__u32 slot = bprof_trace.follows;
	__s64 net;

	if (slot >= BPROF_SLOTS || has_failed(stat, frame, slot))
		return 0;
	net = net_of(stat, frame, run, context, slot);
	add_to_words(t, net);
	return is_negative(t->over - net) << slot;
}

/*
 * Returns the conditions that are true for a run, as a mask (BPROF_WHY_… and a bit for each slot).
 * Does not check the conditions on arguments.
 */
static __always_inline __u32 find_why(const void *ctx, struct bprof_trace_cpu *t,
				      const struct bprof_cpu_stat *stat,
				      const struct bprof_frame *frame, const struct bprof_run *run,
				      __u64 config, __u64 context, const __u32 max)
{
	__u32 slots = bprof_trace.slots;
	__u64 why = 0, every;

#pragma unroll
	for (__u32 i = 0; i < BPROF_SLOTS; i++) {
		__s64 net;

		if (!is_read(config, max, i) || !(slots >> i & 1))
			continue;
		net = net_of(stat, frame, run, context, i);
		why |= ((is_negative(bprof_trace.over[i] - net) |
			 is_negative(net - bprof_trace.under[i])) &
			~has_failed(stat, frame, i))
		       << i;
	}
	if (bprof_trace.retvals) {
		__u64 retval = retval_of(ctx), same = 0;

#pragma unroll
		for (int i = 0; i < BPROF_TRACE_RETVALS; i++)
			same |= is_zero(retval ^ t->retval[i]);
		if (same)
			why |= BPROF_WHY_RETVAL;
	}
	every = bprof_trace.every; /* loaded only now, so that clang need not keep it */
	if (every && ++t->countdown >= every) {
		t->countdown = 0;
		why |= BPROF_WHY_EVERY;
	}
	return why;
}

/* Takes one record from this second's budget. Returns false if the budget is used up. */
static __always_inline bool is_within_limit(struct bprof_trace_cpu *t, __u64 now)
{
	if (now - t->second >= NSEC_PER_SEC) {
		t->second = now;
		t->used = 0;
	}
	if (t->used >= bprof_trace.limit)
		return false;
	t->used++;
	return true;
}

/* Stores the VLAN tag that the kernel keeps beside the packet, in struct sk_buff. */
static __always_inline void read_tag(struct bprof_record *r, __u64 skb)
{
	__u32 mask = bprof_trace.at.skb_vlan_mask;

	if (mask && !(read_u32_at(skb, bprof_trace.at.skb_vlan_present) & mask))
		return;
	/* If the read fails, both members are 0. */
	bpf_probe_read_kernel(&r->vlan_proto, sizeof(r->vlan_proto) + sizeof(r->vlan_tci),
			      (const void *)(skb + bprof_trace.at.skb_vlan));
}

/*
 * Stores the type of the device at *at. User space needs the type to decode the packet's first
 * bytes.
 */
static __always_inline void read_dev_type(struct bprof_record *r, __u64 at, __u64 offset)
{
	__u64 dev = read_u64_at(at, offset);

	r->dev_type = (__u16)read_u32_at(dev, bprof_trace.at.dev_type);
}

/*
 * The target's first argument, and the address of the packet's linear part, are stored in the map, so that
 * clang does not keep them on the stack.
 */
static __always_inline __u64 first_arg(const struct bprof_trace_cpu *t)
{
	return *(const volatile __u64 *)&t->scratch;
}

static __always_inline __u64 packet_address(const struct bprof_trace_cpu *t)
{
	return *(const volatile __u64 *)&t->arg_at;
}

/*
 * Finds the packet's linear part after the program has run, and returns its length. Sets the record's
 * packet_sz to the length of the whole packet.
 */
static __always_inline __u64 find_packet(struct bprof_trace_cpu *t)
{
	struct bprof_record *r = &t->record;
	__u64 linear;

	if (t->packet == BPROF_SK_BUFF) {
		t->arg_at = read_u64_at(first_arg(t), bprof_trace.at.skb_data);
		r->packet_sz = read_u32_at(first_arg(t), bprof_trace.at.skb_len);
		linear = r->packet_sz - read_u32_at(first_arg(t), bprof_trace.at.skb_data_len);
		read_tag(r, first_arg(t));
		read_dev_type(r, first_arg(t), bprof_trace.at.skb_dev);
	} else {
		t->arg_at = read_u64_at(first_arg(t), bprof_trace.at.xdp_data);
		linear = read_u64_at(first_arg(t), bprof_trace.at.xdp_data_end) - packet_address(t);
		r->packet_sz = linear;
		read_dev_type(r, read_u64_at(first_arg(t), bprof_trace.at.xdp_rxq),
			      bprof_trace.at.rxq_dev);
		/* as xdp_get_buff_len() does (include/net/xdp.h) */
		if (bprof_trace.at.xdp_flags &&
		    read_u32_at(first_arg(t), bprof_trace.at.xdp_flags) & XDP_FLAGS_HAS_FRAGS) {
			__u64 info = read_u64_at(first_arg(t), bprof_trace.at.xdp_hard_start) +
				     read_u32_at(first_arg(t), bprof_trace.at.xdp_frame_sz) -
				     bprof_trace.at.info_sz;

			r->packet_sz += read_u32_at(info, bprof_trace.at.info_frags_sz);
		}
	}
	r->in_parts = r->packet_sz != linear;
	return linear;
}

/*
 * stack_at() returns the number of bytes in the record's data before the stack. packet_at() returns
 * the number before the packet.
 */
static __always_inline __u64 stack_at(void)
{
	return bprof_trace.args * BPROF_ARG_SZ;
}

static __always_inline __u64 packet_at(void)
{
	return stack_at() + bprof_trace.stack_sz;
}

/* Copies the packet into the record, behind the stack. Returns the number of bytes copied. */
static __always_inline __u64 copy_packet(void *ctx, struct bprof_trace_cpu *t)
{
	struct bprof_record *r = &t->record;
	__u64 n;

	r->packet_sz = 0;
	r->in_parts = 0;
	r->vlan_proto = 0;
	r->vlan_tci = 0;
	r->dev_type = 0;
	/*
	 * If lockdown forbids bpf_probe_read_kernel(), there are no offsets, and the verifier
	 * removes the code that calls it.
	 */
	if (!bprof_trace.at.skb_len || !t->packet)
		return 0;
	t->scratch = read_u64_at(number_of(ctx, &t->scratch), 0);
	n = find_packet(t);
	barrier_var(n);
	if (n > bprof_trace.snap)
		n = bprof_trace.snap;
	if (bpf_probe_read_kernel(r->data + packet_at(), n, (const void *)packet_address(t)))
		return 0;
	return n;
}

static __always_inline void output_record(void *ctx, struct bprof_trace_cpu *t)
{
	struct bprof_record *r = &t->record;
	__u64 n = copy_packet(ctx, t);
	long stack_sz = 0;

	if (bprof_trace.stack_sz)
		stack_sz = bpf_get_stack(ctx, r->data + stack_at(), bprof_trace.stack_sz, 0);
	r->stack_sz = stack_sz < 0 ? 0 : stack_sz;
	r->snapped = n;
	if (bpf_perf_event_output(ctx, &bprof_records, BPF_F_CURRENT_CPU, r,
				  offsetof(struct bprof_record, data) + packet_at() + n))
		t->lost++;
	else
		t->records++;
}

/* Records the run, unless it is over the limit. */
static __always_inline void record_run(void *ctx, struct bprof_trace_cpu *t)
{
	__u64 now = bpf_ktime_get_ns();

	if (!is_within_limit(t, now)) {
		t->held++;
		return;
	}
	t->record.ns = now;
	t->record.pid_tgid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(t->record.comm, sizeof(t->record.comm));
	t->record.target = t->target;
	t->record.retval = retval_of(ctx);
	output_record(ctx, t);
}

/*
 * Returns false if the run meets none of the conditions in record.why, and cannot meet any other
 * condition. Loads the conditions each time, so that clang does not keep them on the stack.
 */
static __always_inline bool may_match(struct bprof_trace_cpu *t)
{
	__u32 why = *(volatile __u32 *)&t->record.why;

	return t->armed && (bprof_trace.arg_conds || why);
}

/* Reads the arguments, and returns whether the run meets a condition. */
static __always_inline bool matches(void *ctx, struct bprof_trace_cpu *t)
{
	if (bprof_trace.args)
		read_args(ctx, t);
	if (bprof_trace.arg_conds && t->record.args_true)
		t->record.why |= BPROF_WHY_ARG;
	return *(volatile __u32 *)&t->record.why;
}

/* Records a measured run if a condition is true. Must be called before the run's frame is freed. */
static __always_inline void trace_run(void *ctx, struct bprof_cpu_stat *stat,
				      const struct bprof_frame *frame, __u64 context,
				      const __u32 max, const bool slowest)
{
	struct bprof_trace_cpu *t = (void *)stat->hist;
	__u64 config;
	__u32 why;

	/* otherwise clang derives t from stat each time, and keeps both on the stack */
	barrier_var(t);
	/*
	 * check this condition first and keep the result in the record: then clang needs no more
	 * stack
	 */
	if (slowest)
		t->record.why = find_slowest(t, stat, frame, NULL, context);
	why = find_why(ctx, t, stat, frame, NULL, load_config(), context, max);
	if (slowest)
		why |= *(volatile __u32 *)&t->record.why;
	t->record.why = why;
	if (!may_match(t))
		return;
	/*
	 * First set the members that need the frame: across calls of helpers, clang would keep the
	 * frame's address on the stack.
	 */
	config = load_config();
	t->record.failed = 0;
#pragma unroll
	for (__u32 i = 0; i < BPROF_SLOTS; i++) {
		if (!is_read(config, max, i))
			continue;
		t->record.failed |= has_failed(stat, frame, i) << i;
		t->record.net[i] = net_of(stat, frame, NULL, context, i);
	}
	if (!matches(ctx, t))
		return;
	t->matched++;
	record_run(ctx, t);
}

#endif
