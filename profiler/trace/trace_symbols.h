/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of the code that stacks show: functions of the kernel and of loaded BPF programs,
 * including programs that the kernel hides from /proc/kallsyms (net.core.bpf_jit_harden,
 * bpf_jit_kallsyms).
 */
#ifndef BPROF_TRACE_SYMBOLS_H
#define BPROF_TRACE_SYMBOLS_H

#include <linux/types.h>

struct trace_symbols;

/*
 * Reads the symbols. Sets *ksyms_err to the result of ksyms__read(), which says why the kernel's
 * functions have no names. The caller calls trace_symbols__close().
 */
struct trace_symbols *trace_symbols__open(int *ksyms_err);
void trace_symbols__close(struct trace_symbols *s); /* NULL is allowed */

/* The function in which an address lies. */
struct code_place {
	/* valid until the next call; NULL: the address lies in no known function */
	const char *name;
	__u64 offset;  /* offset of the address in the function */
	__u32 prog_id; /* the BPF program to which the function belongs; 0: none */
};

/*
 * Finds the function that contains the address. Reads the symbols again if the address may be in new
 * code, but spends at most 4 % of the time on it. s may be NULL: there are no names.
 */
struct code_place trace_symbols__find(struct trace_symbols *s, __u64 address);

#endif
