// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A target of type struct_ops: a TCP congestion control. "drive tcpcc bprof_test N" sets this
 * congestion control N times, and each time the kernel calls init. Context: that of the socket,
 * under the socket's lock.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct sock;

/* Has only the members used here; libbpf finds them by name in the kernel's struct. */
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	void (*init)(struct sock *sk);
	char name[16];
};

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(cc_ssthresh, struct sock *sk)
{
	return 2;
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(cc_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(cc_undo_cwnd, struct sock *sk)
{
	return 2;
}

SEC("struct_ops/init")
void BPF_PROG(cc_init, struct sock *sk)
{
}

SEC(".struct_ops")
struct tcp_congestion_ops bprof_test = {
	.ssthresh = (void *)cc_ssthresh,
	.cong_avoid = (void *)cc_cong_avoid,
	.undo_cwnd = (void *)cc_undo_cwnd,
	.init = (void *)cc_init,
	.name = "bprof_test",
};

/* The kernel keeps 15 characters of a map's name: bprof_test_with. */
SEC(".struct_ops")
struct tcp_congestion_ops bprof_test_with_a_long_name = {
	.ssthresh = (void *)cc_ssthresh,
	.cong_avoid = (void *)cc_cong_avoid,
	.undo_cwnd = (void *)cc_undo_cwnd,
	.name = "bprof_long",
};

char LICENSE[] SEC("license") = "Dual BSD/GPL";
