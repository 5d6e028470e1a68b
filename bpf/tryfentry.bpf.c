// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The smallest fentry/fexit pair, attached to find out whether a program can be probed. User space
 * sets the probed program before loading. The pair runs in the probed program's context. Each of
 * its two programs counts its runs.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "tryfentry.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRYFENTRY_CNT);
	__type(key, __u32);
	__type(value, __u64);
} bprof_try SEC(".maps");

static __always_inline int count(__u32 key)
{
	__u64 *fired = bpf_map_lookup_elem(&bprof_try, &key);

	if (fired)
		__sync_fetch_and_add(fired, 1);
	return 0;
}

SEC("fentry")
int bprof_try_entry(void *ctx)
{
	return count(TRYFENTRY_ENTRY);
}

SEC("fexit")
int bprof_try_exit(void *ctx)
{
	return count(TRYFENTRY_EXIT);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
