/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls the functions of maps of all kinds, for the targets NAME_shapes of contexts.h. Each function is called
 * once in a run. SHAPE_CALLS (contexts_case.h) is the number of these functions.
 */
#ifndef PROGS_CONTEXTS_SHAPES_H
#define PROGS_CONTEXTS_SHAPES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "shape_maps.h"

/* This ring buffer has no reader, and room for the records of all runs. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} a_ring SEC(".maps");

static __attribute__((always_inline)) inline void call_shapes(bool trie)
{
	struct prefix prefix = {.len = 24, .address = bpf_htonl(0xc0000200)};
	__u32 key = 1;
	__u64 value = 2, *record;

	bpf_map_update_elem(&a_hash, &key, &value, BPF_ANY);
	bpf_map_update_elem(&an_lru, &key, &value, BPF_ANY);
	bpf_map_update_elem(&an_array, &key, &value, BPF_ANY);
	bpf_map_update_elem(&a_percpu_hash, &key, &value, BPF_ANY);
	bpf_map_update_elem(&a_percpu_array, &key, &value, BPF_ANY);
	if (trie) {
		bpf_map_update_elem(&a_trie, &prefix, &value, BPF_ANY);
		bpf_map_lookup_elem(&a_trie, &prefix);
	}
	bpf_map_push_elem(&a_queue, &value, 0);
	bpf_map_pop_elem(&a_queue, &value);
	bpf_map_push_elem(&a_stack, &value, 0);
	bpf_map_pop_elem(&a_stack, &value);
	record = bpf_ringbuf_reserve(&a_ring, sizeof(*record), 0);
	if (record)
		bpf_ringbuf_discard(record, 0);
}

#endif
