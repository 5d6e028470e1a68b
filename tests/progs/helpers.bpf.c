// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program with known numbers of calls of the kernel's functions: those of the helpers of maps, of
 * another helper at three places, and of a function that calls helpers. test_called.c expects these
 * numbers. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

#define DEFINE_MAP(name, kind, entries)       \
	struct {                              \
		__uint(type, kind);           \
		__uint(max_entries, entries); \
		__type(key, __u32);           \
		__type(value, __u64);         \
	} name SEC(".maps")

DEFINE_MAP(flows, BPF_MAP_TYPE_HASH, 64);
DEFINE_MAP(users, BPF_MAP_TYPE_HASH, 64);
DEFINE_MAP(recent, BPF_MAP_TYPE_LRU_HASH, 64);
DEFINE_MAP(counts, BPF_MAP_TYPE_ARRAY, 4);

/* Calls that are not in a loop, so that each is an instruction of its own. */
static NOINLINE long inner(long x)
{
	__u32 key = 1;
	__u64 value = x;

	WORK(10);
	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);
	return x + bpf_get_prandom_u32();
}

SEC("xdp")
int xdp_helpers(struct xdp_md *ctx)
{
	__u32 key = 2;
	__u64 value = 7, *count;
	long x = 0;

	WORK(100);
	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);
	bpf_map_update_elem(&users, &key, &value, BPF_ANY);
	bpf_map_update_elem(&recent, &key, &value, BPF_ANY);
	bpf_map_delete_elem(&users, &key);
	count = bpf_map_lookup_elem(&counts, &key);
	if (count)
		*count += 1;
	x += bpf_get_prandom_u32();
	x += bpf_get_prandom_u32();
	x = inner(x);
	x += bpf_get_prandom_u32();
	x += bpf_ktime_get_ns();
	x += bpf_get_smp_processor_id();
	return x == 1 ? XDP_DROP : XDP_PASS;
}

/* Only calls: clang would add instructions to each. */
#define DEFINE_RANDOM(n)                                               \
	SEC("xdp") int xdp_random_##n(struct xdp_md *ctx)              \
	{                                                              \
		asm volatile(".rept " #n "\n\tcall %[random]\n\t.endr" \
			     :                                         \
			     : [random] "i"(BPF_FUNC_get_prandom_u32)  \
			     : "r0", "r1", "r2", "r3", "r4", "r5");    \
		return XDP_PASS;                                       \
	}

DEFINE_RANDOM(1)
DEFINE_RANDOM(11)

/* What others do who call the same functions. It counts its runs. */
SEC("xdp")
int xdp_other(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&counts, &key), value = 3;

	if (count)
		*count += 1;
	bpf_map_update_elem(&users, &key, &value, BPF_ANY);
	return bpf_get_prandom_u32() == 1 ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
