/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells which functions of a loaded program make tail calls, directly or in functions that they
 * call.
 */
#ifndef BPROF_TAIL_CALLS_H
#define BPROF_TAIL_CALLS_H

#include <stdbool.h>
#include <linux/bpf.h>

struct bpf_fn;
struct func_table;
struct prog;

/* TAIL_CALLS_NO is 0, so it also stands for a program that has not been checked. */
enum tail_calls {
	TAIL_CALLS_NO,
	TAIL_CALLS_YES,
	TAIL_CALLS_MAYBE, /* not known, because the program's instructions cannot be read */
};

/*
 * Returns whether the function with that index makes a tail call, directly or in functions
 * that it calls. insns: the program's translated instructions as the kernel dumps them. funcs NULL:
 * checks all functions. If a callee is unknown, returns true.
 */
bool insns__reach_tail_call(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			    __u32 func);

/*
 * Like insns__reach_tail_call(), but reads the instructions from a loaded program. fn NULL: checks
 * the whole program, whose functions need not be loaded.
 */
enum tail_calls prog__tail_calls(struct prog *p, const struct bpf_fn *fn);

#endif
