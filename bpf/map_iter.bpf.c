// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lists the maps with their types. To get the type of a map, user space would have to open the map. But opening a
 * prog array that is going away leaks the array (profiler/target/prog_arrays.h). This iterator program (Linux 5.8)
 * runs once per map in the process that reads the iterator. It has a light skeleton: the kernel itself finds the
 * offsets of members.
 */
#include "iter.bpf.h"
#include "map_iter.h"

struct bpf_map {
	enum bpf_map_type map_type;
	__u32 id;
	atomic64_t usercnt;
} OF_THE_KERNEL;

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
} OF_THE_KERNEL;

SEC("iter/bpf_map")
int bprof_map_ref(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map; /* the iterator passes NULL after the last map */
	struct bprof_map_ref found;

	if (!map)
		return 0;
	found.id = map->id;
	found.type = map->map_type;
	/* If a prog array has neither descriptors nor pins, the kernel has cleared it or is about to. */
	if (found.type == BPF_MAP_TYPE_PROG_ARRAY && !BPF_CORE_READ(map, usercnt.counter))
		return 0;
	bpf_seq_write(ctx->meta->seq, &found, sizeof(found));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
