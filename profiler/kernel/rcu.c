// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Waits for a grace period of the kernel's RCU. Owns the way to get one: after a change of a map of
 * maps, the kernel waits until no program uses the old inner map (kernel/bpf/syscall.c,
 * maybe_wait_bpf_programs()). membarrier() does not wait if there is only one CPU, or one without a tick.
 */
#include <errno.h>
#include <bpf/bpf.h>

#include "base/util.h"
#include "kernel/rcu.h"

void rcu__close(struct rcu *r)
{
	close_fd(&r->outer);
	close_fd(&r->inner);
}

int rcu__open(struct rcu *r)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	const __u32 sz = sizeof(__u32);
	int err;

	*r = (struct rcu){-1, -1};
	r->inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bprof_rcu", sz, 1, 1, NULL);
	if (r->inner < 0)
		return -errno;
	opts.inner_map_fd = r->inner;
	r->outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "bprof_rcu", sz, sz, 1, &opts);
	err = r->outer < 0 ? -errno : 0;
	if (err)
		rcu__close(r);
	return err;
}

int rcu__synchronize(const struct rcu *r)
{
	__u32 key = 0;

	return bpf_map_update_elem(r->outer, &key, &r->inner, BPF_ANY) ? -errno : 0;
}
