// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A tracing program that triggers itself: it is attached to htab_map_delete_elem() and deletes from
 * the map, which calls that function again. The kernel skips the recursive run. Context: that of
 * the test run of xdp_delete, which makes the first deletion.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} doomed SEC(".maps");

/* ctx[0] is the function's first argument, the map. Deletions from other maps are ignored. */
SEC("fentry/htab_map_delete_elem")
int fentry_again(__u64 *ctx)
{
	__u32 key = 0;

	if (ctx[0] == (__u64)&doomed)
		bpf_map_delete_elem(&doomed, &key);
	return 0;
}

SEC("xdp")
int xdp_delete(struct xdp_md *ctx)
{
	__u32 key = 0;

	bpf_map_delete_elem(&doomed, &key);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
