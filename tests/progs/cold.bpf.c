// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A target whose first runs after a pause are expensive, as if its caches were cold. Context: tc.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define PAUSE_NS 5000000
#define COLD_RUNS 30
#define STEPS 3000

__u64 last_ns, cold;

SEC("tc")
int tc_cold(struct __sk_buff *skb)
{
	__u64 now = bpf_ktime_get_ns(), steps = 0;

	if (now - last_ns > PAUSE_NS)
		cold = COLD_RUNS;
	last_ns = now;
	if (cold) {
		cold--;
		while (steps < STEPS) {
			steps++;
			asm volatile("" : "+r"(steps));
		}
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
