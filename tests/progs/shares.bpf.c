// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs in which one run in DEAR_PERIOD calls dear(), which updates a map. Such a "dear" (expensive) run
 * returns XDP_TX. The other runs do not call dear(). Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "shares.h"

#define NOINLINE __attribute__((noinline))
#define BLOCK_INSNS 1000
/* Executes n instructions without effect that no compiler removes. */
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

#define DEFINE_MAP(name)                                \
	struct {                                        \
		__uint(type, BPF_MAP_TYPE_PERCPU_HASH); \
		__uint(max_entries, 64);                \
		__type(key, __u32);                     \
		__type(value, __u64);                   \
	} name SEC(".maps")

DEFINE_MAP(often);
DEFINE_MAP(rare);

__u64 number; /* number of the next run */

static NOINLINE long usual(long x)
{
	__u32 key = 1;
	__u64 value = x;

	WORK(200);
	bpf_map_update_elem(&often, &key, &value, BPF_ANY);
	return x;
}

static NOINLINE long dear(long x)
{
	__u64 value = x;

#pragma clang loop unroll(disable)
	for (int i = 0; i < DEAR_INSNS / BLOCK_INSNS; i++)
		asm volatile(".rept %[cnt]\n\t"
			     "%[x] += 1\n\t"
			     ".endr"
			     : [x] "+r"(x)
			     : [cnt] "i"(BLOCK_INSNS));
#pragma clang loop unroll(disable)
	for (int i = 0; i < DEAR_UPDATES; i++) {
		__u32 key = i;

		bpf_map_update_elem(&rare, &key, &value, BPF_ANY);
	}
	return x;
}

static __always_inline int run(void)
{
	__u64 n = number++;
	long x = n;

	for (int i = 0; i < USUAL_CALLS; i++)
		x = usual(x);
	if (n % DEAR_PERIOD != DEAR_AT)
		return x == -1 ? XDP_ABORTED : XDP_PASS;
	for (int i = 0; i < DEAR_CALLS; i++)
		x = dear(x);
	return x == -1 ? XDP_ABORTED : XDP_TX;
}

SEC("xdp")
int xdp_shares(struct xdp_md *ctx)
{
	return run();
}

/* Another program, whose functions have the same names. */
SEC("xdp")
int xdp_shares_too(struct xdp_md *ctx)
{
	return run();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
