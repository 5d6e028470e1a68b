// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets with long runs. xdp_long is so long that interrupts fall into its runs; xdp_map updates a
 * hash map, which takes a lock and disables interrupts. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} table SEC(".maps");

SEC("xdp")
int xdp_long(struct xdp_md *ctx)
{
	int x = 0;

	for (int i = 0; i < 20000; i++)
		asm volatile("%0 += 1" : "+r"(x));
	return XDP_PASS;
}

SEC("xdp")
int xdp_map(struct xdp_md *ctx)
{
	__u32 key = bpf_get_prandom_u32() % 64;
	__u64 value = key;

	bpf_map_update_elem(&table, &key, &value, BPF_ANY);
	bpf_map_delete_elem(&table, &key);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
