/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of the kernel's JIT, and its limit (net.core.bpf_jit_limit).
 */
#ifndef BPROF_JIT_MEMORY_H
#define BPROF_JIT_MEMORY_H

#include <linux/types.h>

#include "base/util.h"

struct jit_memory {
	__u64 limit; /* bytes */
	__u64 used;  /* bytes */
	/*
	 * true: used is the number that the kernel compares with the limit. false: used is a lower
	 * bound, the size of the code of all programs with an id. The kernel also counts the bytes
	 * added by rounding, the classic filters of sockets and of seccomp, and trampolines.
	 */
	bool exact;
};

/*
 * Reads the kernel's number with a BPF program, if the machine allows that (Linux 5.16). If the
 * file with the limit is not readable, the BPF program reads the limit as well. Returns 0, -EACCES
 * or -EPERM (ids need CAP_SYS_ADMIN), -ENOENT (the kernel has no JIT), or another -errno.
 */
int __must_check jit_memory__read(struct jit_memory *m);

/*
 * Returns the bytes that the kernel's number stands for; before Linux 5.17 the number counts pages.
 * "code" is the size of all programs' code in bytes. It is never larger than the memory that the
 * kernel has reserved for the code, but larger than the number of its pages. So it shows which unit
 * the number has.
 */
__u64 jit_memory__to_bytes(__u64 number, __u64 code);

#endif
