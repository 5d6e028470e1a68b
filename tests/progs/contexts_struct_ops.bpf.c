// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets of type struct_ops, for tests/kernel/drive/contexts.c: TCP congestion controls, which the
 * kernel calls for every acknowledgement. Context: that of the socket, under the socket's lock.
 */
#include "contexts.h"

struct sock;

/* Has only the members used here; libbpf finds them by name in the kernel's struct. */
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
};

/* Each program here needs a congestion control. */
CONTEXT_ADDS("struct_ops/cong_avoid", struct_ops, unsigned long long *, 0)
CONTEXT_CALLS("struct_ops/cong_avoid", struct_ops, unsigned long long *, 0)

SEC("struct_ops/ssthresh")
int ssthresh(unsigned long long *ctx)
{
	return 2;
}

SEC("struct_ops/undo_cwnd")
int undo_cwnd(unsigned long long *ctx)
{
	return 2;
}

#define CONTROL(suffix)                                   \
	SEC(".struct_ops")                                \
	struct tcp_congestion_ops control##suffix = {     \
		.ssthresh = (void *)ssthresh,             \
		.cong_avoid = (void *)struct_ops##suffix, \
		.undo_cwnd = (void *)undo_cwnd,           \
		.name = "ctx" #suffix,                    \
	};

CONTROL(_0)
CONTROL(_100)
CONTROL(_void_0)
CONTROL(_void_100)
CONTROL(_calls)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
