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

/* What is known of this kernel's bugs. Each is looked for when the first target needs it. */
struct risks {
	bool tail_calls_tried;
	enum kernel_bug_state tail_calls;
	struct reason no_tail_test; /* why it is not known; else REASON_NONE */
	bool throw_tried;
	struct throw_call throw; /* how programs call bpf_throw() */
	struct call_args calls;
};

/* Returns 0, or -EOPNOTSUPP with *reason: a probe on a subprogram with tail calls is dangerous. */
int risks__check_tail_calls(struct risks *r, struct reason *reason);

/* What is dangerous about the functions of a program. */
struct func_risks {
	bool *thrown; /* for each function of the table, whether bpf_throw() may leave it; NULL: none */
	bool unknown; /* the program's code cannot be read, so that each function may be left */
	bool guessed; /* it is not known which kfuncs are called: thrown has all that call any */
	__u8 *args;   /* for each function, see insns__find_arg_reads(); NULL: not known */
};

/*
 * Finds the dangerous functions of a program whose functions are loaded. The caller frees *out with
 * func_risks__free().
 */
void risks__find_funcs(struct risks *r, const struct prog *p, struct func_risks *out);
/*
 * Returns 0, or -EOPNOTSUPP with *reason if a probe on the function would crash the kernel. When a
 * function throws, the kernel looks on the stack for the program's entry function, which ends with
 * the value thrown. It stops at the trampoline of a probe below, and then uses the NULL that it has
 * found instead. So the entry function can be probed, and functions that always return.
 */
int func_risks__check_throw(const struct func_risks *r, const struct prog *p,
			    const struct bpf_fn *fn, struct reason *reason);
void func_risks__free(struct func_risks *r);

#endif
