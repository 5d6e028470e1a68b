/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Offsets of members of the kernel's structs, for BPF programs that are loaded before it is known
 * whether they will need them, and so cannot use CO-RE relocations.
 */
#ifndef BPROF_KERNEL_OFFSETS_H
#define BPROF_KERNEL_OFFSETS_H

#include <stddef.h>

#include "bpf/bperf.h"
#include "bpf/trace.h"

struct btf;
struct reason;

/*
 * Offsets in struct task_struct of the members that distinguish the contexts of a probe
 * (bpf/probe.h). 0: the kernel does not have the member.
 */
struct context_offsets {
	__u32 migration_disabled;
	__u32 rcu_read_lock_nesting;
};

/*
 * Fills *at from the running kernel's BTF, which takes about 10 ms to read. Returns 0, or -errno
 * with *reason, which names what is missing.
 */
int kernel_offsets__read(struct bperf_offsets *at, struct reason *reason);
/* The same for packets. Fails on a kernel without networking. */
int kernel_offsets__read_packet(struct bprof_packet_offsets *at, struct reason *reason);
/* The same from a BTF that the caller owns. */
int kernel_offsets__find(const struct btf *btf, struct bperf_offsets *at, struct reason *reason);
int kernel_offsets__find_packet(const struct btf *btf, struct bprof_packet_offsets *at,
				struct reason *reason);
/*
 * Fills *at with the offsets for contexts, from the running kernel. Takes some ms, as only a part
 * of its BTF is read. Returns 0, or -errno with *reason.
 */
int kernel_offsets__read_context(struct context_offsets *at, struct reason *reason);

#endif
