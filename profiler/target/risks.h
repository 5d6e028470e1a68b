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

struct bpf_fn;
struct prog;

/* What is known of this kernel's bugs. Each is looked for when the first target needs it. */
struct risks {
	bool tail_calls_tried;
	enum kernel_bug_state tail_calls;
	struct reason no_tail_test; /* why it is not known; else REASON_NONE */
	bool throw_tried;
	struct throw_call throw; /* how programs call bpf_throw() */
};

/* Returns 0, or -EOPNOTSUPP with *reason: a probe on a subprogram with tail calls is dangerous. */
int risks__check_tail_calls(struct risks *r, struct reason *reason);

/* The functions of a program that bpf_throw() may leave. */
struct thrown {
	bool *funcs;  /* for each function of the table; NULL: none */
	bool unknown; /* the program's code cannot be read, so that each function may be left */
	bool guessed; /* it is not known which kfuncs are called: funcs has all that call any */
};

/*
 * Finds the functions that bpf_throw() may leave in a program whose functions are loaded. The
 * caller frees out->funcs. Returns 0 or -ENOMEM.
 */
int risks__find_thrown(struct risks *r, const struct prog *p, struct thrown *out);
/*
 * Returns 0, or -EOPNOTSUPP with *reason if a probe on the function would crash the kernel. When a
 * function throws, the kernel looks on the stack for the program's entry function, which ends with
 * the value thrown. It stops at the trampoline of a probe below, and then uses the NULL that it has
 * found instead. So the entry function can be probed, and functions that always return.
 */
int thrown__check(const struct thrown *t, const struct prog *p, const struct bpf_fn *fn,
		  struct reason *reason);

#endif
