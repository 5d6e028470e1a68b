// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two programs in one stack: xdp_print calls a helper with a tracepoint, at which tp_print runs.
 * Context: XDP in BPF_PROG_TEST_RUN; a raw tracepoint.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("raw_tp/bpf_trace_printk")
int tp_print(void *ctx)
{
	return 0;
}

SEC("xdp")
int xdp_print(struct xdp_md *ctx)
{
	static const char text[] = "xdp_print";

	bpf_trace_printk(text, sizeof(text));
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
