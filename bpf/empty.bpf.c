// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The built-in empty target: an XDP program that does nothing. It runs only by BPF_PROG_TEST_RUN
 * and is never attached to an interface; what a probe shows for it is the probe's own cost.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int bprof_empty(struct xdp_md *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
