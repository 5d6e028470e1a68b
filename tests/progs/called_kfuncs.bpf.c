// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that calls kfuncs, of Linux 6.4 and later, as called_shapes.bpf.c calls helpers.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int bpf_dynptr_from_xdp(struct xdp_md *ctx, __u64 flags, struct bpf_dynptr *dynptr) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *dynptr, __u32 offset, void *buffer,
			      __u32 size) __ksym;

__u64 calls;

SEC("xdp")
int shape_kfuncs(struct xdp_md *ctx)
{
	struct bpf_dynptr packet;
	__u8 buffer[14], *ethernet;

	if (bpf_dynptr_from_xdp(ctx, 0, &packet))
		return XDP_DROP;
	ethernet = bpf_dynptr_slice(&packet, 0, buffer, sizeof(buffer));
	calls += 2;
	return ethernet ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
