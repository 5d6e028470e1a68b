/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe that divides a target's runs by a key that user space chooses: the device of
 * a packet, its queue, the cgroup or the task (--by). Runs in the exit probe after its readings, so
 * the target's own values do not include this code.
 */
#ifndef BPROF_PROBE_KEY_BPF_H
#define BPROF_PROBE_KEY_BPF_H

#include "probe_core.bpf.h"

#define TO_STRING(x) #x
#define EXPANDED(x) TO_STRING(x)

/*
 * Returns the key of the run plus 1. User space writes the instructions that read the key
 * (probe/key_read.h); they may call a helper.
 */
static __always_inline __u64 read_key(void *ctx)
{
	register void *arg asm("r1") = ctx;
	register __u64 value asm("r0");

	asm volatile(
		".rept " EXPANDED(BPROF_KEY_INSNS) "\n"
						   "r0 = " EXPANDED(BPROF_KEY_PLACEHOLDER) "\n"
											   ".endr"
		: "=r"(value), "+r"(arg)
		:
		: "r2", "r3", "r4", "r5", "memory");
	return value;
}

/*
 * Returns true if the names of tasks are needed. The verifier knows the value, and removes code
 * that is not needed.
 */
static __always_inline bool needs_names(void)
{
	__u64 names;

	asm volatile("%0 = %1" : "=r"(names) : "i"(BPROF_KEY_NAMES_PLACEHOLDER));
	return names;
}

/*
 * Returns the number of the part for a key (struct bprof_keys). If the key has no part yet, takes the
 * first free part of those that it tries, after it has looked at all of them: user space may have
 * freed a part that the key would have tried before its own. Another CPU may take the same part at
 * the same time, so this needs an atomic compare-and-exchange.
 *
 * For nested targets, the first loop does not end early: the overhead in the caller's measurement
 * must be the same for all keys. A key takes a part only once.
 */
static __always_inline __u64 find_key_part(struct bprof_keys *k, __u64 value, const bool nested)
{
	const __u64 any_free = 2 * BPROF_KEYS, numbers = any_free - 1;
	__u32 first = BPROF_KEY_SLOT(value);
	__u64 part = 0; /* plus any_free, if one of the parts is free */

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < BPROF_KEY_TRIES; i++) {
		__u32 slot = (first + i) & (BPROF_KEYS - 1);
		__u64 found = k->value[slot];

		if (!nested && found == value)
			return slot + 1;
		part |= is_negative(found - 1) * any_free;
		if (!nested)
			continue;
		/* Rarely, a key has two parts (probe_parts.h): do not mix their numbers. */
		found = -is_negative((found ^ value) - 1);
		part &= ~(found & numbers);
		part |= (slot + 1) & found;
	}
	if (part != any_free)
		return part & numbers;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < BPROF_KEY_TRIES; i++) {
		__u32 slot = (first + i) & (BPROF_KEYS - 1);
		__u64 found = __sync_val_compare_and_swap(&k->value[slot], 0, value);

		if (!found || found == value)
			return slot + 1;
	}
	return 0;
}

/*
 * Returns the sums to which a run with the present key is added, or NULL. *key is the CPU id. The
 * function uses *key for its lookups, and then restores it: a second key would take more of the stack
 * (see reload()).
 */
static __always_inline struct bprof_cpu_stat *part_of_run(void *ctx, union map_key *key,
							  const bool nested)
{
	__u64 value = read_key(ctx), part;
	struct bprof_cpu_stat *first, *to;
	struct bprof_keys *k;
	__u32 cpu = key->id;

	key->id = 0;
	first = bpf_map_lookup_elem(&bprof_stats, &key->id);
	if (!first)
		return NULL;
	k = (void *)first->hist;
	part = find_key_part(k, value, nested);
	key->id = cpu + (1 + part) * k->cpus;
	/*
	 * Get the name only after the loop, so that the call does not make clang keep more on the
	 * stack.
	 */
	if (needs_names() && !k->comm[part][0])
		bpf_get_current_comm(k->comm[part], sizeof(k->comm[part]));
	to = bpf_map_lookup_elem(&bprof_stats, &key->id);
	key->id = cpu;
	return to;
}

#endif
