/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells whether the kernel blinded the constants of a program when it loaded the program
 * (net.core.bpf_jit_harden). The machine code of a blinded program has two random numbers in the
 * place of each constant. So it is longer and, on all architectures except x86-64, its length
 * differs from load to load.
 */
#ifndef BPROF_BLINDING_H
#define BPROF_BLINDING_H

#include <stdbool.h>
#include <linux/bpf.h>

struct prog;

/*
 * Returns true if the kernel blinded the program. Sometimes the instructions do not show this: if the
 * program has several functions, the kernel shows only the instructions before blinding, and it may
 * show no instructions of any program. Then returns the result of hardened(): whether the kernel
 * blinds programs that are loaded now. (If the kernel shows the length of the instructions and
 * withholds them, they are blinded.) Interpreted programs are not blinded.
 */
bool prog__is_blinded(const struct prog *p, bool (*hardened)(void));
/* Returns true if one of the translated instructions has a blinded constant. */
bool insns__are_blinded(const struct bpf_insn *insns, __u32 cnt);

#endif
