// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The built-in programs of bprof doctor --self-test. For a context NAME, bprof_test_NAME_0 is an
 * empty program. bprof_test_NAME_100 and bprof_test_NAME_1000 have 100 and 1000 more additions. One
 * BPF addition is one instruction on arm64, x86-64 and riscv64.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>

#include "additions.bpf.h"

#define DEFINE_ALU(sec, name, ctx_type, result, k) \
	SEC("?" sec) int name##_##k(ctx_type ctx)  \
	{                                          \
		int verdict = (result);            \
                                                   \
		ADDITIONS(verdict, k);             \
		return verdict;                    \
	}

#define DEFINE_CONTEXT(sec, name, ctx_type, result)  \
	DEFINE_ALU(sec, name, ctx_type, result, 0)   \
	DEFINE_ALU(sec, name, ctx_type, result, 100) \
	DEFINE_ALU(sec, name, ctx_type, result, 1000)

/* Programs for test runs: with migration disabled, with migration enabled, and sleepable. */
DEFINE_CONTEXT("xdp", bprof_test_xdp, struct xdp_md *, XDP_DROP)
DEFINE_CONTEXT("raw_tp", bprof_test_run_tp, struct bpf_raw_tracepoint_args *, 0)
DEFINE_CONTEXT("syscall", bprof_test_syscall, __u64 *, 0)
/* Attached to the tracepoint bpf_test_finish: runs with preemption off and migration enabled. */
DEFINE_CONTEXT("raw_tp", bprof_test_raw_tp, struct bpf_raw_tracepoint_args *, 0)
/* Attached to a socket of bprof: runs when the socket receives a packet. 0 drops the packet. */
DEFINE_CONTEXT("socket", bprof_test_socket, struct __sk_buff *, 0)
/*
 * Attached to a function of bprof: runs in the trap handler, outside of RCU read-side critical
 * sections.
 */
DEFINE_CONTEXT("uprobe", bprof_test_uprobe, struct pt_regs *, 0)

/*
 * Two empty programs: the same loop runs the first program with a probe and the second program
 * without.
 */
SEC("?tc") int bprof_test_probed(struct __sk_buff *ctx)
{
	return 0;
}

SEC("?tc") int bprof_test_bare(struct __sk_buff *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
