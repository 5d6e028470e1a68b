// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A target with functions that take arguments which their declarations in C do not show. Each run calls each
 * function once. The variable "wrong" counts calls that did not return their last argument.
 *
 * hidden: takes one argument, and declares none.
 * declared: takes one argument, and declares it.
 * passes: takes its fifth argument, and only passes it to a helper, which returns a sum of it.
 * none, prints: declare and take none, though the helpers that they call have parameters.
 * distrusted: takes two arguments and declares a pointer, but gets numbers: the kernel does not trust
 *	this declaration, and saves all arguments in a trampoline.
 * Context: sched_cls.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 wrong;

/* The compiler describes no parameters of naked functions. */
static __attribute__((naked, noinline, used)) __u64 hidden(void)
{
	asm volatile("r0 = r1; exit;");
}

static __attribute__((naked, noinline, used)) __u64 passes(void)
{
	asm volatile("r1 = 0; r2 = 0; r3 = 0; r4 = 0; call %[sum]; exit;"
		     :
		     : [sum] "i"(bpf_csum_diff));
}

static __attribute__((noinline)) int none(void)
{
	return bpf_ktime_get_ns() == 0;
}

static __attribute__((noinline)) int prints(void)
{
	static const char format[] = "wrong";

	return wrong && bpf_trace_printk(format, sizeof(format));
}

static __attribute__((noinline, used)) __u64 declared(__u64 value)
{
	asm volatile("" : "+r"(value));
	return value;
}

static __attribute__((noinline, used)) __u64 distrusted(struct __sk_buff *skb)
{
	__u64 value;

	asm volatile("%0 = r2" : "=r"(value) : "r"(skb));
	return value;
}

#define CALL(func)                                                                \
	({                                                                        \
		__u64 result;                                                     \
		asm volatile("r1 = 42; r2 = 42; r5 = 42; call " #func "; %0 = r0" \
			     : "=r"(result)                                       \
			     :                                                    \
			     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");     \
		result;                                                           \
	})

SEC("tc") int hidden_args(struct __sk_buff *skb)
{
	wrong += (CALL(hidden) != 42) + (CALL(passes) != 42) + (CALL(declared) != 42) +
		 (CALL(distrusted) != 42) + none() + prints();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
