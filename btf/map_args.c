// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the tracking of map addresses through registers, and the patterns of instructions by which
 * the verifier replaces calls of helpers. Must not know the names of maps. Reports only what is
 * certain: does not recognise code that a program could have written itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/memory.h"
#include "base/util.h"
#include "btf/call_graph.h"
#include "btf/map_args.h"

#define IMM64 (BPF_LD | BPF_IMM | BPF_DW)
#define MOV64_X (BPF_ALU64 | BPF_MOV | BPF_X)
#define CALL (BPF_JMP | BPF_CALL)
/* The offset of a move whose result is this CPU's address. Only the verifier writes such a move. */
#define PER_CPU_OFF (-1)
/*
 * The maximum number of instructions to search backwards: without a limit, the search in a hostile
 * program could take forever.
 */
#define MAX_BACK 4096

/* "gotox": jumps to an address in a register (Linux 6.19). */
static bool is_indirect(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JA | BPF_X);
}

void insn_flow__find(struct insn_flow *flow, const struct bpf_insn *insns, __u32 cnt)
{
	bool everywhere = false;

	*flow = (struct insn_flow){insns, cnt, xcalloc(cnt + 1, sizeof(bool))};
	for (__u32 i = 0; i < cnt; i++) {
		const struct bpf_insn *insn = &insns[i];
		bool far = insn->code == (BPF_JMP32 | BPF_JA);
		__s64 to = (__s64)i + 1 + (far ? insn->imm : insn->off);

		everywhere |= is_indirect(insn);
		if (insn__is_jump(insn) && to >= 0 && to < cnt)
			flow->is_target[to] = true;
		if (insn->code == IMM64)
			i++;
	}
	for (__u32 i = 0; everywhere && i < cnt; i++)
		flow->is_target[i] = true;
}

void insn_flow__free(struct insn_flow *flow)
{
	free(flow->is_target);
	*flow = (struct insn_flow){};
}

/* Returns true if the instruction never goes on to the next one: an exit, or an unconditional jump. */
static bool ends_line(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_EXIT) || insn->code == (BPF_JMP | BPF_JA) ||
	       insn->code == (BPF_JMP32 | BPF_JA) || is_indirect(insn);
}

static bool writes(const struct bpf_insn *insn, __u8 reg)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
	case BPF_LD:
	case BPF_LDX:
		/* The old loads of packet data (BPF_ABS, BPF_IND) also clobber r0 to r5. */
		return insn->dst_reg == reg ||
		       (BPF_CLASS(insn->code) == BPF_LD && reg <= BPF_REG_5);
	case BPF_STX:
		/* Atomic operations may write the old value into r0 or into their source register. */
		return BPF_MODE(insn->code) != BPF_MEM &&
		       (insn->src_reg == reg || insn->dst_reg == reg || reg == BPF_REG_0);
	case BPF_JMP:
		return insn->code == CALL && reg <= BPF_REG_5;
	}
	return false;
}

__u32 insn_flow__map_in(const struct insn_flow *flow, __u32 first, __u32 i, __u8 reg)
{
	__u32 end = i - first > MAX_BACK ? i - MAX_BACK : first;

	while (i > end && !flow->is_target[i]) {
		const struct bpf_insn *insn = &flow->insns[--i];

		/* the second half of a load of 64 bits */
		if (!insn->code && i > first && insn[-1].code == IMM64)
			insn = &flow->insns[--i];
		if (ends_line(insn))
			return 0;
		if (insn->code == IMM64 && insn->dst_reg != reg)
			continue;
		if (!writes(insn, reg))
			continue;
		if (insn->code == IMM64)
			return insn->src_reg == BPF_PSEUDO_MAP_FD ? insn->imm : 0;
		if (insn->code != MOV64_X || insn->off)
			return 0;
		reg = insn->src_reg;
	}
	return 0;
}

/* Returns true if the cnt instructions from index i - before on are equal to those of like. */
static bool insns_match(const struct insn_flow *flow, __u32 first, __u32 i, __u32 before,
			const struct bpf_insn *like, __u32 cnt)
{
	if (i < first + before || i - before + cnt > flow->cnt)
		return false;
	for (__u32 k = 0; k < cnt; k++)
		if (memcmp(&flow->insns[i - before + k], &like[k], sizeof(*like)))
			return false;
	return true;
}

/*
 * Returns the name of the helper that the verifier replaced at instruction i by the load of a per-CPU
 * variable of the kernel (x86-64; bpf_do_misc_fixups() in kernel/bpf/verifier.c), or NULL.
 */
static const char *find_per_cpu(const struct insn_flow *flow, __u32 first, __u32 i)
{
	struct bpf_insn like[] = {
		{.code = MOV64_X, .off = PER_CPU_OFF},
		{.code = BPF_LDX | BPF_MEM | BPF_W},
	};
	__u8 before = i > first ? flow->insns[i - 1].code : 0;

	if (before != (BPF_ALU64 | BPF_MOV | BPF_K) && before != (BPF_ALU | BPF_MOV | BPF_K))
		return NULL;
	if (insns_match(flow, first, i, 0, like, ARRAY_SIZE(like)))
		return "bpf_get_smp_processor_id";
	like[1].code = BPF_LDX | BPF_MEM | BPF_DW;
	return insns_match(flow, first, i, 0, like, ARRAY_SIZE(like)) ? "bpf_get_current_task"
								      : NULL;
}

/*
 * Returns "bpf_loop" if instruction i calls the callback in the loop by which inline_bpf_loop()
 * (kernel/bpf/verifier.c) replaces bpf_loop().
 */
static const char *find_loop(const struct insn_flow *flow, __u32 first, __u32 i)
{
	const struct bpf_insn head[] = {
		{.code = BPF_JMP | BPF_JGE | BPF_X, .dst_reg = 7, .src_reg = 6, .off = 5},
		{.code = MOV64_X, .dst_reg = 1, .src_reg = 7},
		{.code = MOV64_X, .dst_reg = 2, .src_reg = 8},
	};
	const struct bpf_insn tail[] = {
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 7, .imm = 1},
		{.code = BPF_JMP | BPF_JEQ | BPF_K, .off = -6},
		{.code = MOV64_X, .src_reg = 7},
	};

	return insns_match(flow, first, i, 3, head, ARRAY_SIZE(head)) && i + 1 < flow->cnt &&
			       insns_match(flow, first, i + 1, 0, tail, ARRAY_SIZE(tail))
		       ? "bpf_loop"
		       : NULL;
}

const char *insn_flow__inlined(const struct insn_flow *flow, __u32 first, __u32 i, __u32 *map)
{
	const struct bpf_insn *insn = &flow->insns[i];

	*map = 0;
	/*
	 * The kernel does not allow programs to add to the address of a map, so the verifier added
	 * this instruction: it replaced a lookup in some kind of array.
	 */
	if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K) && insn->dst_reg == BPF_REG_1) {
		*map = insn_flow__map_in(flow, first, i, BPF_REG_1);
		return *map ? "bpf_map_lookup_elem" : NULL;
	}
	if (insn->code == MOV64_X && insn->off == PER_CPU_OFF)
		return find_per_cpu(flow, first, i);
	if (insn->code == CALL && insn->src_reg == BPF_PSEUDO_CALL)
		return find_loop(flow, first, i);
	return NULL;
}

/*
 * A helper's function in the kernel is declared with five numbers as its parameters. The real types are in
 * the typedef btf_HELPER that BPF_CALL_x() (linux/filter.h) makes. Functions of maps, such as
 * array_map_lookup_elem(), have no such typedef, and are declared with the real types.
 */
int map_args__param(const struct btf *vmlinux, const char *func)
{
	const struct btf_type *t, *map;
	char type[128];
	__s32 id;

	snprintf(type, sizeof(type), "btf_%s", func);
	id = btf__find_by_name_kind(vmlinux, type, BTF_KIND_TYPEDEF);
	if (id < 0)
		id = btf__find_by_name_kind(vmlinux, func, BTF_KIND_FUNC);
	t = id > 0 ? btf__type_by_id(vmlinux, id) : NULL;
	while (t && (btf_is_typedef(t) || btf_is_ptr(t) || btf_is_func(t)))
		t = btf__type_by_id(vmlinux, t->type);
	/* Find the parameter with the type "struct bpf_map *". */
	for (int i = 0; t && btf_is_func_proto(t) && i < btf_vlen(t); i++) {
		map = btf__type_by_id(vmlinux, btf_params(t)[i].type);
		if (!map || !btf_is_ptr(map))
			continue;
		map = btf__type_by_id(vmlinux, map->type);
		if (map && btf_is_struct(map) &&
		    !strcmp(btf__name_by_offset(vmlinux, map->name_off), "bpf_map"))
			return i + 1;
	}
	return 0;
}

/*
 * If the JIT inlines a helper (bpf_jit_inlines_helper_call()), the verifier keeps the helper's number
 * in the call. In other calls, imm is the distance of the helper's function from __bpf_call_base. No
 * function is near enough for its distance to look like a helper's number.
 */
const char *insn__inlined_helper(const struct bpf_insn *call)
{
#define HELPER_NAME(name) "bpf_" #name
	static const char *const names[] = {__BPF_FUNC_MAPPER(HELPER_NAME)};
#undef HELPER_NAME
	__u32 id = call->imm;

	return !call->src_reg && id && id < ARRAY_SIZE(names) ? names[id] : NULL;
}
