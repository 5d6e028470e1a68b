/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses in code for arm64 that take an instruction less to load than others of the same kind.
 */
#ifndef BPROF_ARM64_ADDRS_H
#define BPROF_ARM64_ADDRS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>

/* Is the code of the machine that this runs on of that kind? */
#ifdef __aarch64__
#define ARM64_HERE true
#else
#define ARM64_HERE false
#endif

/*
 * How many of the kernel's own addresses JITed code loads in less than the three instructions that one
 * usually takes; cnt: 32-bit words. A program's own constants of that kind are among them.
 */
__u32 arm64__count_short(const __u32 *code, __u32 cnt);
/* How many those constants are, of its translated instructions. */
__u32 arm64__count_short_constants(const struct bpf_insn *insns, __u32 cnt);
/* Is an address of the kernel's own one of those that take the usual number of instructions to load? */
bool arm64__is_usual_address(__u64 address);

#endif
