// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets whose cost depends on the key by which tests divide their runs: the device or the queue of a
 * packet, the cgroup of a socket, the task. Context: XDP, tc, sockets, a system call of a task.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "keys.h"

/* The key whose runs cost KEYS_INSNS more; set by tests. */
__u64 more;

/* Returns ret. If the key is equal to "more", first executes KEYS_INSNS more instructions. */
static __always_inline int cost(__u64 key, int ret)
{
	asm volatile("if %[key] != %[more] goto end_%=\n\t"
		     ".rept %[insns]\n\t"
		     "%[key] += 1\n\t"
		     ".endr\n\t"
		     "end_%=:"
		     : [key] "+r"(key)
		     : [more] "r"(more), [insns] "i"(KEYS_INSNS));
	return ret;
}

SEC("xdp")
int xdp_device(struct xdp_md *ctx)
{
	return cost(ctx->ingress_ifindex, XDP_PASS);
}

SEC("xdp")
int xdp_queue(struct xdp_md *ctx)
{
	return cost(ctx->rx_queue_index, XDP_PASS);
}

/* The argument has no type that the verifier knows, so no probe can read it. */
SEC("xdp")
int xdp_void(void *ctx)
{
	return XDP_PASS;
}

static __attribute__((noinline)) int parse(struct xdp_md *ctx)
{
	return ctx->rx_queue_index < 1000 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int xdp_parse(struct xdp_md *ctx)
{
	return parse(ctx);
}

SEC("tc")
int tc_device(struct __sk_buff *skb)
{
	return cost(skb->ifindex, 0);
}

/* Attached to sockets: those of AF_UNIX get packets without a device. */
SEC("socket")
int filter(struct __sk_buff *skb)
{
	return cost(skb->ifindex, 0xffff);
}

SEC("cgroup_skb/egress")
int skb_cgroup(struct __sk_buff *skb)
{
	return cost(bpf_skb_cgroup_id(skb), 1);
}

SEC("tracepoint/syscalls/sys_enter_getsid")
int tp_task(void *ctx)
{
	return cost(bpf_get_current_pid_tgid() >> 32, 0);
}

static __attribute__((noinline)) int inner(__u64 key)
{
	return cost(key, 1);
}

/* The key is a cgroup. The runs of functions can be divided by it, too. */
SEC("tracepoint/syscalls/sys_enter_getsid")
int tp_cgroup(void *ctx)
{
	return inner(bpf_get_current_cgroup_id());
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
