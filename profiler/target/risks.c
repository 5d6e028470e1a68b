// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the decision which functions are dangerous to probe on this kernel. Must not know how targets
 * are selected or measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "kernel/feature.h"
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

int risks__find_thrown(struct risks *r, const struct prog *p, struct thrown *out)
{
	struct bpf_insn *insns;
	__u32 cnt;
	int err = prog__read_insns(p, &insns, &cnt);

	memset(out, 0, sizeof(*out));
	/* Most programs call no kfunc. They do not need the test program of throw_call(). */
	if (!err && insns__call_kfunc(insns, cnt))
		err = insns__find_throws(insns, cnt, p->funcs, throw_call(r), &out->funcs);
	free(insns);
	out->guessed = out->funcs && r->throw.kind == THROW_CALL_KFUNC;
	if (!err || err == -ENOMEM || throw_call(r)->kind == THROW_CALL_NONE)
		return err == -ENOMEM ? err : 0;
	out->unknown = true;
	return 0;
}

int thrown__check(const struct thrown *t, const struct prog *p, const struct bpf_fn *fn,
		  struct reason *reason)
{
	__u32 index = fn - p->funcs->fn;

	if (!index)
		return 0;
	if (t->unknown)
		return reason__set(reason, REASON_THROW, EOPNOTSUPP,
				   "the kernel does not show its code, so this is not known");
	if (t->funcs && t->funcs[index])
		return reason__set(reason, REASON_THROW, EOPNOTSUPP, "%s",
				   t->guessed ? "the kernel hides which of its functions it calls, "
						"see kernel.kptr_restrict"
					      : "");
	return 0;
}
