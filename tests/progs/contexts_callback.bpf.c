// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Callback functions: an empty one and one with 100 additions (see alu.bpf.c). Each run of the
 * program starts two timers, one for each callback. Context: the soft interrupt of a timer.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define CLOCK_MONOTONIC 1

struct alarm {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct alarm);
} alarms SEC(".maps");

#define DEFINE_CALLBACK(k)                                                     \
	static int timer_##k(void *map, __u32 *key, struct alarm *alarm)       \
	{                                                                      \
		long zero = -(k);                                              \
                                                                               \
		asm volatile(".rept " #k "\n\t%0 += 1\n\t.endr" : "+r"(zero)); \
		return zero;                                                   \
	}

DEFINE_CALLBACK(0)
DEFINE_CALLBACK(100)

static __always_inline void start(__u32 key, void *callback)
{
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);

	if (!alarm)
		return;
	/* fails if the timer is already initialized */
	bpf_timer_init(&alarm->timer, &alarms, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&alarm->timer, callback);
	bpf_timer_start(&alarm->timer, 0, 0);
}

SEC("syscall")
int start_timers(void *ctx)
{
	start(0, timer_0);
	start(1, timer_100);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
