// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each program makes one call, of a helper for XDP programs or of a subprogram, to measure the cost of this
 * call. "bprof doctor --helpers" measures other helpers. The costs show which helper made the programs of
 * other projects cheaper or more expensive on a kernel (docs/field.md).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int adjust_head(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, 0) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int load_bytes(struct xdp_md *ctx)
{
	__u8 head[14];

	return bpf_xdp_load_bytes(ctx, 0, head, sizeof(head)) ? XDP_DROP : XDP_PASS;
}

static __attribute__((noinline)) int subprog(struct xdp_md *ctx)
{
	return ctx->rx_queue_index ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int call_subprog(struct xdp_md *ctx)
{
	return subprog(ctx);
}

char _license[] SEC("license") = "GPL";
