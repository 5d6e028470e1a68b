// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that call functions of the kernel in each way but as kfuncs (called_kfuncs.bpf.c):
 * operations on maps of each kind, helpers, callbacks, subprograms. Each counts its calls in
 * "calls"; test_called_shapes.c has a row for each program. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "shape_maps.h"

struct bpf_map;

#define NOINLINE __attribute__((noinline))

DEFINE_MAP(a_second_hash, BPF_MAP_TYPE_HASH, __u32, 0);
DEFINE_KEYLESS_MAP(a_bloom, BPF_MAP_TYPE_BLOOM_FILTER);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16);
} a_ring SEC(".maps");

/* The inner map of a_hash_of_maps. */
DEFINE_MAP(an_inner, BPF_MAP_TYPE_HASH, __u32, 0);

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u32);
	__array(values, typeof(an_inner));
} a_hash_of_maps SEC(".maps") = {.values = {[1] = &an_inner}};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u32);
	__array(values, typeof(an_inner));
} an_array_of_maps SEC(".maps") = {.values = {[1] = &an_inner}};

/* The number of calls of kernel functions in all runs. */
__u64 calls;

#define SHAPE(name) \
	SEC("xdp")  \
	int name(struct xdp_md *ctx)

#define UPDATES(name, map)                                        \
	SHAPE(name)                                               \
	{                                                         \
		__u32 key = 1;                                    \
		__u64 value = 2;                                  \
                                                                  \
		bpf_map_update_elem(&map, &key, &value, BPF_ANY); \
		calls++;                                          \
		return XDP_PASS;                                  \
	}

UPDATES(shape_hash, a_hash)
UPDATES(shape_lru, an_lru)
UPDATES(shape_array, an_array)
UPDATES(shape_percpu_hash, a_percpu_hash)
UPDATES(shape_percpu_array, a_percpu_array)

/* A lookup that hits, one that misses, and the deletion of the element. */
SHAPE(shape_lookups)
{
	__u32 key = 1, other = 2;
	__u64 value = 2;

	bpf_map_update_elem(&a_hash, &key, &value, BPF_ANY);
	if (!bpf_map_lookup_elem(&a_hash, &key) || bpf_map_lookup_elem(&a_hash, &other))
		return XDP_DROP;
	bpf_map_delete_elem(&a_hash, &key);
	calls += 4;
	return XDP_PASS;
}

SHAPE(shape_trie)
{
	struct prefix key = {.len = 24, .address = bpf_htonl(0xc0000200)};
	__u64 value = 2, *found;

	bpf_map_update_elem(&a_trie, &key, &value, BPF_ANY);
	key.len = 32;
	found = bpf_map_lookup_elem(&a_trie, &key);
	calls += 2;
	return found ? XDP_PASS : XDP_DROP;
}

SHAPE(shape_queue)
{
	__u64 value = 2;

	bpf_map_push_elem(&a_queue, &value, 0);
	bpf_map_peek_elem(&a_queue, &value);
	bpf_map_pop_elem(&a_queue, &value);
	calls += 3;
	return XDP_PASS;
}

SHAPE(shape_stack)
{
	__u64 value = 2;

	bpf_map_push_elem(&a_stack, &value, 0);
	bpf_map_pop_elem(&a_stack, &value);
	calls += 2;
	return XDP_PASS;
}

/*
 * This is not on the stack, where the verifier of Linux 7.2 would take it for unused: for maps of
 * other types, bpf_map_peek_elem() only writes its value.
 */
__u64 element = 2;

SHAPE(shape_bloom)
{
	bpf_map_push_elem(&a_bloom, &element, 0);
	calls += 2;
	return bpf_map_peek_elem(&a_bloom, &element) ? XDP_DROP : XDP_PASS;
}

/* The ring has no reader, and room for the records of some thousand runs. */
SHAPE(shape_ring)
{
	__u64 *record = bpf_ringbuf_reserve(&a_ring, sizeof(*record), 0);

	calls++;
	if (!record)
		return XDP_PASS;
	*record = 2;
	bpf_ringbuf_discard(record, 0);
	calls++;
	return XDP_PASS;
}

/* The verifier inlines the lookup of an inner map in an array, so this lookup is no call. */
SHAPE(shape_inner_maps)
{
	__u32 key = 1;
	__u64 value = 2;
	void *inner = bpf_map_lookup_elem(&an_array_of_maps, &key);

	if (inner) {
		bpf_map_update_elem(inner, &key, &value, BPF_ANY);
		calls++;
	}
	inner = bpf_map_lookup_elem(&a_hash_of_maps, &key);
	calls++;
	if (inner) {
		bpf_map_update_elem(inner, &key, &value, BPF_ANY);
		calls++;
	}
	return XDP_PASS;
}

SHAPE(shape_same_type)
{
	__u32 key = 1;
	__u64 value = 2;

	bpf_map_update_elem(&a_hash, &key, &value, BPF_ANY);
	bpf_map_update_elem(&a_second_hash, &key, &value, BPF_ANY);
	bpf_map_update_elem(&a_second_hash, &key, &value, BPF_ANY);
	calls += 3;
	return XDP_PASS;
}

/* The same helper at three places. */
SHAPE(shape_sites)
{
	__u32 x = bpf_get_prandom_u32();

	asm volatile(".rept 7\n\tr0 = 0\n\t.endr" : : : "r0");
	x += bpf_get_prandom_u32();
	asm volatile(".rept 7\n\tr0 = 0\n\t.endr" : : : "r0");
	x += bpf_get_prandom_u32();
	calls += 3;
	return x == 1 ? XDP_DROP : XDP_PASS;
}

static NOINLINE int draw(int times)
{
	__u32 x = 0;

	for (int i = 0; i < 2; i++)
		x += bpf_get_prandom_u32();
	calls += 2;
	return x + times;
}

SHAPE(shape_subprograms)
{
	int x = draw(1);

	x += draw(2);
	x += bpf_get_prandom_u32();
	calls++;
	return x == 1 ? XDP_DROP : XDP_PASS;
}

/* The verifier replaces a call of bpf_loop() by a loop if it knows the callback. */
static long on_turn(__u32 i, void *data)
{
	*(__u32 *)data += bpf_get_prandom_u32();
	calls++;
	return 0;
}

SHAPE(shape_loop)
{
	__u32 sum = 0;

	bpf_loop(5, on_turn, &sum, 0);
	return sum == 1 ? XDP_DROP : XDP_PASS;
}

static long on_element(struct bpf_map *map, __u32 *key, __u64 *value, __u32 *sum)
{
	*sum += bpf_get_prandom_u32();
	calls++;
	return *key == 3; /* ends with the fourth element */
}

SHAPE(shape_for_each)
{
	__u32 sum = 0;

	bpf_for_each_map_elem(&an_array, on_element, &sum, 0);
	calls++;
	return sum == 1 ? XDP_DROP : XDP_PASS;
}

SHAPE(shape_checksum)
{
	__be32 from[4] = {1, 2, 3, 4}, to[4] = {5, 6, 7, 8};

	calls++;
	return bpf_csum_diff(from, sizeof(from), to, sizeof(to), 0) < 0 ? XDP_DROP : XDP_PASS;
}

SHAPE(shape_packet)
{
	if (bpf_xdp_adjust_head(ctx, 4) || bpf_xdp_adjust_head(ctx, -4))
		return XDP_DROP;
	calls += 2;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
