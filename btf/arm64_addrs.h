/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds addresses in arm64 code whose loading takes fewer instructions than that of most addresses.
 */
#ifndef BPROF_ARM64_ADDRS_H
#define BPROF_ARM64_ADDRS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>

/* True if this build is for arm64. */
#ifdef __aarch64__
#define ARM64_HERE true
#else
#define ARM64_HERE false
#endif

/*
 * Returns how many kernel addresses the JITed code loads with fewer than the three instructions
 * that most addresses take. The result includes program constants in the range of kernel addresses.
 * cnt: number of 32-bit words.
 */
__u32 arm64__count_short(const __u32 *code, __u32 cnt);
/* Returns how many such constants the program's translated instructions have. */
__u32 arm64__count_short_constants(const struct bpf_insn *insns, __u32 cnt);
/* Returns true if loading this kernel address takes the common number of instructions. */
bool arm64__is_common_address(__u64 address);

#endif
