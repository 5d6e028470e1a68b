// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that calls each of two hundred empty functions once. Context: XDP, in
 * BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "repeat.h"

#define DEFINE(n)                                        \
	__attribute__((noinline)) int called_##n(long a) \
	{                                                \
		asm volatile("" : : "r"(a));             \
		return 0;                                \
	}
#define CALL(n) called_##n(0);

HUNDRED(DEFINE, 0)
HUNDRED(DEFINE, 1)

SEC("xdp")
int xdp_calls(struct xdp_md *ctx)
{
	HUNDRED(CALL, 0)
	HUNDRED(CALL, 1)
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
