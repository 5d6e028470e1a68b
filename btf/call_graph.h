/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The call graph of a loaded program's functions, from its translated instructions.
 */
#ifndef BPROF_CALL_GRAPH_H
#define BPROF_CALL_GRAPH_H

#include <stdbool.h>
#include <linux/bpf.h>

struct func_table;
struct prog;

/*
 * Reads the translated instructions as the kernel dumps them; the caller frees *insns. Returns 0;
 * -EACCES: the kernel withholds them (bpf_prog_get_info_by_fd() clears the pointer if constants are
 * blinded and the caller may not see addresses); -E2BIG: the kernel has no memory to copy them, as it
 * allocates at most 4 MiB at once (524,288 instructions).
 */
int prog__read_insns(const struct prog *p, struct bpf_insn **insns, __u32 *cnt);

/* Returns true for jumps within a function. */
bool insn__is_jump(const struct bpf_insn *insn);

/* Returns the index after the last instruction of a function. */
__u32 func_table__end(const struct func_table *funcs, __u32 func, __u32 insn_cnt);

/*
 * Returns true if instruction i may call the function that begins at instruction start, or may pass
 * that function to a helper as a callback. If the result is true for only one function of the
 * program, this function is the callee.
 */
bool insn__may_enter(const struct bpf_insn *insn, __u32 i, __u32 start);

/*
 * Returns true if instruction i calls a function of the program, or passes it to a helper as a
 * callback. *callee: the index of the callee. It is -1 if the callee is unknown, because several
 * functions, 65,536 instructions apart, are possible.
 */
bool insns__find_callee(const struct bpf_insn *insns, __u32 i, const struct func_table *funcs,
			int *callee);

/*
 * The time at which a called function, or a callback that is passed to the kernel, runs. Both bits
 * set: the time is not known, or differs from call to call.
 */
#define CALL_NOW 1   /* before its caller returns */
#define CALL_LATER 2 /* independently of its caller: from a timer, a workqueue, a task work */

/*
 * Builds the call graph: (*calls)[f * funcs->cnt + g] has the bits CALL_… of the calls of function g
 * by function f; 0: f does not call g. Leaves out calls whose callee is unknown. The caller frees
 * *calls. Returns 0, or -E2BIG if there are too many functions.
 */
int insns__call_graph(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		      __u8 **calls);
/*
 * Sets p->calls, unless it is set, to the call graph of a program whose functions are loaded.
 * Returns the same values as insns__call_graph(), or -EACCES or -E2BIG: see prog__read_insns().
 */
int prog__load_calls(struct prog *p);
/*
 * Returns the bits CALL_… of the calls of one function of the program by another. If the kernel
 * withholds the program's instructions, or if its call graph is not loaded, assumes that the entry
 * function calls all others.
 */
__u8 prog__when_calls(const struct prog *p, __u32 caller, __u32 callee);

#endif
