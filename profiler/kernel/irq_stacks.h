/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the kernel's stacks for interrupts are.
 */
#ifndef BPROF_IRQ_STACKS_H
#define BPROF_IRQ_STACKS_H

#include <linux/types.h>

/*
 * Stores in lowest[cpu] the lowest address of the stack on which the CPU handles interrupts, for
 * CPUs on which this address is not aligned to the size of a stack (x86-64). Stores 0 for other
 * CPUs, and for all CPUs if the kernel does not say where the stacks are (before Linux 5.16, or
 * under lockdown).
 */
void irq_stacks__find_unaligned(__u64 *lowest, int cpus);

#endif
