// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the encoding of calls in translated instructions. Must not know what the call graph is used
 * for.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/prog.h"

/*
 * The graph takes at most MAX_FUNCS^2 bytes. The kernel itself allows 256 functions
 * (BPF_MAX_SUBPROGS).
 */
#define MAX_FUNCS 4096

/*
 * The kernel copies the instructions to contiguous memory first (bpf_insn_prepare_dump() in
 * kernel/bpf/syscall.c), of which it has at most 4 MiB if pages are 4 KiB: KMALLOC_MAX_SIZE. If asked
 * for more it fails, and also writes a warning to its log.
 */
static bool is_too_long(__u32 sz)
{
	return sz > 4 << 20 && sysconf(_SC_PAGESIZE) == 4096;
}

int prog__read_insns(const struct prog *p, struct bpf_insn **insns, __u32 *cnt)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	*insns = NULL;
	if (!p->info.xlated_prog_len)
		return -EACCES;
	if (is_too_long(p->info.xlated_prog_len))
		return -E2BIG;
	*insns = malloc(p->info.xlated_prog_len);
	if (!*insns)
		return -ENOMEM;
	info.xlated_prog_len = p->info.xlated_prog_len;
	info.xlated_prog_insns = (__u64)(unsigned long)*insns;
	err = bpf_obj_get_info_by_fd(p->fd, &info, &len);
	if (err == -ENOMEM)
		err = -E2BIG;
	if (!err && !info.xlated_prog_insns)
		err = -EACCES;
	if (err) {
		free(*insns);
		*insns = NULL;
		return err;
	}
	*cnt = p->info.xlated_prog_len / sizeof(**insns);
	return 0;
}

__u32 func_table__end(const struct func_table *funcs, __u32 func, __u32 insn_cnt)
{
	__u32 end = func + 1 < funcs->cnt ? funcs->fn[func + 1].insn_off : insn_cnt;

	return end < insn_cnt ? end : insn_cnt;
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

static bool is_callback(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC;
}

/*
 * jit_subprogs() (kernel/bpf/verifier.c) stores the distance to the function in off for a call, and
 * in imm for a callback. In a large program, the distance does not fit into the 16 bits of off.
 */
bool insn__may_enter(const struct bpf_insn *insn, __u32 i, __u32 start)
{
	__u32 distance = start - i - 1;

	return (is_call(insn) && (__u16)insn->off == (__u16)distance) ||
	       (is_callback(insn) && (__u32)insn->imm == distance);
}

bool insns__find_callee(const struct bpf_insn *insns, __u32 i, const struct func_table *funcs,
			int *callee)
{
	bool several = false;

	if (!is_call(&insns[i]) && !is_callback(&insns[i]))
		return false;
	*callee = -1;
	for (__u32 f = 0; f < funcs->cnt; f++) {
		if (!insn__may_enter(&insns[i], i, funcs->fn[f].insn_off))
			continue;
		several |= *callee >= 0;
		*callee = f;
	}
	if (several)
		*callee = -1;
	return true;
}

int insns__call_graph(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		      bool **calls)
{
	int callee;

	*calls = NULL;
	if (funcs->cnt > MAX_FUNCS)
		return -E2BIG;
	*calls = calloc((size_t)funcs->cnt * funcs->cnt, sizeof(**calls));
	if (!*calls)
		return -ENOMEM;
	for (__u32 f = 0; f < funcs->cnt; f++)
		for (__u32 i = funcs->fn[f].insn_off; i < func_table__end(funcs, f, cnt); i++)
			if (insns__find_callee(insns, i, funcs, &callee) && callee >= 0)
				(*calls)[(size_t)f * funcs->cnt + callee] = true;
	return 0;
}

int prog__load_calls(struct prog *p)
{
	struct bpf_insn *insns;
	__u32 cnt;
	int err = p->calls ? 0 : prog__read_insns(p, &insns, &cnt);

	if (err || p->calls)
		return err;
	err = insns__call_graph(insns, cnt, p->funcs, &p->calls);
	free(insns);
	return err;
}

bool prog__does_call(const struct prog *p, __u32 caller, __u32 callee)
{
	if (!p->calls)
		return !caller && callee;
	return p->calls[(size_t)caller * p->funcs->cnt + callee];
}
