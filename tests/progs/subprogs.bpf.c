// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A target with subprograms of both linkages: the entry function is not the only one in its
 * func_info. Per run, sub_static is called once and sub_global twice. Context: XDP.
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
