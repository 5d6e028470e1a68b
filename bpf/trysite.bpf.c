// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds where in its stack frame a trampoline has the address that the probed function returns to. User
 * space attaches bprof_try_site() to the function of the kernel that bprof_site_caller() calls, and runs
 * the latter. Others may call that function, too: the address is none to which their calls return.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "trysite.h"

struct trysite bprof_site;

SEC("fexit")
int bprof_try_site(void *ctx)
{
	__u64 at, word[TRYSITE_WORDS];

	/* makes a number of a pointer: the verifier restricts arithmetic on those */
	*(volatile __u64 *)&bprof_site.scratch = (__u64)ctx;
	at = *(volatile __u64 *)&bprof_site.scratch + bprof_site.skip + bprof_site.align - 1;
	at &= -bprof_site.align;
	if (bpf_probe_read_kernel(word, sizeof(word), (void *)at))
		return 0;
#pragma unroll
	for (int i = 0; i < TRYSITE_WORDS; i++)
		/* in memory: the verifier would follow each value that a register could have */
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
