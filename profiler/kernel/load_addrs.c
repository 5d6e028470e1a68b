// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the iterator over the kernel's BPF programs (bpf/load_addrs.bpf.c). Must not know what the
 * addresses are used for. Prints nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/load_addrs.skel.h"
#include "kernel/iter_run.h"
#include "kernel/load_addrs.h"

struct load_addrs {
	struct load_addrs_bpf *skel;
	struct bpf_link *iter;
};

int load_addrs__open(struct load_addrs **out)
{
	struct load_addrs *a = calloc(1, sizeof(*a));
	int err;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	a->skel = load_addrs_bpf__open_and_load();
	if (a->skel)
		a->iter = bpf_program__attach_iter(a->skel->progs.bprof_addrs, NULL);
	if (!a->iter) {
		err = -errno;
		load_addrs__close(a);
		return err;
	}
	*out = a;
	return 0;
}

void load_addrs__close(struct load_addrs *a)
{
	if (!a)
		return;
	bpf_link__destroy(a->iter);
	load_addrs_bpf__destroy(a->skel);
	free(a);
}

int load_addrs__find(struct load_addrs *a, int prog_fd, int map_fd, __u64 *prog, __u64 *map)
{
	struct load_addrs_bpf__bss *bss = a->skel->bss;
	struct bpf_prog_info prog_info = {};
	struct bpf_map_info map_info = {};
	__u32 prog_sz = sizeof(prog_info), map_sz = sizeof(map_info);
	int err;

	if (bpf_obj_get_info_by_fd(prog_fd, &prog_info, &prog_sz) ||
	    bpf_obj_get_info_by_fd(map_fd, &map_info, &map_sz))
		return -errno;
	bss->bprof_prog_id = prog_info.id;
	bss->bprof_map_id = map_info.id;
	bss->bprof_prog = bss->bprof_map = 0;
	err = iter_run__all(a->iter);
	*prog = bss->bprof_prog;
	*map = bss->bprof_map;
	return err ?: *prog && *map ? 0 : -ENOENT;
}
