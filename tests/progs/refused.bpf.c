// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An object that no kernel loads: it reads a packet without checking where it ends. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp") int xdp_refused(struct xdp_md *ctx)
{
	return *(volatile __u8 *)(long)ctx->data;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
