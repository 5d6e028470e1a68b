// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program and its extension, which takes nearly all of the time. The test sets the program that
 * is extended. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* Executes n instructions without effect that no compiler removes. */
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

__attribute__((noinline)) int slot(struct xdp_md *ctx)
{
	int verdict = XDP_PASS;

	asm volatile("" : "+r"(verdict));
	return ctx ? verdict : XDP_ABORTED;
}

SEC("xdp")
int ext_root(struct xdp_md *ctx)
{
	return slot(ctx);
}

SEC("freplace/slot")
int ext_slot(struct xdp_md *ctx)
{
	__u32 n = 100 + (bpf_get_prandom_u32() & 255);

	_Pragma("clang loop unroll(disable)") for (__u32 i = 0; i < n; i++) WORK(200);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
