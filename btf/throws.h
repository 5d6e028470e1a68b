/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells which functions of a loaded program may never return, because a BPF exception (a call of the
 * kfunc bpf_throw(), Linux 6.7) unwinds through them.
 */
#ifndef BPROF_THROWS_H
#define BPROF_THROWS_H

#include <stdbool.h>
#include <linux/bpf.h>

struct func_table;

/* Which translated instructions call bpf_throw(). */
struct throw_call {
	enum {
		THROW_CALL_NONE,  /* no call: this kernel or architecture has no bpf_throw() */
		THROW_CALL_IMM,	  /* calls of a kfunc with this imm */
		THROW_CALL_KFUNC, /* any call of a kfunc may be one, because imm is not known */
	} kind;
	__s32 imm;
};

/* Returns true if instruction insn calls a kfunc. */
bool insn__calls_kfunc(const struct bpf_insn *insn);
/* Returns true if any of the instructions calls a kfunc. */
bool insns__call_kfunc(const struct bpf_insn *insns, __u32 cnt);

/*
 * Finds the functions that call bpf_throw(), directly or in functions that they call or pass to a
 * helper as a callback: (*throws)[f] is true for function f of the table. If the callee of an
 * instruction is unknown, it may throw. *throws is NULL if no function throws. The caller frees
 * *throws. Returns 0, or -E2BIG (see insns__call_graph()).
 */
int insns__find_throws(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		       const struct throw_call *call, bool **throws);

#endif
