/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe that divides a target's runs by their return value (--by retval). Runs in the
 * exit probe after its readings, so the target's own values do not include this code.
 */
#ifndef BPROF_PROBE_RETVAL_BPF_H
#define BPROF_PROBE_RETVAL_BPF_H

#include "probe_core.bpf.h"

/*
 * Returns the number of the part for a return value (struct bprof_retvals). If the value has no
 * part yet, takes the first free part, beginning with the value's preferred part. Another CPU may
 * take the same part at the same time, so this needs an atomic compare-and-exchange.
 *
 * For nested targets, the loop does not end early: the overhead in the caller's measurement must be
 * the same for all values.
 */
static __always_inline __u64 find_part(struct bprof_retvals *r, __u64 retval, const bool nested)
{
	__u64 value = (__u32)retval | BPROF_RETVAL_USED;
	/*
	 * 16 for a 64-bit value that does not fit into 32 bits, so that it matches nothing and
	 * takes no part.
	 */
	__u64 part = (is_zero((retval ^ (__s64)(__s32)retval) & r->wide) ^ 1) << 4;

	value |= part << 32;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < BPROF_RETVALS; i++) {
		__u32 slot = (value + i) & (BPROF_RETVALS - 1);
		__u64 found = r->value[slot];

		if (!(found | part))
			found = __sync_val_compare_and_swap(&r->value[slot], 0, value) ?: value;
		part |= (slot + 1) & -is_negative((found ^ value) - 1);
		if (!nested && part)
			break;
	}
	return part & 15;
}

/*
 * Returns the sums to which a run with the target's present return value is added, or NULL. *key is
 * the CPU id. The function uses *key for its lookups, and then restores it: a second key would take
 * more of the stack (see reload()).
 */
static __always_inline struct bprof_cpu_stat *part_of_run(void *ctx, union map_key *key,
							  const bool nested)
{
	__u64 retval = *(const __u64 *)(ctx + BPROF_RETVAL_OFFSET);
	struct bprof_cpu_stat *first, *to;
	struct bprof_retvals *r;
	__u32 cpu = key->id;

	key->id = 0;
	first = bpf_map_lookup_elem(&bprof_stats, &key->id);
	if (!first)
		return NULL;
	r = (void *)first->hist;
	key->id = cpu + (1 + find_part(r, retval, nested)) * r->cpus;
	to = bpf_map_lookup_elem(&bprof_stats, &key->id);
	key->id = cpu;
	return to;
}

#endif
