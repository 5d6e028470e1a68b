/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bugs of Linux that a probe can run into: a kernel that crashes, hangs, leaks or goes wrong.
 * One table says which programs and attachments are affected, how a running kernel is checked for
 * the bug, and what bprof does about it. docs/kernel-bugs.md shows it.
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
	KERNEL_BUG_MAYBE, /* it could not be found out: bprof does the same as if it was present */
};

/* Each text is one line without a full stop. */
struct kernel_bug {
	const char *name;   /* one word for JSON, such as "throw" */
	const char *what;   /* which programs and attachments are affected */
	const char *effect; /* what the kernel does: "panics", "loops forever" */
	const char *since;  /* the first version and commit with the bug; "" if unknown */
	const char *fixed;  /* the version and commit that mends it, or "not yet" */
	const char *check;  /* how the running kernel is checked */
	const char *bprof;  /* what bprof does instead */
	const char *seen; /* the kernels on which it was reproduced, or "read in the source only" */
	/*
	 * Bits 1 << BPF_PROG_TYPE_...: no program of these types is probed while the kernel has the
	 * bug. 0: the bug concerns only some programs or attachments, which other code looks for.
	 */
	__u64 types;
	/*
	 * Finds out whether the running kernel has the bug. Sets *reason for KERNEL_BUG_MAYBE: why
	 * this is not known.
	 */
	enum kernel_bug_state (*find)(struct reason *reason);
};

const struct kernel_bug *kernel_bug__get(enum kernel_bug_id id);
/*
 * Finds out whether the running kernel has the bug; not cached. *reason: see struct kernel_bug,
 * otherwise REASON_NONE.
 */
enum kernel_bug_state kernel_bug__find(enum kernel_bug_id id, struct reason *reason);
/*
 * Returns 0, or -EOPNOTSUPP with *reason (REASON_UNTESTED_ARCH) if no program is measured on this
 * architecture, by any method.
 */
int kernel_bugs__check_arch(struct reason *reason);
/*
 * Returns 0, or -EOPNOTSUPP with *reason (REASON_KERNEL_BUG, REASON_UNTESTED_ARCH) if no program of that
 * type may be probed on this kernel. Everything that attaches probes asks this before.
 */
int kernel_bugs__check_type(__u32 prog_type, struct reason *reason);
/*
 * Returns 0, or -EOPNOTSUPP with *reason (REASON_NOT_JITED) if running a program that was not compiled
 * may crash this kernel. Everything that makes a program of others run asks this before.
 */
int kernel_bugs__check_interpreted(struct reason *reason);
/*
 * Returns true if this file of /sys/devices/system/cpu/vulnerabilities says that the kernel counts calls
 * ("Mitigation: Stuffing"). For tests.
 */
bool kernel_bugs__stuffs(const char *path);

#endif
