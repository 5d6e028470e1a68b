// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The built-in empty targets: functions that do nothing. They run only by BPF_PROG_TEST_RUN and are
 * never attached to anything; what a probe shows for them is the probe's own cost.
 *
 * Not XDP: each test run of that puts the program into the XDP dispatcher and takes it out again,
 * which waits for RCU, some 20 ms (net/bpf/test_run.c, bpf_prog_change_xdp()). What a probe sees is
 * the same: a trampoline with one argument.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int bprof_empty(struct __sk_buff *ctx)
{
	return 0;
}

/*
 * Subprograms with every number of arguments that there can be: the trampoline saves each and loads
 * it again. Global functions, whose prototype the verifier takes at its word; the arguments are
 * used, or nobody would pass them.
 */
#define EMPTY(n, params, ...)                                \
	__attribute__((noinline)) int bprof_empty_##n params \
	{                                                    \
		asm volatile("" : : __VA_ARGS__);            \
		return 0;                                    \
	}

EMPTY(0, (void))
EMPTY(1, (long a), "r"(a))
EMPTY(2, (long a, long b), "r"(a), "r"(b))
EMPTY(3, (long a, long b, long c), "r"(a), "r"(b), "r"(c))
EMPTY(4, (long a, long b, long c, long d), "r"(a), "r"(b), "r"(c), "r"(d))
EMPTY(5, (long a, long b, long c, long d, long e), "r"(a), "r"(b), "r"(c), "r"(d), "r"(e))

SEC("tc")
int bprof_calls(struct __sk_buff *ctx)
{
	bprof_empty_0();
	bprof_empty_1(0);
	bprof_empty_2(0, 0);
	bprof_empty_3(0, 0, 0);
	bprof_empty_4(0, 0, 0, 0);
	bprof_empty_5(0, 0, 0, 0, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
