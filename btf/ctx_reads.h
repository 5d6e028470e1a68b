/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out which fields of its context a program reads. Reads the instructions before the kernel
 * translates them: they access each field at its offset in struct xdp_md or struct __sk_buff.
 */
#ifndef BPROF_CTX_READS_H
#define BPROF_CTX_READS_H

#include <linux/bpf.h>

/*
 * Returns a mask: bit i is set if any instruction loads bytes from offset 4 * i on. Leaves out
 * offsets of 256 and more. Includes instructions that cannot run with the present constants. Follows
 * the context through registers, the stack and arguments, but not through maps and callbacks.
 */
__u64 insns__find_ctx_reads(const struct bpf_insn *insns, __u32 cnt);

#endif
