/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where members of the kernel's structs are, for BPF programs that are loaded before it is known
 * whether they will need them, and so cannot have them relocated (CO-RE).
 */
#ifndef BPROF_KERNEL_OFFSETS_H
#define BPROF_KERNEL_OFFSETS_H

#include <stddef.h>

#include "bpf/bperf.h"
#include "bpf/trace.h"

struct btf;
struct reason;

/*
 * Members of struct task_struct that tell the contexts of a probe apart (bpf/probe.h). 0: the kernel
 * does not have it.
 */
struct context_offsets {
	__u32 migration_disabled;
	__u32 rcu_read_lock_nesting;
};

/*
 * Fills *at from the BTF of the running kernel, which takes some 10 ms to read. 0; -errno with
 * *reason, which names what is missing.
 */
int kernel_offsets__read(struct bperf_offsets *at, struct reason *reason);
/* The same of packets, which a kernel without networks has not. */
int kernel_offsets__read_packet(struct bprof_packet_offsets *at, struct reason *reason);
/* The same from a BTF that is the caller's. */
int kernel_offsets__find(const struct btf *btf, struct bperf_offsets *at, struct reason *reason);
int kernel_offsets__find_packet(const struct btf *btf, struct bprof_packet_offsets *at,
				struct reason *reason);
/* Those of contexts, from the running kernel: some ms, since not all of its BTF is read. */
int kernel_offsets__read_context(struct context_offsets *at, struct reason *reason);

#endif
