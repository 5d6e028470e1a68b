// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the addresses of the stacks for interrupts. Owns the names of the kernel's variables that
 * have these addresses. Prints nothing.
 */
#include <string.h>

#include "base/util.h"
#include "kernel/irq_stacks.h"
#include "kernel/kernel_offsets.h"
#include "kernel/kernel_var.h"

#ifdef __x86_64__

#define STACK_SZ 16384

void irq_stacks__find_unaligned(__u64 *lowest, int cpus)
{
	int pointer = kernel_var__open("hardirq_stack_ptr");
	int offsets = kernel_var__open("__per_cpu_offset");
	__u32 in_var = 0; /* offset of the address in the variable */
	__u64 of_cpu, last, end;

	/* In Linux 6.2 to 6.14, the addresses are members of another variable. */
	if (kernel_var__read(offsets, 0, &of_cpu) && !kernel_var__read(pointer, of_cpu, &last) &&
	    !kernel_offsets__read_irq_stack(&in_var)) {
		close_fd(&pointer);
		pointer = kernel_var__open("pcpu_hot");
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		lowest[cpu] = 0;
		if (!kernel_var__read(offsets, cpu * sizeof(of_cpu), &of_cpu) ||
		    !kernel_var__read(pointer, of_cpu + in_var, &last))
			continue;
		/* The address is that of the stack's last 8 bytes (map_irq_stack(), irq_64.c). */
		end = last + sizeof(__u64);
		if (end > STACK_SZ && end % sizeof(__u64) == 0 && end % STACK_SZ)
			lowest[cpu] = end - STACK_SZ;
	}
	close_fd(&pointer);
	close_fd(&offsets);
}

#else

/* arm64 and riscv64 align these stacks (arch_alloc_vmap_stack()). */
void irq_stacks__find_unaligned(__u64 *lowest, int cpus)
{
	memset(lowest, 0, cpus * sizeof(*lowest));
}

#endif
