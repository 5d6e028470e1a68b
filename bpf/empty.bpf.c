// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The built-in empty target: a program that does nothing. It runs only by BPF_PROG_TEST_RUN and is
 * never attached to anything; what a probe shows for it is the probe's own cost.
 *
 * Not XDP: each test run of that puts the program into the XDP dispatcher and takes it out again,
 * which waits for RCU, some 20 ms (net/bpf/test_run.c, bpf_prog_change_xdp()). What a probe sees is
 * the same: a trampoline with one argument.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int bprof_empty(struct __sk_buff *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
