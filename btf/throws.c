// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for calls of bpf_throw() in a program's translated instructions. Must not know
 * what the result is used for.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/throws.h"

bool insn__calls_kfunc(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL;
}

bool insns__call_kfunc(const struct bpf_insn *insns, __u32 cnt)
{
	for (__u32 i = 0; i < cnt; i++)
		if (insn__calls_kfunc(&insns[i]))
			return true;
	return false;
}

/* imm is 0 if the kernel withholds addresses (bpf_insn_prepare_dump()). */
static bool is_throw(const struct bpf_insn *insn, const struct throw_call *call)
{
	if (call->kind == THROW_CALL_NONE || !insn__calls_kfunc(insn))
		return false;
	return call->kind == THROW_CALL_KFUNC || !insn->imm || insn->imm == call->imm;
}

/* Marks the functions that call a marked function. Returns true if it has marked a function. */
static bool mark_callers(const __u8 *calls, __u32 cnt, bool *throws)
{
	bool any = false;

	for (__u32 f = 0; f < cnt; f++)
		for (__u32 g = 0; g < cnt && !throws[f]; g++)
			if (throws[g] && calls[(size_t)f * cnt + g])
				any = throws[f] = true;
	return any;
}

int insns__find_throws(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		       const struct throw_call *call, bool **throws)
{
	bool *marks = xcalloc(funcs->cnt, sizeof(*marks));
	__u8 *calls = NULL;
	bool any = false;
	int err = 0, callee;

	*throws = NULL;
	for (__u32 f = 0; f < funcs->cnt; f++)
		for (__u32 i = funcs->fn[f].insn_off; i < func_table__end(funcs, f, cnt); i++)
			any |= marks[f] |= is_throw(&insns[i], call);
	if (!any)
		goto out;
	err = insns__call_graph(insns, cnt, funcs, &calls);
	if (err)
		goto out;
	/* A callee that is unknown may throw. */
	for (__u32 f = 0; f < funcs->cnt; f++)
		for (__u32 i = funcs->fn[f].insn_off; i < func_table__end(funcs, f, cnt); i++)
			marks[f] |= insns__find_callee(insns, i, funcs, &callee) && callee < 0;
	while (mark_callers(calls, funcs->cnt, marks))
		;
	*throws = marks;
	marks = NULL;
out:
	free(calls);
	free(marks);
	return err;
}
