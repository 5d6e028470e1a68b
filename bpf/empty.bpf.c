// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The built-in empty targets: functions that do nothing. They run only by BPF_PROG_TEST_RUN, and
 * one of them from a perf timer that bprof opens. What a probe measures on them is its own cost.
 *
 * They are not XDP programs: each test run of an XDP program adds it to the XDP dispatcher and
 * removes it again, which waits about 20 ms for RCU (net/bpf/test_run.c, bpf_prog_change_xdp()). A
 * probe sees no difference: it is a trampoline with one argument.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int bprof_empty(struct __sk_buff *ctx)
{
	return 0;
}

/* A subprogram. It uses its argument: otherwise the compiler would not pass it. */
__attribute__((noinline)) int bprof_empty_sub(long a)
{
	asm volatile("" : : "r"(a));
	return 0;
}

SEC("?tc")
int bprof_calls(struct __sk_buff *ctx)
{
	bprof_empty_sub(0);
	return 0;
}

/* An untyped context: the trampoline saves five arguments instead of one. */
SEC("?tc")
int bprof_empty_args(void *ctx)
{
	return 0;
}

/* Its test run has migration enabled and is in an RCU read-side critical section. */
SEC("?raw_tp")
int bprof_empty_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return 0;
}

/*
 * Its test run has migration disabled and is not in an RCU read-side critical section (it may
 * sleep).
 */
SEC("?syscall")
int bprof_empty_syscall(void *ctx)
{
	return 0;
}

/* Run by a timer, with interrupts disabled. */
SEC("?perf_event")
int bprof_empty_irq(struct bpf_perf_event_data *ctx)
{
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} bprof_no_progs SEC(".maps");

__attribute__((noinline)) int bprof_tail_call(struct __sk_buff *ctx)
{
	bpf_tail_call(ctx, &bprof_no_progs, 0);
	return 0;
}

__attribute__((noinline)) int bprof_empty_tail(long a)
{
	asm volatile("" : : "r"(a));
	return 0;
}

/*
 * With a function that makes tail calls, the trampolines of all functions of the program have to
 * pass on the tail call count. Test runs do not call it: their packets have no mark.
 */
SEC("?tc")
int bprof_tail_calls(struct __sk_buff *ctx)
{
	bprof_empty_tail(0);
	return ctx->mark ? bprof_tail_call(ctx) : 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
