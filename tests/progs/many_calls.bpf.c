// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Three hundred targets that call the same functions of the kernel: xdp_calls_000 to xdp_calls_299. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "repeat.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} flows SEC(".maps");

#define ONE(n)                                                           \
	SEC("xdp")                                                       \
	int xdp_calls_##n(struct xdp_md *ctx)                            \
	{                                                                \
		__u32 key = 1;                                           \
		__u64 value = 2;                                         \
                                                                         \
		bpf_map_update_elem(&flows, &key, &value, BPF_ANY);      \
		bpf_map_lookup_elem(&flows, &key);                       \
		return bpf_get_prandom_u32() == 1 ? XDP_DROP : XDP_PASS; \
	}

HUNDRED(ONE, 0)
HUNDRED(ONE, 1)
HUNDRED(ONE, 2)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
