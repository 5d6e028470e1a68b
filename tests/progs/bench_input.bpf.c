// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs whose return values show what they find in their input: packets, contexts, maps, global
 * variables, the CPU.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define DEFINE_MAP(name, kind, entries, key_type, ...) \
	struct {                                       \
		__uint(type, BPF_MAP_TYPE_##kind);     \
		__uint(max_entries, entries);          \
		__type(key, key_type);                 \
		__type(value, __u32);                  \
		__VA_ARGS__                            \
	} name SEC(".maps");

struct prefix {
	__u32 len;
	__u8 address[4];
};

/* libbpf pins bench_hash at a path where other users may have pinned a map. */
DEFINE_MAP(bench_hash, HASH, 8, __u32, __uint(pinning, LIBBPF_PIN_BY_NAME);)
DEFINE_MAP(array, ARRAY, 4, __u32)
DEFINE_MAP(percpu, PERCPU_ARRAY, 1, __u32)
DEFINE_MAP(prefixes, LPM_TRIE, 4, struct prefix, __uint(map_flags, BPF_F_NO_PREALLOC);)

const volatile __u32 plus;

static __always_inline __u32 get(void *map, const void *key)
{
	__u32 *value = bpf_map_lookup_elem(map, key);

	return value ? *value : 0;
}

/*
 * Returns the sum of 1000 * bench_hash[7], 100 * array[2], 10 * percpu[0], the value of the prefix
 * of 10.1.2.3, and plus.
 */
SEC("xdp")
int xdp_maps(struct xdp_md *ctx)
{
	struct prefix p = {32, {10, 1, 2, 3}};
	__u32 seven = 7, two = 2, zero = 0;

	return get(&bench_hash, &seven) * 1000 + get(&array, &two) * 100 +
	       get(&percpu, &zero) * 10 + get(&prefixes, &p) + plus;
}

/* Returns the packet's first byte, or 99 if that byte is array[3] and not 0. */
SEC("xdp")
int xdp_byte(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;
	__u32 three = 3;

	if (data + 1 > (__u8 *)(long)ctx->data_end)
		return 0;
	return *data && *data == get(&array, &three) ? 99 : *data;
}

/*
 * Counts packets in array[3]: a packet whose first byte is 0 resets it, and one whose first byte is
 * 1 adds 1. Returns array[3] for any other packet, and 0 for these two.
 */
SEC("xdp")
int xdp_count(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;
	__u32 three = 3, *cnt = bpf_map_lookup_elem(&array, &three);

	if (!cnt || data + 1 > (__u8 *)(long)ctx->data_end)
		return 0;
	if (*data > 1)
		return *cnt;
	*cnt = *data ? *cnt + 1 : 0;
	return 0;
}

/* Returns the size of the metadata before the packet. */
SEC("xdp")
int xdp_ctx(struct xdp_md *ctx)
{
	return ctx->data - ctx->data_meta;
}

SEC("xdp")
int xdp_cpu(struct xdp_md *ctx)
{
	return bpf_get_smp_processor_id();
}

SEC("tc")
int tc_ctx(struct __sk_buff *skb)
{
	return skb->mark;
}

SEC("raw_tp/task_rename")
int raw_tp_ctx(struct bpf_raw_tracepoint_args *ctx)
{
	return ctx->args[0] + ctx->args[1];
}

struct syscall_args {
	__u32 in, out;
};

/* Returns args->in + 1 if args->out is 0, and more if an earlier run has changed args->out. */
SEC("syscall")
int syscall_ctx(struct syscall_args *args)
{
	args->out++;
	return args->in + args->out;
}

__u32 runs;

SEC("xdp")
int xdp_fickle(struct xdp_md *ctx)
{
	return ++runs & 1;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
