// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program with a function that cannot run, dead(). The verifier removes it, and moves up the functions
 * after it. But it does not move up what it knows about their arguments (func_info_aux). So it uses what it
 * knows about dead() for mismatch(), and what it knows about mismatch() for global().
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

const volatile bool never = false;

static NOINLINE long dead(long x)
{
	WORK(50);
	return x;
}

/* The verifier does not trust this declaration, because the caller passes a number instead of a pointer. */
static NOINLINE long mismatch(void *p, long x)
{
	asm volatile("" : : "r"(p));
	WORK(50);
	return x;
}

NOINLINE long global(long x)
{
	WORK(50);
	return x;
}

SEC("xdp")
int xdp_dead(struct xdp_md *ctx)
{
	long x = 1;

	if (never)
		x = dead(x);
	x = mismatch((void *)x, x);
	return global(x) ? XDP_PASS : XDP_ABORTED;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
