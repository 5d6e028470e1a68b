/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells how many arguments the functions of a loaded program take, from its translated instructions.
 * Their BTF may declare fewer: of a function in assembly, or without a prototype.
 */
#ifndef BPROF_ARG_READS_H
#define BPROF_ARG_READS_H

#include <linux/bpf.h>

struct func_table;

/*
 * Sets (*reads)[f] for function f of the table to the highest argument register (1 to 5) whose value
 * at its entry it, or a function that it calls, reads; 0: none. Arguments that it only passes to a
 * helper or a kfunc do not count, as the instructions do not show how many these take; nor do reads
 * after an indirect jump. The caller frees *reads. Returns 0 or -ENOMEM.
 */
int insns__find_arg_reads(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			  __u8 **reads);

#endif
