/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code of known cost: k additions. k is even. One BPF addition is one instruction on arm64, x86-64
 * and riscv64.
 *
 * The additions add 1 and -1 in turn. So the variable has its initial value at the end, and
 * programs with different k can use the same constant: on riscv64 the number of instructions that
 * load a constant depends on its value. The additions are assembly, because the compiler would
 * compute the sum.
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
