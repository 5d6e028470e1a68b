// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the kernel's description of a trampoline's code (struct bpf_tramp_image). This iterator
 * program (Linux 5.19) runs once per link in the process that reads the iterator.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define OF_THE_KERNEL __attribute__((preserve_access_index))

struct bpf_link {
	__u32 id;
} OF_THE_KERNEL;

struct bpf_trampoline {
	void *cur_image;
} OF_THE_KERNEL;

/* The kernel's struct begins with the struct bpf_link, so a pointer to the link can be cast. */
struct bpf_tracing_link {
	struct bpf_trampoline *trampoline;
} OF_THE_KERNEL;

struct bpf_iter__bpf_link {
	struct bpf_link *link;
} OF_THE_KERNEL;

__u32 bprof_link_id;
__u64 bprof_image; /* result: address of the struct bpf_tramp_image */

SEC("iter/bpf_link")
int bprof_tramp(struct bpf_iter__bpf_link *ctx)
{
	struct bpf_link *link = ctx->link; /* the iterator passes NULL after the last link */

	if (link && link->id == bprof_link_id)
		bprof_image = (__u64)BPF_CORE_READ((struct bpf_tracing_link *)link, trampoline,
						   cur_image);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
