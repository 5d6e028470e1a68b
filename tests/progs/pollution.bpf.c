// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets of which a run costs more after a measured run, as if the probe had taken their places in a cache: xdp_pollution
 * executes the more instructions the longer ago the end of the run before is, and a probe that has measured that run
 * returns later than one that has counted it. Context: XDP, in BPF_PROG_TEST_RUN, on one CPU.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 ended; /* when the run before ended */

/* Longer ones are those between two calls of BPF_PROG_TEST_RUN. */
#define MAX_NS 16384
/* One for so many ns. */
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
