/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which functions of a loaded program get to a tail call.
 */
#ifndef BPROF_TAIL_CALLS_H
#define BPROF_TAIL_CALLS_H

#include <stdbool.h>
#include <linux/bpf.h>

struct bpf_fn;
struct func_table;
struct prog;

/* Zero is "no", which is also what holds until somebody has looked. */
enum tail_calls {
	TAIL_CALLS_NO,
	TAIL_CALLS_YES,
	TAIL_CALLS_MAYBE, /* the program uses maps, and its instructions are withheld */
};

/*
 * Does the function with that index make a tail call, itself or in what it calls? insns are the
 * program's translated instructions as the kernel gives them out. Without funcs: does any of them?
 * Where a callee cannot be told, the answer is yes. -ENOMEM.
 */
int insns__reach_tail_call(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			   __u32 func, bool *reach);

/*
 * The same for a function of a loaded program; fn NULL: for the program as a whole, whose functions
 * need not be loaded.
 */
enum tail_calls prog__tail_calls(struct prog *p, const struct bpf_fn *fn);

#endif
