// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that calls itself by tail calls from a subprogram, each round inside the previous one, until
 * the kernel's limit of tail calls ends it. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

int tail_loop(struct xdp_md *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, int(void *));
} itself SEC(".maps") = {.values = {[0] = (void *)&tail_loop}};

static __attribute__((noinline)) int sub_loop(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &itself, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int tail_loop(struct xdp_md *ctx)
{
	int verdict = sub_loop(ctx);

	asm volatile("" : "+r"(verdict));
	return verdict;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
