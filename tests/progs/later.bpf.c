// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs with functions that also run outside of the program's runs. In each run, xdp_later and xdp_both
 * start a timer, whose callback runs later. leaf_now runs only in the program's runs, and leaf_later only in
 * runs of the callback. xdp_both and its callback both call leaf_both.
 * Context: XDP, in BPF_PROG_TEST_RUN, and the soft interrupt of a timer.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define CLOCK_MONOTONIC 1
#define NOINLINE __attribute__((noinline))
#define USE(value) asm volatile("" : : "r"(value))
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

struct alarm {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct alarm);
} alarms SEC(".maps");

#define DEFINE_LEAF(name, n)              \
	static NOINLINE long name(long x) \
	{                                 \
		WORK(n);                  \
		return x;                 \
	}

DEFINE_LEAF(leaf_now, 10)
DEFINE_LEAF(leaf_later, 20)
DEFINE_LEAF(leaf_both, 30)

/* A callback that runs before bpf_loop() returns */
static long step(__u32 i, void *arg)
{
	WORK(5);
	return 0;
}

static int on_alarm(void *map, __u32 *key, struct alarm *alarm)
{
	WORK(50);
	USE(leaf_later(1));
	USE(leaf_later(2));
	return 0;
}

static int on_alarm_both(void *map, __u32 *key, struct alarm *alarm)
{
	WORK(60);
	USE(leaf_later(1));
	USE(leaf_both(2));
	return 0;
}

static __always_inline void start(void *callback)
{
	__u32 key = 0;
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);

	if (!alarm)
		return;
	/* fails if the timer is already initialized */
	bpf_timer_init(&alarm->timer, &alarms, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&alarm->timer, callback);
	bpf_timer_start(&alarm->timer, 0, 0);
}

SEC("xdp")
int xdp_later(struct xdp_md *ctx)
{
	start(on_alarm);
	USE(leaf_now(1));
	bpf_loop(3, step, NULL, 0);
	return XDP_PASS;
}

SEC("xdp")
int xdp_both(struct xdp_md *ctx)
{
	start(on_alarm_both);
	USE(leaf_now(1));
	USE(leaf_both(1));
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
