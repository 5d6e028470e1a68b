// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The built-in empty targets: functions that do nothing. BPF_PROG_TEST_RUN runs all of them except
 * bprof_empty_irq(), which a perf timer of bprof runs. The value that a probe measures for an empty
 * target is the bias. Each empty target has a program of known cost, bprof_check_...: the same code
 * with BPROF_CHECK_INSNS more instructions. With these programs, each session checks its
 * calibration.
 *
 * The empty targets are not XDP programs: each test run of an XDP program adds the program to the
 * XDP dispatcher and removes it again, which waits about 20 ms for RCU (net/bpf/test_run.c,
 * bpf_prog_change_xdp()). The bias is the same as with XDP: the trampoline saves one argument in
 * both cases.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

#include "additions.bpf.h"
#include "probe.h"

/* A program of known cost, of the same type and with the same argument as an empty program. */
#define DEFINE_CHECK(sec, name, ctx_type)                \
	SEC("?" sec) int bprof_check##name(ctx_type ctx) \
	{                                                \
		int ret = 0;                             \
                                                         \
		ADDITIONS(ret, BPROF_CHECK_INSNS);       \
		return ret;                              \
	}

/*
 * A subprogram of known cost. On riscv64 the JIT clears the upper half after each addition of 32 bits in a
 * subprogram. So the additions have 64 bits. They change the argument, because the empty subprogram's
 * return value has only 32 bits.
 */
#define DEFINE_CHECK_SUB(name)                                   \
	__attribute__((noinline)) int bprof_check_##name(long a) \
	{                                                        \
		LONG_ADDITIONS(a, BPROF_CHECK_INSNS);            \
		return 0;                                        \
	}

SEC("tc")
int bprof_empty(struct __sk_buff *ctx)
{
	return 0;
}

DEFINE_CHECK("tc", , struct __sk_buff *)

/* An empty subprogram. It uses its argument because the compiler would otherwise not pass it. */
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

DEFINE_CHECK_SUB(sub)

SEC("?tc")
int bprof_check_calls(struct __sk_buff *ctx)
{
	bprof_check_sub(0);
	return 0;
}

/*
 * The argument is a void pointer. Therefore the verifier does not rely on the function's BTF, and
 * the trampoline saves five arguments instead of one.
 */
SEC("?tc")
int bprof_empty_args(void *ctx)
{
	return 0;
}

DEFINE_CHECK("tc", _args, void *)

/* A test run of this type runs with migration enabled, inside an RCU read-side critical section. */
SEC("?raw_tp")
int bprof_empty_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return 0;
}

DEFINE_CHECK("raw_tp", _raw, struct bpf_raw_tracepoint_args *)

/*
 * A test run of this type may sleep: it runs with migration disabled, outside of RCU read-side
 * critical sections.
 */
SEC("?syscall")
int bprof_empty_syscall(void *ctx)
{
	return 0;
}

DEFINE_CHECK("syscall", _syscall, void *)

/* A perf timer runs this program with interrupts disabled. */
SEC("?perf_event")
int bprof_empty_irq(struct bpf_perf_event_data *ctx)
{
	return 0;
}

DEFINE_CHECK("perf_event", _irq, struct bpf_perf_event_data *)

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
 * Because one function of this program makes tail calls, the trampolines of all its functions have
 * to pass on the tail call count. Test runs do not call bprof_tail_call(), because the mark of
 * their packets is 0.
 */
SEC("?tc")
int bprof_tail_calls(struct __sk_buff *ctx)
{
	bprof_empty_tail(0);
	return ctx->mark ? bprof_tail_call(ctx) : 0;
}

DEFINE_CHECK_SUB(tail)

SEC("?tc")
int bprof_check_tail_calls(struct __sk_buff *ctx)
{
	bprof_check_tail(0);
	return ctx->mark ? bprof_tail_call(ctx) : 0;
}

/*
 * Two programs that call bpf_get_numa_node_id(). This function of the kernel is cheap, has no
 * arguments and is not inlined. The programs differ by the cost of BPROF_MORE_CALLS calls.
 */
SEC("?tc")
int bprof_calls_kernel(struct __sk_buff *ctx)
{
	bpf_get_numa_node_id();
	return 0;
}

SEC("?tc")
int bprof_calls_more(struct __sk_buff *ctx)
{
	bpf_get_numa_node_id();
#pragma unroll
	for (int i = 0; i < BPROF_MORE_CALLS; i++)
		bpf_get_numa_node_id();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
