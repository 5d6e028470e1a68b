// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets whose cost depends on what they return. Each counts its runs and returns another value in
 * the next one. Context: XDP and tc, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include "retval.h"

__u64 runs;

/* Returns "cheap" or, after RETVAL_INSNS more instructions, "dear": "dear" if n is odd. */
static __always_inline int one_of_two(__u64 n, const int cheap, const int dear)
{
	register int value asm("r0");

	asm volatile("r0 = %[cheap]\n\t"
		     "if %[odd] == 0 goto end_%=\n\t"
		     ".rept %[more]\n\t"
		     "r0 += 1\n\t"
		     ".endr\n\t"
		     "r0 = %[dear]\n\t"
		     "end_%=:"
		     : "=r"(value)
		     : [odd] "r"(n & 1), [cheap] "i"(cheap), [dear] "i"(dear),
		       [more] "i"(RETVAL_INSNS - 1));
	return value;
}

/* Drops every other packet, and sends the others. */
SEC("xdp")
int xdp_two(struct xdp_md *ctx)
{
	return one_of_two(runs++, XDP_DROP, XDP_TX);
}

/* The same with a main function that has no argument. The kernel accepts this. */
SEC("xdp")
int xdp_bare(void)
{
	return one_of_two(runs++, XDP_DROP, XDP_TX);
}

SEC("tc")
int tc_bare(void)
{
	return one_of_two(runs++, TC_ACT_OK, TC_ACT_SHOT);
}

/* Returns RETVAL_MANY different values in turn. */
SEC("xdp")
int xdp_many(struct xdp_md *ctx)
{
	return runs++ % RETVAL_MANY;
}

SEC("tc")
int tc_signs(struct __sk_buff *ctx)
{
	return one_of_two(runs++, TC_ACT_UNSPEC, -100);
}

/* Both values have the same lowest bits: the probe looks in the same place for them first. */
__attribute__((noinline)) int sub_int(__u64 n)
{
	return one_of_two(n, 5, -3);
}

/* Its first value does not fit into 32 bits. */
__attribute__((noinline)) __u64 sub_long(__u64 n)
{
	asm volatile("" : "+r"(n));
	return n & 1 ? 3 : 3 | 1ULL << 32;
}

static __attribute__((noinline)) void sub_void(__u64 n)
{
	asm volatile("" : : "r"(n));
}

SEC("xdp")
int xdp_subs(struct xdp_md *ctx)
{
	__u64 n = runs++;

	sub_void(n);
	return sub_int(n) + sub_long(n) > 100 ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
