// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs with known numbers of calls of kernel functions: helpers for maps, another helper that is called
 * at three places, a function that calls helpers, and one function that is called with several maps.
 * test_called.c expects these numbers. Context: XDP, in BPF_PROG_TEST_RUN.
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
DEFINE_MAP(by_map, BPF_MAP_TYPE_ARRAY, 8);

/*
 * On x86-64, an update of a map with this key takes another number of instructions than one with a key of 4 bytes.
 * With a longer key, the number would vary with the key's alignment, because the kernel moves its stack.
 */
struct wide {
	__u64 word[1];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct wide);
	__type(value, __u64);
} wide_flows SEC(".maps");

/* The kernel keeps 15 characters of a map's name, so these two maps have the same name. */
DEFINE_MAP(counts_of_flows_in, BPF_MAP_TYPE_HASH, 64);
DEFINE_MAP(counts_of_flows_out, BPF_MAP_TYPE_HASH, 64);

/* The map is the second parameter of the helper that fills it. It has no events, so the helper fails. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} events SEC(".maps");

/* Inner maps, whose addresses are not in the program. */
DEFINE_MAP(inner_flows, BPF_MAP_TYPE_HASH, 64);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, typeof(inner_flows));
} outer SEC(".maps") = {.values = {&inner_flows}};

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

/* Calls the helper n times, in assembly, because clang would add instructions to each call. */
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

/* Indices of by_map, which counts how often the programs below update each map. test_called.c reads the counts. */
enum { OF_FLOWS, OF_WIDE, OF_CHOSEN, OF_INNER };

static __always_inline __u64 count_update(__u32 which)
{
	__u64 *count = bpf_map_lookup_elem(&by_map, &which);

	return count ? (*count)++ : 0;
}

static __always_inline void update(void *map, void *key, void *value, __u32 which)
{
	bpf_map_update_elem(map, key, value, BPF_ANY);
	count_update(which);
}

/* Updates one of two maps, by a helper that calls the function of the map. */
SEC("xdp")
int xdp_either(struct xdp_md *ctx)
{
	__u32 key = 5;
	__u64 value = 7;
	void *chosen = &flows;

	WORK(10);
	if (ctx->rx_queue_index > 1000)
		chosen = &users;
	asm volatile("" : "+r"(chosen));
	bpf_map_update_elem(chosen, &key, &value, BPF_ANY);
	return XDP_PASS;
}

/*
 * Updates maps that the verifier knows, one of two maps, and an inner map. For one of two maps, the
 * verifier does not replace the call of the helper, and the helper calls the function of the map.
 */
SEC("xdp")
int xdp_maps(struct xdp_md *ctx)
{
	struct wide wide = {};
	__u32 key = 3, zero = 0;
	__u64 value = 7;
	void *chosen = &flows, *inner;

	WORK(50);
	update(&flows, &key, &value, OF_FLOWS);
	update(&wide_flows, &wide, &value, OF_WIDE);
	key = 4;
	update(&flows, &key, &value, OF_FLOWS);
	if (count_update(OF_CHOSEN) % 4)
		chosen = &users;
	asm volatile("" : "+r"(chosen));
	bpf_map_update_elem(chosen, &key, &value, BPF_ANY);
	inner = bpf_map_lookup_elem(&outer, &zero);
	if (inner)
		update(inner, &key, &value, OF_INNER);
	return XDP_PASS;
}

/* Updates flows and wide_flows like xdp_maps(), two maps of one name, and a map of another kind. */
SEC("xdp")
int xdp_same_maps(struct xdp_md *ctx)
{
	struct wide wide = {};
	__u32 key = 3;
	__u64 value = 7;

	WORK(20);
	bpf_map_update_elem(&wide_flows, &wide, &value, BPF_ANY);
	bpf_map_update_elem(&wide_flows, &wide, &value, BPF_ANY);
	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);
	bpf_map_update_elem(&counts_of_flows_in, &key, &value, BPF_ANY);
	bpf_map_update_elem(&counts_of_flows_out, &key, &value, BPF_ANY);
	bpf_map_update_elem(&counts_of_flows_out, &key, &value, BPF_ANY);
	bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, &value, sizeof(value));
	return XDP_PASS;
}

/* A program of another user, which calls the same functions. It counts its runs. */
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
