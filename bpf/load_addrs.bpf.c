// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Iterators that find the address of the kernel's struct bpf_prog of a loaded program, of the struct
 * bpf_map of a map, or of the struct bpf_tramp_image of a trampoline. They run once per map (Linux
 * 5.8), program (5.9) or link (5.19), in the process that reads the iterator.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define OF_THE_KERNEL __attribute__((preserve_access_index))

struct bpf_map {
	__u32 id;
} OF_THE_KERNEL;

struct bpf_prog_aux {
	__u32 id;
} OF_THE_KERNEL;

struct bpf_prog {
	struct bpf_prog_aux *aux;
} OF_THE_KERNEL;

struct bpf_iter__bpf_prog {
	struct bpf_prog *prog;
} OF_THE_KERNEL;

struct bpf_iter__bpf_map {
	struct bpf_map *map;
} OF_THE_KERNEL;

struct bpf_link {
	__u32 id;
} OF_THE_KERNEL;

struct bpf_trampoline {
	void *cur_image;
} OF_THE_KERNEL;

/* The kernel's struct begins with the struct bpf_link, so a pointer to the link can be cast. */
struct bpf_tracing_link {
	struct bpf_trampoline *trampoline;
} OF_THE_KERNEL;

struct bpf_iter__bpf_link {
	struct bpf_link *link;
} OF_THE_KERNEL;

__u32 bprof_prog_id, bprof_map_id, bprof_link_id;
__u64 bprof_prog, bprof_map, bprof_image; /* result: addresses; 0: not found */

SEC("iter/bpf_prog")
int bprof_prog_addr(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog; /* the iterator passes NULL after the last program */

	if (prog && BPF_CORE_READ(prog, aux, id) == bprof_prog_id)
		bprof_prog = (__u64)prog;
	return 0;
}

SEC("iter/bpf_map")
int bprof_map_addr(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map; /* the iterator passes NULL after the last map */

	if (map && map->id == bprof_map_id)
		bprof_map = (__u64)map;
	return 0;
}

SEC("iter/bpf_link")
int bprof_tramp(struct bpf_iter__bpf_link *ctx)
{
	struct bpf_link *link = ctx->link; /* the iterator passes NULL after the last link */

	if (link && link->id == bprof_link_id)
		bprof_image = (__u64)BPF_CORE_READ((struct bpf_tracing_link *)link, trampoline,
						   cur_image);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
