// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tracing programs as targets: fentry programs for which the loader sets the traced program (an XDP
 * program, or the first of these fentry programs). Context: that of the traced program.
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
