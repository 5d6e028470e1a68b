// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for tail calls in a program's translated instructions. Must not know what a tail
 * call means to whoever asks.
 */
#include <errno.h>
#include <stdlib.h>
#include <bpf/bpf.h>

#include "func_table.h"
#include "prog.h"
#include "tail_calls.h"

/*
 * kernel/bpf/syscall.c: bpf_insn_prepare_dump() makes the verifier's BPF_TAIL_CALL a call of the
 * helper again, with its number also where addresses are withheld. Other helpers show their
 * address or nothing.
 */
static bool is_tail_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg &&
	       insn->imm == BPF_FUNC_tail_call;
}

/*
 * The instruction where the function begins that this one calls, or hands to a helper as a
 * callback. kernel/bpf/verifier.c: jit_subprogs() leaves the distance in off for a call, in imm for
 * a callback.
 */
static bool find_callee(const struct bpf_insn *insns, __u32 i, __s64 *start)
{
	const struct bpf_insn *insn = &insns[i];

	if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL)
		*start = (__s64)i + insn->off + 1;
	else if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC)
		*start = (__s64)i + insn->imm + 1;
	else
		return false;
	return true;
}

static int find_func(const struct func_table *funcs, __s64 start)
{
	for (__u32 i = 0; i < funcs->cnt; i++)
		if (funcs->fn[i].insn_off == start)
			return i;
	return -1;
}

/* Looks at one function; marks those that it calls in *pending. True: it gets to a tail call. */
static bool visit_func(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		       __u32 func, bool *seen, __u32 *pending, __u32 *pending_cnt)
{
	__u32 end = func + 1 < funcs->cnt ? funcs->fn[func + 1].insn_off : cnt;

	for (__u32 i = funcs->fn[func].insn_off; i < end && i < cnt; i++) {
		__s64 start;
		int callee;

		if (is_tail_call(&insns[i]))
			return true;
		if (!find_callee(insns, i, &start))
			continue;
		callee = find_func(funcs, start);
		/*
		 * off has 16 bits: in a large program the callee may lie farther away than it says
		 */
		if (callee < 0)
			return true;
		if (!seen[callee])
			pending[(*pending_cnt)++] = callee;
		seen[callee] = true;
	}
	return false;
}

int insns__reach_tail_call(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
			   __u32 func, bool *reach)
{
	__u32 *pending = NULL, pending_cnt = 0, any = 0;
	bool *seen = NULL;
	int err = 0;

	while (any < cnt && !is_tail_call(&insns[any]))
		any++;
	*reach = any < cnt;
	if (!*reach || !funcs || func >= funcs->cnt)
		return 0;
	pending = calloc(funcs->cnt, sizeof(*pending));
	seen = calloc(funcs->cnt, sizeof(*seen));
	if (!pending || !seen) {
		err = -ENOMEM;
		goto out;
	}
	*reach = false;
	seen[func] = true;
	pending[pending_cnt++] = func;
	while (pending_cnt && !*reach) {
		__u32 next = pending[--pending_cnt];

		*reach = visit_func(insns, cnt, funcs, next, seen, pending, &pending_cnt);
	}
out:
	free(pending);
	free(seen);
	return err;
}

/*
 * The translated instructions; the caller frees *insns. -EACCES: withheld
 * (bpf_prog_get_info_by_fd() clears the pointer where constants are blinded and the caller may not
 * see addresses).
 */
static int read_insns(const struct prog *p, struct bpf_insn **insns, __u32 *cnt)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	*insns = NULL;
	if (!p->info.xlated_prog_len)
		return -EACCES;
	*insns = malloc(p->info.xlated_prog_len);
	if (!*insns)
		return -ENOMEM;
	info.xlated_prog_len = p->info.xlated_prog_len;
	info.xlated_prog_insns = (__u64)(unsigned long)*insns;
	err = bpf_obj_get_info_by_fd(p->fd, &info, &len);
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

enum tail_calls prog__tail_calls(struct prog *p, const struct bpf_fn *fn)
{
	struct bpf_insn *insns = NULL;
	__u32 cnt = 0;
	bool reach;
	int err;

	/*
	 * a prog array cannot be inside another map (it has no map_meta_equal): one is used, or
	 * none
	 */
	if (!p->info.nr_map_ids)
		return TAIL_CALLS_NO;
	err = read_insns(p, &insns, &cnt);
	if (!err)
		err = insns__reach_tail_call(insns, cnt, fn ? p->funcs : NULL,
					     fn ? fn - p->funcs->fn : 0, &reach);
	free(insns);
	if (err)
		return TAIL_CALLS_MAYBE;
	return reach ? TAIL_CALLS_YES : TAIL_CALLS_NO;
}
