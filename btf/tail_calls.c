// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for tail calls in a program's translated instructions. Must not know what the
 * result is used for.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "btf/tail_calls.h"

/*
 * bpf_insn_prepare_dump() (kernel/bpf/syscall.c) turns the verifier's BPF_TAIL_CALL back into a
 * call of the helper, with the helper's number even if addresses are withheld. In calls of other
 * helpers, imm is the helper's address relative to __bpf_call_base, or 0 if addresses are withheld.
 */
static bool is_tail_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg &&
	       insn->imm == BPF_FUNC_tail_call;
}

/*
 * Checks one function, and adds the functions that it calls to *pending. Returns true if the
 * function makes a tail call, or a call whose callee is unknown.
 */
static bool visit_func(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		       __u32 func, bool *seen, __u32 *pending, __u32 *pending_cnt)
{
	__u32 end = func_table__end(funcs, func, cnt);

	for (__u32 i = funcs->fn[func].insn_off; i < end; i++) {
		int callee;

		if (is_tail_call(&insns[i]))
			return true;
		if (!insns__find_callee(insns, i, funcs, &callee))
			continue;
		if (callee < 0)
			return true;
		if (!seen[callee])
			pending[(*pending_cnt)++] = callee;
		seen[callee] = true;
	}
	return false;
}

bool insns__reach_tail_call(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			    __u32 func)
{
	__u32 *pending, pending_cnt = 0, any = 0;
	bool *seen, reach = false;

	while (any < cnt && !is_tail_call(&insns[any]))
		any++;
	if (any == cnt || !funcs || func >= funcs->cnt)
		return any < cnt;
	pending = xcalloc(funcs->cnt, sizeof(*pending));
	seen = xcalloc(funcs->cnt, sizeof(*seen));
	seen[func] = true;
	pending[pending_cnt++] = func;
	while (pending_cnt && !reach) {
		__u32 next = pending[--pending_cnt];

		reach = visit_func(insns, cnt, funcs, next, seen, pending, &pending_cnt);
	}
	free(pending);
	free(seen);
	return reach;
}

enum tail_calls prog__tail_calls(struct prog *p, const struct bpf_fn *fn)
{
	struct bpf_insn *insns = NULL;
	__u32 cnt = 0;
	bool reach;

	/*
	 * A program without maps uses no prog array. It cannot get a prog array from another map,
	 * because prog arrays cannot be inside other maps (bpf_map_meta_alloc() needs
	 * map_meta_equal, which their bpf_map_ops do not have).
	 */
	if (!p->info.nr_map_ids)
		return TAIL_CALLS_NO;
	if (prog__read_insns(p, &insns, &cnt))
		return TAIL_CALLS_MAYBE;
	reach = insns__reach_tail_call(insns, cnt, fn ? p->funcs : NULL,
				       fn ? fn - p->funcs->fn : 0);
	free(insns);
	return reach ? TAIL_CALLS_YES : TAIL_CALLS_NO;
}
