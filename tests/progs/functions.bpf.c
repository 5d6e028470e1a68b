// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that calls two hundred empty functions, each once: func_000 to func_199. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "repeat.h"

#define FUNC(n)                                             \
	static __attribute__((noinline)) int func_##n(void) \
	{                                                   \
		int zero;                                   \
                                                            \
		asm volatile("%0 = 0" : "=r"(zero));        \
		return zero;                                \
	}

HUNDRED(FUNC, 0)
HUNDRED(FUNC, 1)

#define CALL(n) sum += func_##n();

SEC("xdp")
int xdp_functions(struct xdp_md *ctx)
{
	int sum = XDP_PASS;

	HUNDRED(CALL, 0)
	HUNDRED(CALL, 1)
	return sum;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
