// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that calls the same functions of the kernel at several places, and counts its calls at each place.
 * #line sets the line numbers that test_called.c expects. Context: XDP, in BPF_PROG_TEST_RUN.
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
DEFINE_MAP(by_site, BPF_MAP_TYPE_ARRAY, 8);

enum { AT_101, AT_103, AT_105, AT_107, AT_109, AT_201 };

static __always_inline __u64 count_call(__u32 site)
{
	__u64 *count = bpf_map_lookup_elem(&by_site, &site);

	return count ? (*count)++ : 0;
}

static NOINLINE long site_sub(long x)
{
	__u32 key = 1;
	__u64 value = x;

	WORK(10);
	count_call(AT_201);
	/* clang-format off */
#line 201
	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);
	return x + bpf_get_prandom_u32();
}

SEC("xdp")
int xdp_sites(struct xdp_md *ctx)
{
	__u32 key = 3;
	__u64 value = 7, runs = count_call(AT_101);
	void *chosen = &flows;
	long x = 0;

	WORK(50);
#line 101
	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);
	if (runs % 4 && ++value)
		bpf_map_update_elem(&flows, &key, &value, BPF_ANY), count_call(AT_103);
	key = 5;
	bpf_map_update_elem(&users, &key, &value, BPF_ANY), count_call(AT_105);
	if (runs % 2)
		x += bpf_get_prandom_u32(), count_call(AT_107), x *= bpf_get_prandom_u32();
	x = site_sub(x);
	x += bpf_get_prandom_u32(), count_call(AT_109);
	if (runs % 8 == 0)
		chosen = &users;
	asm volatile("" : "+r"(chosen));
	bpf_map_update_elem(chosen, &key, &value, BPF_ANY);
	x += bpf_get_numa_node_id();
	return x == 1 ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
