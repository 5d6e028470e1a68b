// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A target with a static and a global subprogram, so that its func_info has more functions than the
 * entry. Each run calls sub_static once and sub_global twice. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

static __attribute__((noinline)) int sub_static(int x)
{
	asm volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) int sub_global(int x)
{
	asm volatile("" : "+r"(x));
	return x - 1;
}

SEC("xdp")
int xdp_subprogs(struct xdp_md *ctx)
{
	int verdict = XDP_PASS + 1;

	verdict = sub_static(verdict);
	verdict = sub_global(verdict);
	return sub_global(verdict);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
