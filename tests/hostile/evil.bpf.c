// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs for tests/hostile.py, which replaces the runs of 60 equal letters in the compiled object by
 * a hostile string: VVV… in the metadata, LLL… in source lines, and FFF…, the name of this file's copy.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

const char bpf_metadata_version[] SEC(".rodata") =
	"VVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} runs SEC(".maps");

/* clang-format off */
static __attribute__((noinline)) int count(__u64 *value)
{
	for (int i = 0; i < 100; i++)
		asm volatile("%0 += 0" : "+r"(i)); // LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL
	return __sync_fetch_and_add(value, 1); // LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL
}

/* clang-format on */
SEC("xdp")
int evil(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 *value = bpf_map_lookup_elem(&runs, &key);

#ifdef REFUSED
	return count(value);
#else
	return value && count(value) < 0 ? XDP_DROP : XDP_PASS;
#endif
}

#ifndef REFUSED
SEC("cgroup_skb/egress")
int evil_skb(struct __sk_buff *ctx)
{
	return bpf_metadata_version[ctx->len & 1] != '\0' || ctx->len;
}

SEC("uprobe")
int evil_uprobe(void *ctx)
{
	return 0;
}
#endif

char LICENSE[] SEC("license") = "Dual BSD/GPL";
