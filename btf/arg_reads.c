// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search of translated instructions for argument registers that functions read. Must not
 * know what the result is used for.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "btf/arg_reads.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"

#define REG(r) (1u << (r))
#define ARGS 0x3eu     /* r1 to r5 */
#define LOAD_ACQ 0x100 /* BPF_LOAD_ACQ, Linux 6.15 */

/* The search's state. live[i]: the registers whose values before instruction i may still be read, as bits. */
struct walk {
	const struct bpf_insn *insns;
	__u32 cnt;
	const struct func_table *funcs;
	call_args_fn call_args;
	void *ctx;
	__u8 *live;
};

static __u8 live_at(const struct walk *w, __s64 i)
{
	return i >= 0 && i < w->cnt ? w->live[i] : 0;
}

/*
 * Returns the register that is the second operand of an arithmetic instruction or a conditional
 * jump; r0 if the operand is a constant.
 */
static __u32 operand(const struct bpf_insn *insn)
{
	return BPF_SRC(insn->code) == BPF_X ? REG(insn->src_reg) : REG(BPF_REG_0);
}

/*
 * Returns the registers whose values before the call at index i may still be read. A call
 * overwrites r1 to r5, unless call_args() returns CALL_KEEPS_ARGS for it.
 */
static __u32 before_call(const struct walk *w, __u32 i)
{
	const struct bpf_insn *insn = &w->insns[i];
	int callee, args = 0;

	if (insn->src_reg == BPF_PSEUDO_CALL) {
		if (!insns__find_callee(w->insns, i, w->funcs, &callee) || callee < 0)
			return 0;
		return live_at(w, w->funcs->fn[callee].insn_off);
	}
	if (w->call_args)
		args = w->call_args(w->ctx, insn);
	if (args == CALL_KEEPS_ARGS)
		return live_at(w, (__s64)i + 1);
	return REG(args + 1) - REG(BPF_REG_1);
}

/* Returns the registers whose values before the jump, call or exit at index i may still be read. */
static __u32 before_jump(const struct walk *w, __u32 i)
{
	const struct bpf_insn *insn = &w->insns[i];
	bool is_32 = BPF_CLASS(insn->code) == BPF_JMP32;

	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		return 0;
	case BPF_CALL:
		return before_call(w, i);
	case BPF_JA:
		if (BPF_SRC(insn->code) == BPF_X)
			return REG(insn->dst_reg);
		return live_at(w, (__s64)i + 1 + (is_32 ? insn->imm : insn->off));
	default:
		return live_at(w, (__s64)i + 1) | live_at(w, (__s64)i + 1 + insn->off) |
		       REG(insn->dst_reg) | operand(insn);
	}
}

/* Returns the registers whose values before instruction i may still be read. */
static __u8 before(const struct walk *w, __u32 i)
{
	const struct bpf_insn *insn = &w->insns[i];
	__u32 live = live_at(w, (__s64)i + 1), dst = REG(insn->dst_reg), src = REG(insn->src_reg);

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		live = BPF_OP(insn->code) == BPF_MOV ? live & ~dst : live | dst;
		return live | operand(insn);
	case BPF_LDX:
		return (live & ~dst) | src;
	case BPF_LD: /* loads a constant: two instructions */
		return live_at(w, (__s64)i + 2) & ~dst;
	case BPF_ST:
		return live | dst;
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_ATOMIC && insn->imm == LOAD_ACQ)
			return (live & ~dst) | src;
		return live | dst | src;
	default:
		return before_jump(w, i);
	}
}

__u8 *insns__find_arg_reads(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			    call_args_fn call_args, void *ctx)
{
	struct walk w = {insns, cnt, funcs, call_args, ctx};
	__u8 *reads = xcalloc(funcs->cnt, sizeof(*reads));
	bool changed = true;

	w.live = xcalloc(cnt + 1, sizeof(*w.live));
	while (changed) {
		changed = false;
		for (__u32 i = cnt; i-- > 0;) {
			__u8 live = before(&w, i) & ARGS;

			changed |= live != w.live[i];
			w.live[i] = live;
		}
	}
	for (__u32 f = 0; f < funcs->cnt; f++)
		for (int r = BPF_REG_1; r <= BPF_REG_5; r++)
			if (live_at(&w, funcs->fn[f].insn_off) & REG(r))
				reads[f] = r;
	free(w.live);
	return reads;
}
