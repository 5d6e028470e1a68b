/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of the kernel's JIT, and its limit (net.core.bpf_jit_limit).
 */
#ifndef BPROF_JIT_MEMORY_H
#define BPROF_JIT_MEMORY_H

#include <linux/types.h>

#include "base/util.h"

struct jit_memory {
	__u64 limit; /* bytes; 0: not known */
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
 * file with the limit is not readable, the BPF program reads the limit as well. If the memory is not
 * known, sets m->limit to 0. Warns if this, or a lower bound, has another cause than the machine: it
 * has no JIT, or does not allow reading the number or ids.
 */
void jit_memory__read(struct jit_memory *m);

/*
 * Converts the kernel's number to bytes. Before Linux 5.17, the number counts pages. "code", the
 * size of all programs' code in bytes, shows the unit: a number of bytes is never smaller than
 * "code", but a number of pages is.
 */
__u64 jit_memory__to_bytes(__u64 number, __u64 code);

#endif
