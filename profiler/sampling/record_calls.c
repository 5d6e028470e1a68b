// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds for each call in a program's machine code the call in the BPF code that it belongs to, and
 * so its map. Must not know samples.
 *
 * The kernel does not say where the machine code of an instruction is. But the JIT keeps the order
 * of calls: if the calls of a function have the same names in the same order in both kinds of code,
 * they belong together. Otherwise, the calls in machine code have no map.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/call_graph.h"
#include "btf/jited_calls.h"
#include "btf/map_args.h"
#include "btf/prog.h"
#include "sampling/kernel_names.h"
#include "sampling/record_calls.h"

/* The data for naming the calls of one program. */
struct call_namer {
	struct record_prog *rp;
	struct kernel_names *names;
	const __u64 *addr;
	struct insn_flow flow;
	/* for each element of rp->bpf_call: the machine code has a call instruction for it */
	bool *is_call;
	int is_call_cnt;
};

/* ---- maps ---- */

static void add_used_map(struct record_prog *rp, __u32 id)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct record_map *map;
	const char *type;
	char number[16];
	int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len)) {
		type = libbpf_bpf_map_type_str(info.type);
		snprintf(number, sizeof(number), "type_%u", info.type);
		map = record_prog__add_map(rp);
		*map = (struct record_map){id, xstrndup(info.name, sizeof(info.name)),
					   xstrdup(type ?: number)};
	}
	close_fd(&fd);
}

/* ---- calls in BPF code ---- */

const char *record_prog__find_callee(const struct record_prog *p, const struct bpf_insn *insn,
				     __u32 i)
{
	const char *name = NULL;

	for (int f = 0; f < p->func_cnt; f++) {
		if (!p->func[f].insn_cnt || !insn__may_enter(insn, i, p->func[f].insn_off))
			continue;
		if (name) /* not certain: the instruction may call either of two functions */
			return NULL;
		name = p->func[f].name;
	}
	return name;
}

static void add_bpf_call(struct call_namer *c, __u32 at, const char *callee, const char *inlined,
			 __u32 map, bool is_call)
{
	*record_prog__add_bpf_call(c->rp) =
		(struct record_call){at, text__dup(callee), text__dup(inlined), map};
	*(bool *)array__add(&c->is_call, &c->is_call_cnt, sizeof(bool)) = is_call;
}

/* Adds a call of a helper, of a kfunc, or of a function of a map. */
static void add_kernel_call(struct call_namer *c, __u32 first, __u32 i)
{
	const struct bpf_insn *insn = &c->flow.insns[i];
	const char *callee = kernel_names__called(c->names, insn);
	const char *inlined = callee ? NULL : insn__inlined_helper(insn);
	int param = callee ? kernel_names__map_param(c->names, callee) : 0;

	add_bpf_call(c, i, callee, inlined,
		     param ? insn_flow__map_in(&c->flow, first, i, param) : 0, !inlined);
}

static void name_bpf_insn(struct call_namer *c, __u32 first, __u32 i)
{
	const struct bpf_insn *insn = &c->flow.insns[i];
	bool is_call = insn->code == (BPF_JMP | BPF_CALL);
	__u32 map;
	const char *inlined = insn_flow__inlined(&c->flow, first, i, &map);

	if (is_call && !insn->src_reg && insn->imm == BPF_FUNC_tail_call)
		add_bpf_call(c, i, "bpf_tail_call", NULL, insn_flow__map_in(&c->flow, first, i, 2),
			     false);
	else if (is_call && insn->src_reg == BPF_PSEUDO_CALL)
		add_bpf_call(c, i, record_prog__find_callee(c->rp, insn, i), inlined, 0, true);
	else if (is_call)
		add_kernel_call(c, first, i);
	else if (inlined)
		add_bpf_call(c, i, NULL, inlined, map, false);
}

/* ---- calls in machine code ---- */

static const char *name_target(const struct call_namer *c, __u64 target)
{
	for (int i = 0; i < c->rp->func_cnt; i++)
		if (c->addr[i] == target)
			return c->rp->func[i].name;
	return kernel_names__at(c->names, target);
}

/* Adds the calls of functions with names. Trampolines of tracing programs have no names. */
static void name_code(struct call_namer *c, int func)
{
	const struct record_func *f = &c->rp->func[func];
	const __u8 *code = c->rp->code + f->code_off;

	for (__u32 off = 0; off < f->code_len; off++) {
		const char *callee;
		__u64 target;

		if (!jited__find_call(code, f->code_len, c->addr[func], off, &target))
			continue;
		callee = name_target(c, target);
		if (callee)
			*record_prog__add_code_call(c->rp) =
				(struct record_call){f->code_off + off, xstrdup(callee)};
	}
}

/* ---- which calls belong together ---- */

/* Returns the index of the next call from i on, or rp->bpf_call_cnt if there is none. */
static int next_call(const struct call_namer *c, int i)
{
	while (i < c->rp->bpf_call_cnt && !c->is_call[i])
		i++;
	return i;
}

static bool belong_together(const struct call_namer *c, int bpf, int code)
{
	const struct record_prog *rp = c->rp;

	for (bpf = next_call(c, bpf); bpf < rp->bpf_call_cnt && code < rp->code_call_cnt;
	     bpf = next_call(c, bpf + 1), code++)
		if (rp->bpf_call[bpf].callee &&
		    strcmp(rp->bpf_call[bpf].callee, rp->code_call[code].callee))
			return false;
	return bpf == rp->bpf_call_cnt && code == rp->code_call_cnt;
}

/*
 * Gives calls in machine code the maps of the calls in BPF code, and gives calls in BPF code the
 * names that only the machine code's calls have.
 */
static void link_calls(struct call_namer *c, int bpf, int code)
{
	struct record_prog *rp = c->rp;

	if (!belong_together(c, bpf, code))
		return;
	for (; code < rp->code_call_cnt; code++, bpf++) {
		bpf = next_call(c, bpf);
		rp->code_call[code].map = rp->bpf_call[bpf].map;
		if (!rp->bpf_call[bpf].callee)
			rp->bpf_call[bpf].callee = xstrdup(rp->code_call[code].callee);
	}
}

static void name_func(struct call_namer *c, int func)
{
	int bpf = c->rp->bpf_call_cnt, code = c->rp->code_call_cnt;
	const struct record_func *f = &c->rp->func[func];

	for (__u32 i = f->insn_off; c->flow.insns && i < f->insn_off + f->insn_cnt; i++) {
		name_bpf_insn(c, f->insn_off, i);
		/* The second half of a 64-bit load is no instruction of its own. */
		i += c->flow.insns[i].code == (BPF_LD | BPF_IMM | BPF_DW);
	}
	name_code(c, func);
	link_calls(c, bpf, code);
}

void record_prog__name_calls(struct record_prog *rp, struct prog *p, const __u64 *addr,
			     struct kernel_names *names)
{
	struct call_namer c = {.rp = rp, .names = names, .addr = addr};
	__u32 *ids, cnt;

	if (!prog__map_ids(p, &ids, &cnt)) {
		for (__u32 i = 0; i < cnt; i++)
			add_used_map(rp, ids[i]);
		free(ids);
	}
	if (rp->insns)
		insn_flow__find(&c.flow, (struct bpf_insn *)rp->insns,
				rp->insns_sz / sizeof(struct bpf_insn));
	for (int i = 0; i < rp->func_cnt; i++)
		name_func(&c, i);
	insn_flow__free(&c.flow);
	free(c.is_call);
}
