// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tracing programs as targets: fentry programs whose own target the loader sets (an XDP program, or
 * the first of these). Context: that of the program that they are attached to.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry")
int fentry_one(void *ctx)
{
	return 0;
}

SEC("fentry")
int fentry_two(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
