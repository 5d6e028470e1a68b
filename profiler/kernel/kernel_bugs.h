/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bugs of Linux that probes can trigger: the kernel crashes, hangs, leaks or computes wrong
 * results. For each bug, one table has the affected programs and attachments, the way to check a
 * running kernel for the bug, and what bprof does about the bug. docs/kernel-bugs.md shows this
 * table.
 */
#ifndef BPROF_KERNEL_BUGS_H
#define BPROF_KERNEL_BUGS_H

#include <stdbool.h>
#include <linux/types.h>

#include "btf/reason.h"

/* In the order of docs/kernel-bugs.md and of bprof doctor. */
enum kernel_bug_id {
	KERNEL_BUG_THROW,
	KERNEL_BUG_TAIL_CALLS,
	KERNEL_BUG_ATTACH_PROTO,
	KERNEL_BUG_TRAMP_IMAGE,
	KERNEL_BUG_CALL_DEPTH,
	KERNEL_BUG_TRAMP_ADDRESS,
	KERNEL_BUG_INTERPRETER,
	KERNEL_BUG_CNT
};

enum kernel_bug_state {
	KERNEL_BUG_ABSENT,
	KERNEL_BUG_PRESENT,
	KERNEL_BUG_MAYBE, /* not known: bprof acts as if the kernel had the bug */
};

/* Each text is one line without a full stop. */
struct kernel_bug {
	const char *name;   /* one word for JSON, such as "throw" */
	const char *what;   /* which programs and attachments are affected */
	const char *effect; /* what the kernel does: "panics", "loops forever" */
	const char *since;  /* the first version and commit that have the bug; "" if unknown */
	const char *fixed;  /* the version and commit that fixes the bug, or "not yet" */
	const char *check;  /* how the running kernel is checked */
	const char *bprof;  /* what bprof does instead */
	/* the kernels on which the bug was reproduced, or "read in the source only" */
	const char *seen;
	/*
	 * Bits 1 << BPF_PROG_TYPE_...: if the kernel has the bug, no program of these types is
	 * probed. 0: the bug concerns only some programs or attachments, for which other code
	 * checks.
	 */
	__u64 types;
	/*
	 * Finds out whether the running kernel has the bug. For KERNEL_BUG_MAYBE, sets *reason to
	 * the reason why this is not known.
	 */
	enum kernel_bug_state (*find)(struct reason *reason);
};

const struct kernel_bug *kernel_bug__get(enum kernel_bug_id id);
/*
 * Finds out whether the running kernel has the bug. Does not cache the result. Sets *reason: for
 * KERNEL_BUG_MAYBE, to the reason why this is not known; otherwise to REASON_NONE.
 */
enum kernel_bug_state kernel_bug__find(enum kernel_bug_id id, struct reason *reason);
/*
 * Returns 0, or -EOPNOTSUPP with *reason (REASON_UNTESTED_ARCH) if bprof measures no programs on
 * this architecture, by any method.
 */
int kernel_bugs__check_arch(struct reason *reason);
/*
 * Returns 0, or -EOPNOTSUPP with *reason (REASON_KERNEL_BUG, REASON_UNTESTED_ARCH) if no program of that
 * type may be probed on this kernel. All code that attaches probes must call this before.
 */
int kernel_bugs__check_type(__u32 prog_type, struct reason *reason);
/*
 * Returns 0, or -EOPNOTSUPP with *reason (REASON_NOT_JITED) if running a program that was not JITed
 * may crash this kernel. All code that runs a program that is not bprof's own must call this before.
 */
int kernel_bugs__check_interpreted(struct reason *reason);
/*
 * Returns true if, according to this file of /sys/devices/system/cpu/vulnerabilities, the kernel
 * tracks the call depth ("Mitigation: Stuffing"). Public for tests.
 */
bool kernel_bugs__stuffs(const char *path);

#endif
