/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the entry probe that leaves out bprof's own runs: runs in bprof's system calls, for
 * targets that system calls start.
 */
#ifndef BPROF_PROBE_OWN_BPF_H
#define BPROF_PROBE_OWN_BPF_H

#include <stddef.h>

#include "probe_core.bpf.h"

/*
 * Returns the state of the gate for an invocation with that ctx. For one of bprof's own runs, returns
 * 0: the rest of the probe handles the run as if the gate were closed. Counts these runs in stat->own,
 * whether the gate is open or not. This code runs before the readings, so it is not a part of the bias.
 *
 * The first instruction jumps over the check. The verifier knows that stat is not NULL, and removes the
 * jump and the check. For targets that need the check, user space inverts the condition, and fills in
 * the placeholders (own_runs.c).
 *
 * A run is one of bprof's own runs if the current task is a thread of bprof's process and in a system
 * call, and if the probe runs on that task's stack. If an interrupt starts the target while bprof is
 * current, the probe runs on the interrupt stack, or the task is not in a system call. (x86-64 handles
 * interrupts of user space on the task's stack.)
 */
static __always_inline __u64 gate_for_others(__u64 key, struct bprof_cpu_stat *stat)
{
	register __u64 gate asm("r0");

	asm volatile("if %[stat] != 0 goto LBB_others_%=\n\t"
		     "call %[current_task]\n\t"
		     "r1 = *(u32 *)(r0 + %[tgid_at])\n\t"
		     "if r1 != %[tgid] goto LBB_others_%=\n\t"
		     /* makes the pointer a number: arithmetic on pointers is restricted */
		     "*(u64 *)(%[stat] + %[scratch]) = %[key]\n\t"
		     "r2 = *(u64 *)(%[stat] + %[scratch])\n\t"
		     "r1 = *(u64 *)(r0 + %[stack_at])\n\t"
		     "r1 ^= r2\n\t"
		     "r1 >>= %[stack_bits]\n\t"
		     "if r1 != 0 goto LBB_others_%=\n\t"
		     "r1 = r0\n\t"
		     "call %[task_pt_regs]\n\t"
		     "r1 = *(u32 *)(r0 + %[syscall_at])\n\t"
		     "r1 <<= 32\n\t"
		     "if r1 s< 0 goto LBB_others_%=\n\t"
		     "r1 = *(u64 *)(%[stat] + %[own])\n\t"
		     "r1 += 1\n\t"
		     "*(u64 *)(%[stat] + %[own]) = r1\n\t"
		     "r0 = 0\n\t"
		     "goto LBB_own_%=\n"
		     "LBB_others_%=:\n\t"
		     "r0 = %[state] ll\n\t"
		     "r0 = *(u64 *)(r0 + 0)\n"
		     "LBB_own_%=:"
		     : "=&r"(gate)
		     : [stat] "r"(stat), [key] "r"(key), [state] "i"(&bprof_gate),
		       [current_task] "i"(BPF_FUNC_get_current_task_btf),
		       [task_pt_regs] "i"(BPF_FUNC_task_pt_regs), [tgid] "i"(BPROF_OWN_TGID),
		       [stack_bits] "i"(BPROF_OWN_STACK_BITS), [tgid_at] "i"(BPROF_OWN_TGID_OFFSET),
		       [stack_at] "i"(BPROF_OWN_STACK_OFFSET),
		       [syscall_at] "i"(BPROF_OWN_SYSCALL_OFFSET),
		       [scratch] "i"(offsetof(struct bprof_cpu_stat, entry_scratch)),
		       [own] "i"(offsetof(struct bprof_cpu_stat, own))
		     : "r1", "r2", "r3", "r4", "r5", "memory");
	return gate;
}

#endif
