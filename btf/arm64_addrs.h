/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds addresses that arm64 code loads with fewer instructions than most addresses need.
 */
#ifndef BPROF_ARM64_ADDRS_H
#define BPROF_ARM64_ADDRS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>

/* True if bprof was built for arm64. */
#ifdef __aarch64__
#define ARM64_HERE true
#else
#define ARM64_HERE false
#endif

/*
 * Returns how many kernel addresses the JITed code loads with fewer than three instructions; most
 * addresses take three. The result includes constants of the program whose values look like kernel
 * addresses. cnt: number of 32-bit words.
 */
__u32 arm64__count_short(const __u32 *code, __u32 cnt);
/*
 * Returns how many constants in the program's translated instructions look like kernel addresses
 * that are loaded with fewer than three instructions.
 */
__u32 arm64__count_short_constants(const struct bpf_insn *insns, __u32 cnt);
/* Returns true if loading this kernel address takes three instructions, as for most addresses. */
bool arm64__is_common_address(__u64 address);

#endif
