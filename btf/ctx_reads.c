// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the loads from the context. Owns the search (struct ctx_walk), which follows the context's
 * address through the instructions. Must not know what the fields mean.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "btf/ctx_reads.h"

#define STACK_SZ 512
#define ARGS 0x3e   /* r1 to r5 */
#define CALLER 0x3f /* r0 to r5, which a call changes */

/* The places where the address of the context may be before an instruction. */
struct place {
	bool seen;
	__u16 regs;  /* bit i: in register i */
	__u64 slots; /* bit i: in the i-th 8 bytes of the stack */
};

struct ctx_walk {
	const struct bpf_insn *insns;
	__u32 cnt;
	struct place *at; /* indexed by instruction */
	__u32 *todo;	  /* indexes of instructions whose "at" has changed, each at most once */
	__u32 todo_cnt;
	bool *queued;
	__u64 reads;
};

/* Adds the places p, where the context may be after an instruction, to those before instruction "to". */
static void flow_to(struct ctx_walk *w, __s64 to, const struct place *p)
{
	struct place *at;

	if (to < 0 || to >= w->cnt)
		return;
	at = &w->at[to];
	if (at->seen && !(p->regs & ~at->regs) && !(p->slots & ~at->slots))
		return;
	at->seen = true;
	at->regs |= p->regs;
	at->slots |= p->slots;
	if (!w->queued[to]) {
		w->queued[to] = true;
		w->todo[w->todo_cnt++] = to;
	}
}

/* Returns the bit (struct place) of the 8 bytes of stack that an instruction stores or loads, or 0. */
static __u64 slot_of(const struct bpf_insn *insn, __u8 base)
{
	int at = insn->off + STACK_SZ;

	return base == BPF_REG_10 && at >= 0 && at < STACK_SZ ? 1ULL << (at / 8) : 0;
}

static void set_reg(struct place *p, __u8 reg, bool ctx)
{
	p->regs = (p->regs & ~(1 << reg)) | ctx << reg;
}

static void follow_load(struct ctx_walk *w, const struct bpf_insn *insn, struct place *p)
{
	int words = BPF_SIZE(insn->code) == BPF_DW ? 2 : 1;
	bool ctx = p->regs >> insn->src_reg & 1;

	if (BPF_MODE(insn->code) != BPF_MEM && BPF_MODE(insn->code) != 0x80 /* BPF_MEMSX */)
		ctx = false;
	for (int i = insn->off / 4; ctx && i < insn->off / 4 + words; i++)
		if (i >= 0 && i < 64)
			w->reads |= 1ULL << i;
	set_reg(p, insn->dst_reg,
		BPF_SIZE(insn->code) == BPF_DW && p->slots & slot_of(insn, insn->src_reg));
}

/*
 * Adds the places p, where the context may be after the jump or call at index i, to the instructions to which
 * it may lead. Sets *next to false if the next instruction does not run after it.
 */
static void jump(struct ctx_walk *w, __u32 i, struct place *p, bool *next)
{
	const struct bpf_insn *insn = &w->insns[i];
	const struct place callee = {.regs = p->regs & ARGS};
	bool far = BPF_CLASS(insn->code) == BPF_JMP32;

	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		*next = false;
		break;
	case BPF_CALL:
		if (insn->src_reg == BPF_PSEUDO_CALL)
			flow_to(w, (__s64)i + 1 + insn->imm, &callee);
		p->regs &= ~CALLER;
		break;
	case BPF_JA:
		*next = false;
		flow_to(w, (__s64)i + 1 + (far ? insn->imm : insn->off), p);
		break;
	default:
		flow_to(w, (__s64)i + 1 + insn->off, p);
	}
}

static void step(struct ctx_walk *w, __u32 i)
{
	const struct bpf_insn *insn = &w->insns[i];
	struct place p = w->at[i];
	bool next = true, is_copy;
	__u32 len = 1;
	__u64 slot;

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		is_copy = insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !insn->off;
		set_reg(&p, insn->dst_reg, is_copy && p.regs >> insn->src_reg & 1);
		break;
	case BPF_LDX:
		follow_load(w, insn, &p);
		break;
	case BPF_ST:
	case BPF_STX:
		slot = slot_of(insn, insn->dst_reg);
		p.slots &= ~slot;
		if (insn->code == (BPF_STX | BPF_MEM | BPF_DW) && p.regs >> insn->src_reg & 1)
			p.slots |= slot;
		break;
	case BPF_LD:
		if (BPF_MODE(insn->code) == BPF_IMM) {
			set_reg(&p, insn->dst_reg, false);
			len = 2;
		} else {
			p.regs &= ~CALLER; /* loads from the packet */
		}
		break;
	default:
		jump(w, i, &p, &next);
	}
	if (next)
		flow_to(w, (__s64)i + len, &p);
}

__u64 insns__find_ctx_reads(const struct bpf_insn *insns, __u32 cnt)
{
	const struct place entry = {.regs = 1 << BPF_REG_1};
	struct ctx_walk w = {.insns = insns, .cnt = cnt};

	w.at = xcalloc(cnt + 1, sizeof(*w.at));
	w.todo = xcalloc(cnt + 1, sizeof(*w.todo));
	w.queued = xcalloc(cnt + 1, sizeof(*w.queued));
	flow_to(&w, 0, &entry);
	while (w.todo_cnt) {
		__u32 i = w.todo[--w.todo_cnt];

		w.queued[i] = false;
		step(&w, i);
	}
	free(w.at);
	free(w.todo);
	free(w.queued);
	return w.reads;
}
