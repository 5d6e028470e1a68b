/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe that reads arguments of the target (struct bprof_arg_read). Runs in the exit
 * probe after its readings, so the target's own values do not include this code. Keeps all of its state
 * in the map, so that it needs no stack.
 */
#ifndef BPROF_PROBE_ARGS_BPF_H
#define BPROF_PROBE_ARGS_BPF_H

#include "probe_core.bpf.h"
#include "probe_frames.bpf.h"
#include "trace.h"

static __always_inline bool meets_condition(const struct bprof_arg_spec *spec, __u64 value)
{
	__u64 operand = spec->operand;

	if (spec->when == BPROF_ARG_HAS_BITS)
		return value & operand;
	if (value == operand)
		return spec->when & BPROF_ARG_EQUAL;
	/* With the highest bit inverted, signed numbers compare like unsigned numbers. */
	if ((value ^ spec->order) < (operand ^ spec->order))
		return spec->when & BPROF_ARG_LESS;
	return spec->when & BPROF_ARG_GREATER;
}

/*
 * Returns the argument's bit. Loads the bit each time, so that clang does not keep it on the stack.
 */
static __always_inline __u32 mask_of(const struct bprof_arg_spec *spec)
{
	return *(const volatile __u32 *)&spec->mask;
}

/* Stores the value of an argument, which has been read into arg_value. */
static __always_inline void store_arg(struct bprof_trace_cpu *t, __u64 arg)
{
	const struct bprof_arg_spec *spec = &t->arg[arg];
	__u64 value = (t->arg_value[0] - t->arg_minus) << (spec->left & 63), *to;

	value = ((value >> (spec->right & 63)) ^ spec->sign) - spec->sign;
	to = (void *)t->record.data + arg * BPROF_ARG_SZ;
	to[0] = value;
	to[1] = t->arg_value[1];
	t->record.args |= mask_of(spec);
	if (meets_condition(spec, value))
		t->record.args_true |= mask_of(spec);
}

/* Does one read, and prepares the next read. */
static __always_inline void do_read(struct bprof_trace_cpu *t, __u32 i)
{
	const struct bprof_arg_read *read = &t->read[i];
	__u64 sz = read->size, arg;

	t->arg_value[0] = 0;
	t->arg_value[1] = 0;
	barrier_var(sz);
	sz &= 2 * BPROF_ARG_SZ - 1;
	/*
	 * The highest bit of the kernel's addresses is set. Do not read other addresses: they are NULL
	 * or addresses of user space. arm64 might read these from the memory of another process.
	 */
	if (!is_negative(t->arg_at) ||
	    bpf_probe_read_kernel(t->arg_value, sz, (const void *)(t->arg_at + read->offset)))
		t->arg_failed = 1;
	barrier_var(t);
#ifdef HAS_KEYS /* only the programs of probe_keys.bpf.c trace cgroups */
	if (t->read[i].kind == BPROF_READ_CGROUP)
		t->arg_value[0] = bpf_get_current_cgroup_id();
	barrier_var(t);
#endif
	read = &t->read[i];
	if (read->kind == BPROF_READ_POINTER) {
		t->arg_at = t->arg_value[0];
		return;
	}
	t->arg_at = t->scratch; /* the address of the arguments: see read_args() */
	if (read->kind == BPROF_READ_MINUS) {
		t->arg_minus = t->arg_value[0];
		return;
	}
	arg = read->arg;
	barrier_var(arg);
	arg &= BPROF_TRACE_ARGS - 1;
	if (!t->arg_failed)
		store_arg(t, arg);
	t->arg_failed = 0;
	t->arg_minus = 0;
}

/* Reads all arguments of a run into the record. */
static __always_inline void read_args(void *ctx, struct bprof_trace_cpu *t)
{
	t->arg_at = number_of(ctx, &t->scratch);
	t->arg_failed = 0;
	t->arg_minus = 0;
	t->record.args = 0;
	t->record.args_true = 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < BPROF_TRACE_READS; i++) {
		barrier_var(t); /* else clang keeps the addresses of its members on the stack */
		if (i >= t->read_cnt)
			break;
		do_read(t, i);
	}
}

#endif
