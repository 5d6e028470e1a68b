/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out from translated instructions how many arguments the functions of a loaded program take. The BTF
 * of a function may declare fewer arguments if the function is in assembly or has no prototype.
 */
#ifndef BPROF_ARG_READS_H
#define BPROF_ARG_READS_H

#include <linux/bpf.h>

struct func_table;

#define BPF_MAX_ARGS 5 /* maximum number of arguments, in registers R1 to R5 */
#define CALL_KEEPS_ARGS -1
/*
 * Returns how many arguments (0 to 5) the helper or kfunc that the instruction calls takes. Returns
 * CALL_KEEPS_ARGS if it neither reads nor writes argument registers.
 */
typedef int (*call_args_fn)(void *ctx, const struct bpf_insn *call);
/*
 * Returns an array with an element for each function in funcs: the highest argument register (1 to
 * 5) whose value at the function's entry is read, by the function or by a function that it calls. 0:
 * none is read. Reads after an indirect jump do not count. call_args NULL: helpers and kfuncs read
 * nothing. The caller frees the array.
 */
__u8 *insns__find_arg_reads(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			    call_args_fn call_args, void *ctx);

#endif
