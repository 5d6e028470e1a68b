/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells which functions of a loaded program make tail calls, directly or in what they call.
 */
#ifndef BPROF_TAIL_CALLS_H
#define BPROF_TAIL_CALLS_H

#include <stdbool.h>
#include <linux/bpf.h>

struct bpf_fn;
struct func_table;
struct prog;

/* Zero is "no" and also means that it has not been checked. */
enum tail_calls {
	TAIL_CALLS_NO,
	TAIL_CALLS_YES,
	TAIL_CALLS_MAYBE, /* unknown: the program uses maps, and its instructions are withheld */
};

/*
 * Finds out whether the function with that index makes a tail call, itself or in what it calls.
 * insns: the program's translated instructions as the kernel dumps them. Without funcs: whether any
 * function does. If a callee is unknown, the answer is yes. Returns 0 or -ENOMEM.
 */
int insns__reach_tail_call(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			   __u32 func, bool *reach);

/*
 * The same for a function of a loaded program. fn NULL: for the whole program, whose functions need
 * not be loaded.
 */
enum tail_calls prog__tail_calls(struct prog *p, const struct bpf_fn *fn);

#endif
