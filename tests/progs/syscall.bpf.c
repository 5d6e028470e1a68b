// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets of type syscall. Context: process context in BPF_PROG_TEST_RUN; the programs may sleep.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("syscall")
int syscall_zero(void *ctx)
{
	return 0;
}

struct copy_args {
	const void *from;
};

/* Sleeps in the middle of the run until the page that "from" points to is present. */
SEC("syscall")
int syscall_copy(struct copy_args *args)
{
	char c;

	return bpf_copy_from_user(&c, sizeof(c), args->from);
}

static __attribute__((noinline)) long copy_byte(struct copy_args *args)
{
	char c;

	return bpf_copy_from_user(&c, sizeof(c), args->from);
}

/* Like syscall_copy, but a subprogram sleeps. */
SEC("syscall")
int syscall_call(struct copy_args *args)
{
	return copy_byte(args);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
