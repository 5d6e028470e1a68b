// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program of three linked source files whose static functions have the same names. In each run it
 * calls a() and b() once. Each of them calls its own helper() and same_line(). Context: XDP, in
 * BPF_PROG_TEST_RUN.
 */
#include "namesakes.h"

SEC("xdp")
int namesakes(struct xdp_md *ctx)
{
	int x = ctx->data_end - ctx->data;

	return a(x) == 12345 || b(x) == 54321 ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
