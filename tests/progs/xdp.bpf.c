// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Small XDP targets: an empty program, a program whose name the kernel truncates to 15 characters,
 * and a program that counts its own runs. Context: XDP, in BPF_PROG_TEST_RUN or on a veth.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

SEC("xdp")
int xdp_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int xdp_with_a_very_long_function_name(struct xdp_md *ctx)
{
	return XDP_PASS;
}

/* Counts its own runs; tests compare the count with a measurement of live traffic. */
SEC("xdp")
int xdp_seen(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 *cnt = bpf_map_lookup_elem(&seen, &key);

	if (cnt)
		__sync_fetch_and_add(cnt, 1);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
