/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Versions of one program, xdp_version, which count their own runs and differ by some instructions.
 * Context: XDP, on a veth or in BPF_PROG_TEST_RUN.
 */
#ifndef PROGS_VERSION_H
#define PROGS_VERSION_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

/* A BPF addition is one instruction on arm64 and on x86-64. */
#define DEFINE_VERSION(more)                                   \
	static __noinline int version_work(__u64 value)        \
	{                                                      \
		asm volatile(".rept " #more "\n\t"             \
			     "%0 += 1\n\t"                     \
			     ".endr"                           \
			     : "+r"(value));                   \
		return value & 1;                              \
	}                                                      \
                                                               \
	SEC("xdp") int xdp_version(struct xdp_md *ctx)         \
	{                                                      \
		__u32 key = 0;                                 \
		__u64 *cnt = bpf_map_lookup_elem(&seen, &key); \
                                                               \
		if (cnt)                                       \
			__sync_fetch_and_add(cnt, 1);          \
		return version_work(0) ? XDP_PASS : XDP_DROP;  \
	}                                                      \
                                                               \
	char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
