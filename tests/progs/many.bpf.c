// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Five hundred empty targets in one object: xdp_many_000 to xdp_many_499. Context: XDP.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "repeat.h"

#define ONE(n)                               \
	SEC("xdp")                           \
	int xdp_many_##n(struct xdp_md *ctx) \
	{                                    \
		return XDP_PASS;             \
	}

HUNDRED(ONE, 0)
HUNDRED(ONE, 1)
HUNDRED(ONE, 2)
HUNDRED(ONE, 3)
HUNDRED(ONE, 4)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
