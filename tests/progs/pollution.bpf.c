// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A target whose run costs more after a measured run, as if the probe had evicted it from a cache. The longer the gap
 * since the previous run, the more instructions it executes. The gap is longer if the probe measured that run than
 * if it only counted it. Context: XDP, in BPF_PROG_TEST_RUN, on one CPU.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 ended; /* the time at which the previous run ended */

/* Longer gaps between runs are ignored: they are between two calls of BPF_PROG_TEST_RUN. */
#define MAX_NS 16384
/* The program executes a block of instructions for each NS nanoseconds of the gap. */
#define NS 64

SEC("xdp")
int xdp_pollution(struct xdp_md *ctx)
{
	__u64 gap = bpf_ktime_get_ns() - ended, n = gap < MAX_NS ? gap / NS : 0;

#pragma clang loop unroll(disable)
	for (__u64 i = 0; i < MAX_NS / NS; i++) {
		if (i >= n)
			break;
		asm volatile(".rept 10\n\t"
			     "%[n] += 0\n\t"
			     ".endr"
			     : [n] "+r"(n));
	}
	ended = bpf_ktime_get_ns();
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
