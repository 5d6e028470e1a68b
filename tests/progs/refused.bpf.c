// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that the verifier refuses: it reads a packet without a bounds check. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp") int xdp_refused(struct xdp_md *ctx)
{
	return *(volatile __u8 *)(long)ctx->data;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
