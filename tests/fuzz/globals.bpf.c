// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Variables of each kind that --global can set, for fuzz_global. It is never loaded.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "globals.h"

const volatile __u32 limit = 7;
const volatile enum mode mode = ON;
const volatile char name[16] = "eth0";
const volatile struct rule rule;
volatile __s64 total;
volatile _Bool on;
volatile __u8 bytes[6];
volatile double real;
static volatile __u16 twice;

SEC("xdp")
int xdp_globals(struct xdp_md *ctx)
{
	total += limit + mode + name[0] + rule.id + on + bytes[0] + twice + (__s64)&real;
	return XDP_PASS;
}
