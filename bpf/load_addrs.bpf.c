// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Iterators that find the kernel's description of a loaded BPF program (struct bpf_prog) and of one of
 * its maps (struct bpf_map), or of a trampoline's code (struct bpf_tramp_image). They run once per
 * program (Linux 5.9) or link (5.19) in the process that reads them.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define OF_THE_KERNEL __attribute__((preserve_access_index))

/* A probe uses fewer maps. */
#define MAX_MAPS 16

struct bpf_map {
	__u32 id;
} OF_THE_KERNEL;

struct bpf_prog_aux {
	__u32 id, used_map_cnt;
	struct bpf_map **used_maps;
} OF_THE_KERNEL;

struct bpf_prog {
	struct bpf_prog_aux *aux;
} OF_THE_KERNEL;

struct bpf_iter__bpf_prog {
	struct bpf_prog *prog;
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

static void find_map(struct bpf_prog_aux *aux)
{
	struct bpf_map **maps = BPF_CORE_READ(aux, used_maps), *map;

	for (__u32 i = 0; i < MAX_MAPS && i < BPF_CORE_READ(aux, used_map_cnt); i++)
		if (!bpf_probe_read_kernel(&map, sizeof(map), maps + i) &&
		    BPF_CORE_READ(map, id) == bprof_map_id)
			bprof_map = (__u64)map;
}

SEC("iter/bpf_prog")
int bprof_addrs(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog; /* the iterator passes NULL after the last program */

	if (!prog || BPF_CORE_READ(prog, aux, id) != bprof_prog_id)
		return 0;
	bprof_prog = (__u64)prog;
	find_map(BPF_CORE_READ(prog, aux));
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
