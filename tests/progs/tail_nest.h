/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program whose subprogram runs inside of its own runs. The subprogram sub() tail-calls its program nest(),
 * which calls sub() again, ROUNDS times in each run. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#ifndef TAIL_NEST_H
#define TAIL_NEST_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

int nest(struct xdp_md *ctx);
static volatile int rounds;

/* The prog array's initial value is the program nest(), so an object can have only one such program. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, int(void *));
} again SEC(".maps") = {.values = {[0] = (void *)&nest}};

static __attribute__((noinline)) int sub(struct xdp_md *ctx)
{
	asm volatile(".rept 50\n\tr0 = 0\n\t.endr" : : : "r0");
	bpf_tail_call(ctx, &again, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int nest(struct xdp_md *ctx)
{
	int verdict = XDP_PASS;

	if (rounds < ROUNDS) {
		rounds++;
		verdict = sub(ctx);
	} else {
		rounds = 0;
	}
	asm volatile("" : "+r"(verdict));
	return verdict;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
