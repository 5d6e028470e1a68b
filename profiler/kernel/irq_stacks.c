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

/* The variable has the address of the stack's last 8 bytes (map_irq_stack(), irq_64.c). */
static __u64 lowest_of(__u64 last)
{
	__u64 end = last + sizeof(__u64);

	return end > STACK_SZ && end % sizeof(__u64) == 0 && end % STACK_SZ ? end - STACK_SZ : 0;
}

/* How to read the variable with the addresses. */
struct reader {
	int pointer, offsets; /* of kernel_var__open() */
	__u32 in_var;	      /* offset of the address in the variable */
};

/* Reads the address for a CPU, or returns 0. */
static __u64 read_lowest(const struct reader *r, int cpu)
{
	__u64 of_cpu, last;

	return kernel_var__read(r->offsets, cpu * sizeof(of_cpu), &of_cpu) &&
			       kernel_var__read(r->pointer, of_cpu + r->in_var, &last)
		       ? lowest_of(last)
		       : 0;
}

void irq_stacks__find_unaligned(__u64 *lowest, int cpus)
{
	struct reader r = {.pointer = kernel_var__open("hardirq_stack_ptr"),
			   .offsets = kernel_var__open("__per_cpu_offset")};
	__u64 of_cpu, last;

	/* In Linux 6.2 to 6.14, the addresses are members of another variable. */
	if (kernel_var__read(r.offsets, 0, &of_cpu) &&
	    !kernel_var__read(r.pointer, of_cpu, &last) &&
	    !kernel_offsets__read_irq_stack(&r.in_var)) {
		close_fd(&r.pointer);
		r.pointer = kernel_var__open("pcpu_hot");
	}
	for (int cpu = 0; cpu < cpus; cpu++)
		lowest[cpu] = read_lowest(&r, cpu);
	close_fd(&r.pointer);
	close_fd(&r.offsets);
}

#else

/* arm64 and riscv64 align these stacks (arch_alloc_vmap_stack()). */
void irq_stacks__find_unaligned(__u64 *lowest, int cpus)
{
	memset(lowest, 0, cpus * sizeof(*lowest));
}

#endif
