/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that bprof must not probe, because this kernel would crash or hang.
 */
#ifndef BPROF_RISKS_H
#define BPROF_RISKS_H

#include <stdbool.h>

#include "btf/reason.h"
#include "btf/throws.h"
#include "kernel/kernel_bugs.h"
#include "target/call_args.h"

struct bpf_fn;
struct prog;

/*
 * What is known of this kernel's bugs. The functions below test for a bug when the first target
 * needs the result.
 */
struct risks {
	bool tail_calls_tried;
	enum kernel_bug_state tail_calls;
	/* why the test for tail calls was impossible; else REASON_NONE */
	struct reason no_tail_test;
	bool throw_tried;
	struct throw_call throw; /* how programs call bpf_throw() */
	struct call_args calls;
};

/* Returns 0, or -EOPNOTSUPP with *reason if probes on subprograms with tail calls are dangerous. */
int risks__check_tail_calls(struct risks *r, struct reason *reason);

/* The dangers of probing the functions of a program. */
struct func_risks {
	/* for each function of the program, whether bpf_throw() may end its runs; NULL: for none */
	bool *thrown;
	/* the program's code cannot be read, so bpf_throw() may end the runs of any function */
	bool unknown;
	/* the called kfuncs are not known: thrown is set for all functions that call any kfunc */
	bool guessed;
	__u8 *args; /* for each function, see insns__find_arg_reads(); NULL: not known */
};

/*
 * Finds the dangerous functions of a program. Its functions must be loaded. The caller frees *out
 * with func_risks__free().
 */
void risks__find_funcs(struct risks *r, const struct prog *p, struct func_risks *out);
/*
 * Returns 0, or -EOPNOTSUPP with *reason if a probe on the function would crash the kernel. When a
 * function throws, the kernel walks the stack to the program's entry function, which then returns
 * the thrown value. If the trampoline of a probe comes first, the walk stops there, and the kernel
 * uses NULL in place of the entry function. So only the entry function, and functions that always
 * return, can be probed.
 */
int func_risks__check_throw(const struct func_risks *r, const struct prog *p,
			    const struct bpf_fn *fn, struct reason *reason);
void func_risks__free(struct func_risks *r);

#endif
