/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether the kernel blinded the constants of a program when it loaded it (net.core.bpf_jit_harden):
 * machine code then has each constant as two random numbers, so that it is longer and, on all
 * architectures but x86-64, of another length after each load.
 */
#ifndef BPROF_BLINDING_H
#define BPROF_BLINDING_H

#include <stdbool.h>
#include <linux/bpf.h>

struct prog;

/*
 * Returns true if the kernel blinded the program. Of a program with several functions the kernel only
 * shows the instructions from before, of others perhaps none: then hardened() decides, which returns
 * true if the kernel blinds programs now. Interpreted programs are not blinded.
 */
bool prog__is_blinded(const struct prog *p, bool (*hardened)(void));
/* The same of translated instructions: returns true if one of them has a blinded constant. */
bool insns__are_blinded(const struct bpf_insn *insns, __u32 cnt);

#endif
