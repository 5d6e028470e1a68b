/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which functions of a loaded program call which: read from its translated instructions.
 */
#ifndef BPROF_CALL_GRAPH_H
#define BPROF_CALL_GRAPH_H

#include <stdbool.h>
#include <linux/bpf.h>

struct func_table;
struct prog;

/*
 * The translated instructions as the kernel gives them out; the caller frees *insns. -EACCES:
 * withheld (bpf_prog_get_info_by_fd() clears the pointer where constants are blinded and the caller
 * may not see addresses). -ENOMEM.
 */
int prog__read_insns(const struct prog *p, struct bpf_insn **insns, __u32 *cnt);

/* The index after the last instruction of a function. */
__u32 func_table__end(const struct func_table *funcs, __u32 func, __u32 insn_cnt);

/*
 * Does instruction i call a function of the program, or hand it to a helper as a callback? *callee:
 * its index, or -1 where it cannot be told.
 */
bool insns__find_callee(const struct bpf_insn *insns, __u32 i, const struct func_table *funcs,
			int *callee);

/*
 * The call graph: (*calls)[f * funcs->cnt + g] is true where function f calls g. The caller frees
 * it. 0, -E2BIG, -ENOMEM.
 */
int insns__call_graph(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		      bool **calls);
/* That of a program whose functions are loaded. -EACCES too: see prog__read_insns(). */
int prog__call_graph(const struct prog *p, bool **calls);

#endif
