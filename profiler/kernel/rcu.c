// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Waits for a grace period of the kernel's RCU. Owns the way to get one: after a change of a map of
 * maps, the kernel waits until no program uses the old inner map (kernel/bpf/syscall.c,
 * maybe_wait_bpf_programs()). membarrier() does not wait if there is only one CPU, or one without a tick.
 */
#include <errno.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/rcu.h"

int rcu__synchronize(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int outer, inner, err = 0;
	__u32 key = 0;

	inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bprof_rcu", sizeof(key), 1, 1, NULL);
	if (inner < 0)
		return -errno;
	opts.inner_map_fd = inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "bprof_rcu", sizeof(key), sizeof(key), 1,
			       &opts);
	if (outer < 0 || bpf_map_update_elem(outer, &key, &inner, BPF_ANY))
		err = -errno;
	if (outer >= 0)
		close(outer);
	close(inner);
	return err;
}
