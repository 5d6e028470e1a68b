/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code of known cost: k additions, an even number. One BPF addition is one instruction on arm64,
 * x86-64 and riscv64.
 *
 * The additions add 1 and -1 by turns, so that the same initial constant fits each k: on riscv64
 * the number of instructions that load a constant depends on its value. They are assembly, because
 * the compiler would compute the sum.
 */
#ifndef BPROF_ADDITIONS_BPF_H
#define BPROF_ADDITIONS_BPF_H

#define ADDITIONS_OF_(constraint, var, k) \
	asm volatile(".rept %1 / 2\n\t"   \
		     "%0 += 1\n\t"        \
		     "%0 += -1\n\t"       \
		     ".endr"              \
		     : constraint(var)    \
		     : "i"(k))

/* ADDITIONS() adds to a variable of 32 bits. LONG_ADDITIONS() adds to a variable of 64 bits. */
#define ADDITIONS(var, k) ADDITIONS_OF_("+w", var, k)
#define LONG_ADDITIONS(var, k) ADDITIONS_OF_("+r", var, k)

#endif
