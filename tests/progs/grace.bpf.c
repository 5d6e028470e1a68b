// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads how many grace periods of RCU the kernel has begun, for kernels that have no trace events of RCU.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

struct rcu_state {
	unsigned long gp_seq;
} __attribute__((preserve_access_index));

extern const void rcu_state __ksym;

struct grace_args {
	__u64 periods;
};

SEC("syscall")
int grace_periods(struct grace_args *args)
{
	unsigned long seq = 0;
	long err = bpf_probe_read_kernel(&seq, sizeof(seq),
					 (const char *)&rcu_state +
						 bpf_core_field_offset(struct rcu_state, gp_seq));

	/* From kernel/rcu/rcu.h: RCU_SEQ_CTR_SHIFT is 2, and the sequence starts at -300 << 2. */
	args->periods = (seq + (300UL << 2)) >> 2;
	return err;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
