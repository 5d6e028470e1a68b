/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probe loads from struct task_struct, at offsets that only the running kernel's BTF has. With
 * CO-RE relocations libbpf would take 80 ms to load it: this replaces them.
 */
#ifndef BPROF_PROBE_OFFSETS_H
#define BPROF_PROBE_OFFSETS_H

#include <stddef.h>
#include <linux/bpf.h>

#include "bpf/probe.h"

/*
 * Replaces the probe's placeholders by the kernel's offsets (bytes) in all instructions that have
 * them.
 */
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
