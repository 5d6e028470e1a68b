// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A call tree with known numbers of calls. In each run xdp_tree calls branch three times, leaf
 * once, add and empty_pointer twice, and each other empty function once; branch calls leaf twice.
 * test_tree.c expects these numbers. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
/* Uses a return value: otherwise the compiler makes a static function return nothing. */
#define USE(value) asm volatile("" : : "r"(value))
/* Executes n instructions without effect that no compiler removes. */
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} sums SEC(".maps");

static NOINLINE long leaf(long x)
{
	WORK(10);
	return x;
}

NOINLINE long branch(long x, long y)
{
	WORK(100);
	x = leaf(x);
	return leaf(x + y);
}

/* Empty functions with different numbers of arguments. */
NOINLINE int empty_0(void)
{
	asm volatile("");
	return 0;
}

NOINLINE int empty_3(long a, long b, long c)
{
	asm volatile("" : : "r"(a), "r"(b), "r"(c));
	return 0;
}

NOINLINE int empty_5(long a, long b, long c, long d, long e)
{
	asm volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
	return 0;
}

/*
 * Static functions that get pointers to the stack and to a map in turn: therefore the verifier does
 * not rely on their prototypes, and the trampoline saves five arguments.
 */
static NOINLINE long empty_pointer(__u64 *sum)
{
	long zero;

	asm volatile("%0 = 0" : "=r"(zero) : "r"(sum)); /* sum is not used */
	return zero;
}

static NOINLINE long add(__u64 *sum, long x)
{
	long zero;

	*sum += x;
	asm volatile("%0 = 0" : "=r"(zero));
	return zero;
}

static __always_inline bool run_tree(void)
{
	__u64 *sum, local = 0;
	__u32 key = 0;
	long x = 1;

	sum = bpf_map_lookup_elem(&sums, &key);
	if (!sum)
		return false;
	WORK(100);
	x = branch(x, 1);
	x = branch(x, 2);
	x = branch(x, 3);
	x = leaf(x);
	USE(add(&local, x));
	USE(add(sum, local));
	empty_pointer(&local);
	empty_pointer(sum);
	empty_0();
	empty_3(0, 0, 0);
	empty_5(0, 0, 0, 0, 0);
	return true;
}

SEC("xdp")
int xdp_tree(struct xdp_md *ctx)
{
	return run_tree() ? XDP_PASS : XDP_ABORTED;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
