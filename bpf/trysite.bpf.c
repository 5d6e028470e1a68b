// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds where in a trampoline's stack frame the return address of the probed function is. User space
 * attaches bprof_try_site() to the function of the kernel that bprof_site_caller() calls, and runs
 * bprof_site_caller(). Other callers may call that function, too, but their calls do not return to the
 * address that is searched for.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "trysite.h"

struct trysite bprof_site;

SEC("fexit")
int bprof_try_site(void *ctx)
{
	__u64 at, word[TRYSITE_WORDS];

	/* turns a pointer into a number: the verifier restricts arithmetic on pointers */
	*(volatile __u64 *)&bprof_site.scratch = (__u64)ctx;
	at = *(volatile __u64 *)&bprof_site.scratch + bprof_site.skip + bprof_site.align - 1;
	at &= -bprof_site.align;
	if (bpf_probe_read_kernel(word, sizeof(word), (void *)at))
		return 0;
#pragma unroll
	for (int i = 0; i < TRYSITE_WORDS; i++)
		/*
		 * "found" stays in memory: the verifier would follow each value that a register
		 * could have
		 */
		if (word[i] == bprof_site.address)
			*(volatile __u64 *)&bprof_site.found |= 1U << i;
	return 0;
}

SEC("tc")
int bprof_site_caller(struct __sk_buff *ctx)
{
	bpf_get_numa_node_id();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
