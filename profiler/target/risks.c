// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides which functions are dangerous to probe on this kernel. Must not know how targets are
 * selected or measured.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btf/arg_reads.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "kernel/feature.h"
#include "target/call_args.h"
#include "target/risks.h"

int risks__check_tail_calls(struct risks *r, struct reason *reason)
{
	char text[512];

	if (!r->tail_calls_tried)
		r->tail_calls = kernel_bug__find(KERNEL_BUG_TAIL_CALLS, &r->no_tail_test);
	r->tail_calls_tried = true;
	if (r->tail_calls == KERNEL_BUG_ABSENT)
		return 0;
	if (r->tail_calls == KERNEL_BUG_PRESENT)
		return reason__set(reason, REASON_TAIL_CALL_RISK, EOPNOTSUPP, NULL);
	return reason__set(reason, REASON_TAIL_CALL_RISK, EOPNOTSUPP,
			   "it could not be tested, as the test program %s",
			   reason__describe(&r->no_tail_test, text, sizeof(text)));
}

static const struct throw_call *throw_call(struct risks *r)
{
	if (!r->throw_tried)
		features__find_throw(&r->throw);
	r->throw_tried = true;
	return &r->throw;
}

static int max_args(void *ctx __attribute__((unused)),
		    const struct bpf_insn *call __attribute__((unused)))
{
	return BPF_MAX_ARGS;
}

/*
 * Returns true if a static function that declares no argument may still take arguments: it is in
 * assembly, or it calls a kernel function that has less than five arguments. All other functions
 * that declare none take none: the verifier checks it.
 */
static bool may_hide(const struct func_table *funcs, const __u8 *args)
{
	for (__u32 f = 1; f < funcs->cnt; f++)
		if (args[f] && !funcs->fn[f].arg_cnt && funcs->fn[f].linkage == BTF_FUNC_STATIC)
			return true;
	return false;
}

void risks__find_funcs(struct risks *r, const struct prog *p, struct func_risks *out)
{
	struct bpf_insn *insns;
	__u32 cnt;
	bool exact;
	int err = prog__read_insns(p, &insns, &cnt);

	memset(out, 0, sizeof(*out));
	if (!err) {
		/* Look up how many arguments called kernel functions take only if it matters. */
		out->args = insns__find_arg_reads(insns, cnt, p->funcs, max_args, NULL);
		exact = may_hide(p->funcs, out->args);
		free(out->args);
		out->args = insns__find_arg_reads(insns, cnt, p->funcs,
						  exact ? call_args__count : NULL, &r->calls);
		call_args__close(&r->calls);
	}
	/* Most programs call no kfunc, and do not need the test program of throw_call(). */
	if (!err && insns__call_kfunc(insns, cnt))
		err = insns__find_throws(insns, cnt, p->funcs, throw_call(r), &out->thrown);
	free(insns);
	out->guessed = out->thrown && r->throw.kind == THROW_CALL_KFUNC;
	out->unknown = err && throw_call(r)->kind != THROW_CALL_NONE;
}

int func_risks__check_throw(const struct func_risks *r, const struct prog *p,
			    const struct bpf_fn *fn, struct reason *reason)
{
	__u32 index = fn - p->funcs->fn;

	if (!index)
		return 0;
	if (r->unknown)
		return reason__set(reason, REASON_THROW, EOPNOTSUPP,
				   "the kernel does not show its code, so this is not known");
	if (r->thrown && r->thrown[index])
		return reason__set(reason, REASON_THROW, EOPNOTSUPP, "%s",
				   r->guessed ? "the kernel hides which of its functions it calls, "
						"see kernel.kptr_restrict"
					      : "");
	return 0;
}

void func_risks__free(struct func_risks *r)
{
	free(r->thrown);
	free(r->args);
	memset(r, 0, sizeof(*r));
}
