// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets with each kind of context, for the arguments that bprof trace shows. The kernel's structs here have
 * only the members that the programs read; libbpf finds their offsets in the running kernel.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define KERNEL __attribute__((preserve_access_index))

struct trace_event_raw_sys_enter {
	long id;
	unsigned long args[6];
} KERNEL;

struct task_struct {
	int pid;
} KERNEL;

struct point {
	int x : 5;
	unsigned int y : 11;
	short away[3];
	char name[8];
};

SEC("tc")
int tc_args(struct __sk_buff *skb)
{
	return TC_ACT_OK;
}

/* The argument has another name than ctx. */
SEC("xdp")
int xdp_args(struct xdp_md *packet)
{
	return XDP_PASS;
}

__noinline int locate(struct xdp_md *ctx, struct point *point, short port)
{
	asm volatile("" ::"r"(ctx));
	return point ? point->x + point->y + port : 0;
}

/* The compiler removes the argument in the middle. */
static __noinline int without_second(struct xdp_md *ctx, int unused, int last)
{
	asm volatile("" ::"r"(ctx));
	return last + 1;
}

SEC("xdp")
int xdp_located(struct xdp_md *ctx)
{
	struct point point = {.x = -3, .y = 1900, .away = {1, -2, 3}, .name = "north"};

	locate(ctx, &point, -7);
	locate(ctx, NULL, 8);
	return without_second(ctx, 1, 2) ? XDP_PASS : XDP_DROP;
}

SEC("tracepoint/syscalls/sys_enter_getsid")
int tp_args(struct trace_event_raw_sys_enter *ctx)
{
	return 0;
}

SEC("ksyscall/getsid")
int kprobe_args(struct pt_regs *ctx)
{
	return 0;
}

SEC("raw_tracepoint/sys_enter")
int raw_tp_args(struct bpf_raw_tracepoint_args *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
