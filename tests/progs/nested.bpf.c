// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets that interrupt themselves. A task runs them by BPF_PROG_TEST_RUN with one of the
 * arguments in nested.h. They cause an interrupt on their own CPU and run a second time in that
 * interrupt. syscall_often calls its target all the time, while a timer calls it now and then, so
 * that some of the timer's interrupts hit the probes.
 *
 * raw_tp_nested causes the hard interrupt with which the ring buffer wakes its readers (irq_work,
 * kernel/bpf/ringbuf.c), and is attached to the tracepoint of that interrupt. inside(), a function
 * of syscall_nested, starts a BPF timer, whose soft interrupt calls inside() again. Context: a task
 * with interrupts on, and these interrupts.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "nested.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} doorbell SEC(".maps");

struct alarm {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct alarm);
} alarms SEC(".maps");

struct nested_seen seen;

static __always_inline __u64 interrupts(void)
{
	return *(volatile __u64 *)&seen.interrupts;
}

static __always_inline void work(void)
{
	__u64 x = 0;

	for (int i = 0; i < NESTED_WORK; i++)
		asm volatile("%0 += 1" : "+r"(x));
}

SEC("raw_tracepoint")
int raw_tp_nested(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 arg = ctx->args[0], before = interrupts();

	if (arg != NESTED_ALONE && arg != NESTED_TASK) {
		seen.interrupts++;
		return 0;
	}
	work();
	bpf_ringbuf_output(&doorbell, &before, sizeof(before),
			   arg == NESTED_TASK ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	work();
	if (interrupts() != before)
		seen.nested++;
	return 0;
}

__attribute__((noinline)) int inside(__u64 arg)
{
	__u64 before = interrupts();
	struct alarm *alarm;
	__u32 key = 0;

	if (arg != NESTED_ALONE && arg != NESTED_TASK) {
		seen.interrupts++;
		return 0;
	}
	work();
	alarm = bpf_map_lookup_elem(&alarms, &key);
	if (alarm && arg == NESTED_TASK)
		bpf_timer_start(&alarm->timer, 0, 0);
	work();
	if (interrupts() != before)
		seen.nested++;
	return 0;
}

static int on_alarm(void *map, __u32 *key, struct alarm *alarm)
{
	inside(0);
	return 0;
}

SEC("syscall")
int syscall_nested(const __u64 *arg)
{
	__u32 key = 0;
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);

	if (!alarm)
		return 1;
	/* fails in all runs but the first */
	bpf_timer_init(&alarm->timer, &alarms, 1 /* CLOCK_MONOTONIC */);
	bpf_timer_set_callback(&alarm->timer, on_alarm);
	return inside(*arg);
}

__attribute__((noinline)) int often(__u64 arg)
{
	if (arg != NESTED_TASK)
		seen.interrupts++;
	return arg;
}

static int on_tick(void *map, __u32 *key, struct alarm *alarm)
{
	often(0);
	bpf_timer_start(&alarm->timer, NESTED_TICK_NS, 0);
	return 0;
}

SEC("syscall")
int syscall_often(void *ctx)
{
	__u32 key = 0;
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);

	if (!alarm)
		return 1;
	bpf_timer_init(&alarm->timer, &alarms, 1 /* CLOCK_MONOTONIC */);
	bpf_timer_set_callback(&alarm->timer, on_tick);
	bpf_timer_start(&alarm->timer, NESTED_TICK_NS, 0);
	for (int i = 0; i < NESTED_CALLS; i++)
		often(NESTED_TASK);
	bpf_timer_cancel(&alarm->timer);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
