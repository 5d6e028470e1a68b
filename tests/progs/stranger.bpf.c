// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An object that leaves a lot to its loader: sizes of maps, inner maps, the type of a program,
 * constants, and the kernel's configuration. One of its programs cannot be test-run, and one cannot
 * be loaded. Context: XDP, kprobe.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern unsigned int CONFIG_HZ __kconfig;
extern bool CONFIG_BPROF_HAS_NOT __kconfig __weak;

const volatile unsigned int factor = 1;
const volatile struct {
	unsigned char port[2];
	unsigned int last;
} settings;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
} unsized SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} outer SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} inner SEC(".maps");

/* Returns how many of the entries 0 to 15 the map has, times the factor. */
SEC("xdp") int xdp_unsized(struct xdp_md *ctx)
{
	unsigned int found = 0;

#pragma unroll
	for (int i = 0; i < 16; i++) {
		__u32 key = i;

		found += !!bpf_map_lookup_elem(&unsized, &key);
	}
	return found * factor + settings.last * 1000;
}

/* The inner map needs keys of 8 bytes: with others, the verifier refuses the program. */
SEC("?xdp") int xdp_outer(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 wide = 1;
	void *map = bpf_map_lookup_elem(&outer, &key);

	return map && bpf_map_lookup_elem(map, &wide);
}

SEC("xdp") int xdp_config(struct xdp_md *ctx)
{
	return CONFIG_BPROF_HAS_NOT ? 1 : CONFIG_HZ;
}

SEC("unknown/section") int xdp_unknown(struct xdp_md *ctx)
{
	return XDP_DROP;
}

SEC("kprobe/do_nanosleep") int probe_sleep(void *ctx)
{
	return 0;
}

SEC("xdp") int xdp_refused(struct xdp_md *ctx)
{
	return *(volatile __u8 *)(long)ctx->data;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
