/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Offsets of members of the kernel's structs, for BPF programs without CO-RE relocations. With such
 * relocations, libbpf would read the kernel's whole BTF each time that it loads one of these
 * programs, even if the program does not need the offsets.
 */
#ifndef BPROF_KERNEL_OFFSETS_H
#define BPROF_KERNEL_OFFSETS_H

#include <stddef.h>

#include "bpf/bperf.h"
#include "bpf/trace.h"
#include "btf/run_key.h"

struct btf;
struct reason;

/*
 * Offsets of the members of struct task_struct that distinguish the contexts of a probe
 * (bpf/probe.h), such as whether migration is disabled. 0: the kernel does not have the member.
 */
struct context_offsets {
	__u32 migration_disabled;
	__u32 rcu_read_lock_nesting;
};

/*
 * Fills *at from the running kernel's BTF. Reading this BTF takes about 10 ms. Returns 0, or -errno
 * with *reason, which names the missing member or BTF.
 */
int kernel_offsets__read(struct bperf_offsets *at, struct reason *reason);
/* Like kernel_offsets__read(), for the offsets of packets. Fails on kernels without networking. */
int kernel_offsets__read_packet(struct bprof_packet_offsets *at, struct reason *reason);
/* Like kernel_offsets__read() and kernel_offsets__read_packet(), with the caller's BTF. */
int kernel_offsets__find(const struct btf *btf, struct bperf_offsets *at, struct reason *reason);
int kernel_offsets__find_packet(const struct btf *btf, struct bprof_packet_offsets *at,
				struct reason *reason);
/*
 * Fills *at with the offsets for contexts. Takes only a few ms, because it reads only a part of the
 * running kernel's BTF. Returns 0, or -errno with *reason.
 */
int kernel_offsets__read_context(struct context_offsets *at, struct reason *reason);

/*
 * Offsets of the members that show whether a task is in a system call and on its own stack. They are
 * members of struct task_struct and, in struct pt_regs, the number of the system call, which is
 * negative outside of system calls.
 */
struct own_offsets {
	__u32 tgid, stack, syscall;
};

/*
 * Fills *at from the running kernel's BTF. Returns 0, or -errno; -ENOENT: the architecture's struct
 * pt_regs does not have the number.
 */
int kernel_offsets__read_own(struct own_offsets *at);

/*
 * Sets *offset to the offset, in struct pcpu_hot, of the address of a CPU's stack for interrupts
 * (x86-64, Linux 6.2 to 6.14). Returns 0 or -errno.
 */
int kernel_offsets__read_irq_stack(__u32 *offset);

/*
 * Offsets of the members that lead to the keys of --by. The member of struct sock is a pointer to the
 * socket's cgroup. Only the offsets that a key needs are set. own_net is no offset, but the number of this
 * process's network namespace; 0: the kernel has no network namespaces.
 */
struct key_offsets {
	__u32 task_tgid, task_comm, task_cgroups;
	__u32 css_set_default, cgroup_kn, kn_id;
	__u32 xdp_rxq, rxq_dev, rxq_queue;
	__u32 skb_dev, skb_sk, sock_cgroup;
	__u32 dev_ifindex, dev_net, net_number, own_net;
};

/* Returns the number of this process's network namespace; 0: the kernel has no network namespaces. */
__u32 kernel_offsets__own_net(void);
/* Like kernel_offsets__read(), for a key that probes read. */
int kernel_offsets__read_key(enum run_key key, struct key_offsets *at, struct reason *reason);

/* The ids of the kfuncs of fsessions (bpf/probe_fsession.bpf.h) in the kernel's BTF; 0: unknown. */
struct fsession_kfuncs {
	__u32 is_return, cookie;
};

/*
 * Fills *ids from the running kernel's BTF. Returns 0, or -errno; -ENOENT: the kernel has no
 * fsessions (before Linux 7.0).
 */
int kernel_offsets__read_fsession(struct fsession_kfuncs *ids);

#endif
