// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program with metadata, which it does not use, and with a map. Context: that of XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

const char bpf_metadata_version[] SEC(".rodata") = "1.2-rc3";
const int bpf_metadata_build SEC(".rodata") = 7;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1000);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

SEC("xdp")
int xdp_metadata(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&counts, &key);

	if (count)
		++*count;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
