// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that spend their time on lines that are marked by comments. line_info contains the
 * source lines with these comments, so that test_annotate.c can find the lines. Contexts: XDP, in
 * BPF_PROG_TEST_RUN; the tracepoint of a system call.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
/* Executes n instructions without effect that no compiler removes. */
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")
#define KEEP_LOOP _Pragma("clang loop unroll(disable)")

static NOINLINE __u32 mix(__u32 hash)
{
	KEEP_LOOP
	for (int i = 0; i < 200; i++) { /* hot */
		hash ^= hash << 13;	/* hot */
		hash ^= hash >> 17;	/* hot */
		hash ^= hash << 5;	/* hot */
	}
	return hash;
}

SEC("xdp")
int xdp_hot_loop(struct xdp_md *ctx)
{
	__u32 len = ctx->data_end - ctx->data;

	if (len > 1500)
		return XDP_DROP;
	return mix(len) ? XDP_PASS : XDP_TX;
}

/* Each call takes several sampling periods, so that chance hardly affects its number of samples. */
static NOINLINE int long_loop(int n)
{
	KEEP_LOOP
	for (int i = 0; i < 450; i++) { /* long */
		WORK(200);		/* long */
	}
	return n;
}

static NOINLINE int short_loop(int n)
{
	KEEP_LOOP
	for (int i = 0; i < 150; i++) { /* short */
		WORK(200);		/* short */
	}
	return n;
}

SEC("xdp")
int xdp_two_loops(struct xdp_md *ctx)
{
	return long_loop(1) + short_loop(1);
}

struct bytes {
	__be32 word[128];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bytes);
} bytes SEC(".maps");

/* Little of the time of this program is in its own code. */
SEC("xdp")
int xdp_helper(struct xdp_md *ctx)
{
	__u32 key = 0, sum = 0;
	struct bytes *b = bpf_map_lookup_elem(&bytes, &key);

	if (!b)
		return XDP_DROP;
	KEEP_LOOP
	for (int i = 0; i < 100; i++)
		sum = bpf_csum_diff(NULL, 0, b->word, sizeof(*b), sum); /* helper */
	return sum ? XDP_TX : XDP_PASS;
}

/* Before Linux 7.2, the kernel delivers no samples to BPF programs while this program runs. */
SEC("tracepoint/syscalls/sys_enter_getsid")
int tp_loop(void *ctx)
{
	return long_loop(1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
