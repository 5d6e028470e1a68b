// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the table of the kernel's bugs. Must not know targets: it says what a kernel has, and
 * target/risks.c which functions are concerned.
 */
#include <errno.h>
#include <linux/bpf.h>

#include "btf/throws.h"
#include "kernel/feature.h"
#include "kernel/kernel_bugs.h"

static enum kernel_bug_state find_throw(struct reason *reason)
{
	struct throw_call call;

	features__find_throw(&call);
	if (call.kind == THROW_CALL_KFUNC)
		reason__fail(reason, EOPNOTSUPP, "no program with bpf_throw() could be loaded");
	return call.kind == THROW_CALL_NONE    ? KERNEL_BUG_ABSENT
	       : call.kind == THROW_CALL_KFUNC ? KERNEL_BUG_MAYBE
					       : KERNEL_BUG_PRESENT;
}

static enum kernel_bug_state find_tail_calls(struct reason *reason)
{
	if (!features__try_tail_calls(reason))
		return KERNEL_BUG_ABSENT;
	return reason->code == REASON_TAIL_CALL_RISK ? KERNEL_BUG_PRESENT : KERNEL_BUG_MAYBE;
}

/* Trying it would crash the kernel, and nothing else shows it: the version decides. */
static enum kernel_bug_state find_attach_proto(struct reason *reason)
{
	return features__kernel_before(6, 1) ? KERNEL_BUG_PRESENT : KERNEL_BUG_ABSENT;
}

static const struct kernel_bug bugs[KERNEL_BUG_CNT] = {
	[KERNEL_BUG_THROW] =
		{
			.name = "throw",
			.what = "fentry, fexit or fsession on a subprogram that bpf_throw() "
				"unwinds",
			.effect = "panics in bpf_throw()",
			.since = "6.7 (f18b03fabaa9)",
			.fixed = "not yet",
			.check = "loads a program that calls bpf_throw(), if vmlinux's BTF has it",
			.bprof = "skips functions that reach bpf_throw() (reason throw); the entry "
				 "function is measured",
			.seen = "arm64 6.12; x86-64 6.12 and 7.2",
			.find = find_throw,
		},
	[KERNEL_BUG_TAIL_CALLS] =
		{
			.name = "tail_calls",
			.what = "fentry or fexit on a subprogram that makes tail calls (x86-64)",
			.effect = "loops forever, as the trampoline clears the tail call count",
			.since = "5.10 (ebf7d1f508a7)",
			.fixed = "6.7 (2b5dcb31a19a)",
			.check = "probes a program that tail-calls itself and ends by itself",
			.bprof = "skips such subprograms (reason tail_call_risk)",
			.seen = "x86-64 5.10",
			.find = find_tail_calls,
		},
	[KERNEL_BUG_ATTACH_PROTO] =
		{
			.name = "attach_proto",
			.what = "loading fentry or fexit for an LSM or struct_ops program",
			.effect = "oopses in the verifier, which reads a NULL attach_func_proto",
			.since = "5.10 (7e40781cc8b7)",
			.fixed = "5.18 (4a9c7bbe2ed4)",
			.check = "the version, before 6.1: trying it would crash",
			.bprof = "measures such programs by run_stats (reason kernel_bug)",
			.seen = "x86-64 5.10",
			.types = 1ULL << BPF_PROG_TYPE_LSM | 1ULL << BPF_PROG_TYPE_STRUCT_OPS,
			.find = find_attach_proto,
		},
};

const struct kernel_bug *kernel_bug__get(enum kernel_bug_id id)
{
	return &bugs[id];
}

enum kernel_bug_state kernel_bug__find(enum kernel_bug_id id, struct reason *reason)
{
	enum kernel_bug_state state;

	reason__set(reason, REASON_NONE, 0, NULL);
	state = bugs[id].find(reason);
	if (state != KERNEL_BUG_MAYBE)
		reason__set(reason, REASON_NONE, 0, NULL);
	return state;
}

int kernel_bugs__check_type(__u32 prog_type, struct reason *reason)
{
	for (int i = 0; i < KERNEL_BUG_CNT; i++)
		if (prog_type < 64 && bugs[i].types & 1ULL << prog_type &&
		    kernel_bug__find(i, reason) != KERNEL_BUG_ABSENT)
			return reason__set(reason, REASON_KERNEL_BUG, EOPNOTSUPP, "%s, %s",
					   bugs[i].name, bugs[i].what);
	return 0;
}
