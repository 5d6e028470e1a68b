// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs whose code can get shorter from one load to the next on arm64. They read arrays, and the
 * kernel aligns arrays of up to 32 KiB to multiples of their sizes. Therefore a 16-bit part of an
 * array's address is often zero, and the JIT generates no instruction for it.
 *
 * One program has three maps. Each other program has one map and exists twice, the second time with
 * one more instruction, because the kernel may append a nop to align the end of the code. In one of
 * the two, a nop then takes the place of the instruction that the JIT left out.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define ARRAY(name, entries)                      \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, entries);     \
		__type(key, __u32);               \
		__type(value, __u64);             \
	} name SEC(".maps")

#define LOOK(map)                                               \
	({                                                      \
		__u32 key = 3;                                  \
		__u64 *value = bpf_map_lookup_elem(&map, &key); \
		value ? *value : 1;                             \
	})

#define PROG(name, map, entries)                      \
	ARRAY(map, entries);                          \
	SEC("xdp")                                    \
	int name(struct xdp_md *ctx)                  \
	{                                             \
		return XDP_PASS + LOOK(map);          \
	}                                             \
	SEC("xdp")                                    \
	int name##_longer(struct xdp_md *ctx)         \
	{                                             \
		__u64 more = LOOK(map);               \
                                                      \
		asm volatile("%0 += 0" : "+r"(more)); \
		return XDP_PASS + more;               \
	}

PROG(xdp_8k, array_8k, 1000)
PROG(xdp_16k_a, array_16k_a, 2000)
PROG(xdp_16k_b, array_16k_b, 2000)
PROG(xdp_16k_c, array_16k_c, 2000)
PROG(xdp_32k, array_32k, 4000)

SEC("xdp")
int xdp_three(struct xdp_md *ctx)
{
	return XDP_PASS + LOOK(array_8k) + LOOK(array_16k_a) + LOOK(array_16k_b);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
