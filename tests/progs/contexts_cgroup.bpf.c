// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets on hooks of cgroups, which tests/kernel/drive/contexts.c attaches and drives. Each
 * program allows everything.
 */
#include "contexts.h"
#include "contexts_shapes.h"

#define ALLOW 1

CONTEXT("cgroup_skb/ingress", cgroup_skb_ingress, struct __sk_buff *, ALLOW)
CONTEXT("cgroup_skb/egress", cgroup_skb_egress, struct __sk_buff *, ALLOW)
CONTEXT("cgroup/sock_create", cgroup_sock, struct bpf_sock *, ALLOW)
CONTEXT("cgroup/connect4", connect4, struct bpf_sock_addr *, ALLOW)
CONTEXT("cgroup/sendmsg4", sendmsg4, struct bpf_sock_addr *, ALLOW)
CONTEXT("cgroup/setsockopt", setsockopt, struct bpf_sockopt *, ALLOW)
CONTEXT("cgroup/getsockopt", getsockopt, struct bpf_sockopt *, ALLOW)
CONTEXT("cgroup/sysctl", sysctl, struct bpf_sysctl *, ALLOW)
CONTEXT("cgroup/dev", device, struct bpf_cgroup_dev_ctx *, ALLOW)
CONTEXT("lsm_cgroup/socket_create", lsm_cgroup, unsigned long long *, ALLOW)
CONTEXT("sockops", sock_ops, struct bpf_sock_ops *, ALLOW)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
