// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One program that calls two hundred functions, each once and each empty. Context: XDP, by
 * BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* clang-format off */
#define TEN(what, n) \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) \
	what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define HUNDRED(what, n) \
	TEN(what, n##0) TEN(what, n##1) TEN(what, n##2) TEN(what, n##3) TEN(what, n##4) \
	TEN(what, n##5) TEN(what, n##6) TEN(what, n##7) TEN(what, n##8) TEN(what, n##9)
/* clang-format on */

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
