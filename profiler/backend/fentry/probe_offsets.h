/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets the offsets at which the probe loads members of struct task_struct. Only the running
 * kernel's BTF has them. CO-RE relocations would do the same, but libbpf would then take 80 ms to
 * load the probe.
 */
#ifndef BPROF_PROBE_OFFSETS_H
#define BPROF_PROBE_OFFSETS_H

#include <stddef.h>
#include <linux/bpf.h>

#include "bpf/probe.h"

/* Replaces the placeholders in the probe's instructions by the kernel's offsets, in bytes. */
static inline void probe_offsets__set(struct bpf_insn *insns, size_t cnt, __u32 migration_disabled,
				      __u32 rcu_read_lock_nesting)
{
	for (size_t i = 0; i < cnt; i++) {
		if (insns[i].code == (BPF_LDX | BPF_MEM | BPF_H) &&
		    insns[i].off == BPROF_MIGRATION_OFFSET)
			insns[i].off = migration_disabled;
		if (insns[i].code == (BPF_LDX | BPF_MEM | BPF_W) &&
		    insns[i].off == BPROF_RCU_OFFSET)
			insns[i].off = rcu_read_lock_nesting;
	}
}

#endif
