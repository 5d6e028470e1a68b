/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps of all kinds, for programs that call their functions (called_shapes.bpf.c, contexts_shapes.h).
 */
#ifndef PROGS_SHAPE_MAPS_H
#define PROGS_SHAPE_MAPS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define DEFINE_MAP(name, kind, key_type, flags) \
	struct {                                \
		__uint(type, kind);             \
		__uint(max_entries, 64);        \
		__type(key, key_type);          \
		__type(value, __u64);           \
		__uint(map_flags, flags);       \
	} name SEC(".maps")

#define DEFINE_KEYLESS_MAP(name, kind)   \
	struct {                         \
		__uint(type, kind);      \
		__uint(max_entries, 64); \
		__type(value, __u64);    \
	} name SEC(".maps")

struct prefix {
	__u32 len, address;
};

DEFINE_MAP(a_hash, BPF_MAP_TYPE_HASH, __u32, 0);
DEFINE_MAP(an_lru, BPF_MAP_TYPE_LRU_HASH, __u32, 0);
DEFINE_MAP(an_array, BPF_MAP_TYPE_ARRAY, __u32, 0);
DEFINE_MAP(a_percpu_hash, BPF_MAP_TYPE_PERCPU_HASH, __u32, 0);
DEFINE_MAP(a_percpu_array, BPF_MAP_TYPE_PERCPU_ARRAY, __u32, 0);
DEFINE_MAP(a_trie, BPF_MAP_TYPE_LPM_TRIE, struct prefix, BPF_F_NO_PREALLOC);
DEFINE_KEYLESS_MAP(a_queue, BPF_MAP_TYPE_QUEUE);
DEFINE_KEYLESS_MAP(a_stack, BPF_MAP_TYPE_STACK);

#endif
