// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the iterators over the kernel's BPF programs, maps and links (bpf/load_addrs.bpf.c). Prints
 * nothing. Must not know what the addresses are used for.
 */
#include <errno.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/load_addrs.skel.h"
#include "kernel/iter_run.h"
#include "kernel/load_addrs.h"

int load_addrs__open(enum addrs_of of, struct load_addrs_bpf **out)
{
	struct load_addrs_bpf *a = load_addrs_bpf__open();
	int err;

	*out = NULL;
	if (!a)
		return -errno;
	bpf_program__set_autoload(a->progs.bprof_prog_addr, of == ADDRS_OF_PROGS);
	bpf_program__set_autoload(a->progs.bprof_map_addr, of != ADDRS_OF_IMAGES);
	bpf_program__set_autoload(a->progs.bprof_tramp, of == ADDRS_OF_IMAGES);
	err = load_addrs_bpf__load(a) ?: load_addrs_bpf__attach(a);
	if (err)
		load_addrs__close(a);
	else
		*out = a;
	return err;
}

void load_addrs__close(struct load_addrs_bpf *a)
{
	load_addrs_bpf__destroy(a);
}

/* Runs an iterator that sets *found. Returns 0 with *address, -ENOENT, or another -errno. */
static int find_address(struct bpf_link *iter, __u64 *found, __u64 *address)
{
	int err;

	*found = 0;
	err = iter_run__all(iter);
	*address = *found;
	return err ?: *address ? 0 : -ENOENT;
}

int load_addrs__find(struct load_addrs_bpf *a, int prog_fd, int map_fd, __u64 *prog, __u64 *map)
{
	struct bpf_prog_info prog_info = {};
	struct bpf_map_info map_info = {};
	__u32 prog_sz = sizeof(prog_info), map_sz = sizeof(map_info);

	if (bpf_obj_get_info_by_fd(prog_fd, &prog_info, &prog_sz) ||
	    bpf_obj_get_info_by_fd(map_fd, &map_info, &map_sz))
		return -errno;
	a->bss->bprof_prog_id = prog_info.id;
	return find_address(a->links.bprof_prog_addr, &a->bss->bprof_prog, prog)
		       ?: load_addrs__find_map(a, map_info.id, map);
}

int load_addrs__find_map(struct load_addrs_bpf *a, __u32 id, __u64 *map)
{
	a->bss->bprof_map_id = id;
	return find_address(a->links.bprof_map_addr, &a->bss->bprof_map, map);
}

int load_addrs__find_image(struct load_addrs_bpf *a, int link_fd, __u64 *address)
{
	struct bpf_link_info info = {};
	__u32 sz = sizeof(info);

	if (bpf_obj_get_info_by_fd(link_fd, &info, &sz))
		return -errno;
	a->bss->bprof_link_id = info.id;
	return find_address(a->links.bprof_tramp, &a->bss->bprof_image, address);
}
