// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the name of the kernel function that an instruction calls, in translated instructions, and
 * the function's type in the kernel's BTF. Must not know what the result is used for.
 */
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "btf/arg_reads.h"
#include "btf/btf_scan.h"
#include "host/ksyms.h"
#include "target/call_args.h"

#define UNKNOWN 1
/*
 * bpf_tail_call() takes three arguments. Also in translated instructions, its imm is
 * BPF_FUNC_tail_call (bpf_insn_prepare_dump()): the kernel does not replace it by an address,
 * because it is no call.
 */
#define TAIL_CALL_ARGS 3

/* Returns the number of parameters of a function, or of a function type; -1: id is neither. */
static int count_params(const struct btf *btf, __s32 id)
{
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	while (t && (btf_is_typedef(t) || btf_is_ptr(t) || btf_is_func(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_func_proto(t) ? btf_vlen(t) : -1;
}

/*
 * All helpers are functions of five parameters. The parameters that they use are in the type to
 * which BPF_CALL_x() casts them (linux/filter.h). Kfuncs, and functions of maps with which the
 * verifier replaces helpers, have no such type.
 */
static int count_by_name(const struct btf *btf, const char *name)
{
	char type[128];
	int cnt;

	/* bpf_trace_printk() requires only a format and its size; values may follow. */
	if (!strcmp(name, "bpf_trace_printk"))
		return 2;
	snprintf(type, sizeof(type), "btf_%s", name);
	cnt = count_params(btf, btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF));
	return cnt >= 0 ? cnt : count_params(btf, btf__find_by_name_kind(btf, name, BTF_KIND_FUNC));
}

static int find_count(const struct call_args *c, const struct bpf_insn *call)
{
	struct ksym_place place = ksyms__find(c->ksyms, c->base + call->imm);
	int cnt = -1, by_id = -1;

	if (!c->base || !c->btf)
		return UNKNOWN;
	if (place.offset)
		place.name = NULL;
	/*
	 * The verifier replaces may_goto by a call of this function (Linux 6.15). Its argument, the
	 * count of rounds, is in a special register (BPF_REG_AX).
	 */
	if (place.name && !strcmp(place.name, "arch_bpf_timed_may_goto"))
		return CALL_KEEPS_ARGS;
	if (place.name)
		cnt = count_by_name(c->btf, place.name);
	/*
	 * If the JIT can call distant functions, imm still is the kfunc's BTF id
	 * (fixup_kfunc_call()).
	 */
	if (call->src_reg == BPF_PSEUDO_KFUNC_CALL)
		by_id = count_params(c->btf, call->imm);
	if (by_id > cnt)
		cnt = by_id;
	return cnt < 0 || cnt > BPF_MAX_ARGS ? UNKNOWN : cnt;
}

int call_args__count(void *ctx, const struct bpf_insn *call)
{
	struct call_args *c = ctx;
	__u32 i;

	if (call->imm == BPF_FUNC_tail_call && !call->src_reg)
		return TAIL_CALL_ARGS;
	if (!call->imm)
		return UNKNOWN;
	for (i = 0; i < c->known_cnt && i < CALL_ARGS_KNOWN; i++)
		if (c->known[i].imm == call->imm && c->known[i].src_reg == call->src_reg)
			return c->known[i].cnt;
	if (!c->ksyms && !ksyms__read("/proc/kallsyms", &c->ksyms))
		c->base = ksyms__address(c->ksyms, "__bpf_call_base");
	if (!c->btf)
		c->btf = btf__parse(VMLINUX_BTF, NULL);
	i = c->known_cnt++ % CALL_ARGS_KNOWN;
	c->known[i].imm = call->imm;
	c->known[i].src_reg = call->src_reg;
	return c->known[i].cnt = find_count(c, call);
}

void call_args__close(struct call_args *c)
{
	ksyms__free(c->ksyms);
	btf__free(c->btf);
	c->ksyms = NULL;
	c->btf = NULL;
}
