/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the targets of call instructions in JITed code.
 */
#ifndef BPROF_JITED_CALLS_H
#define BPROF_JITED_CALLS_H

#include <stdbool.h>
#include <linux/types.h>

/*
 * These say whether a call instruction may be at offset off of a function, and where it leads to. code:
 * the function's code, len bytes; address: where it is in memory.
 *
 * On x86-64 this may be bytes inside another instruction, because the beginnings of instructions are
 * not known: take only targets at which a function begins. Four such bytes by chance are one in
 * billions.
 */
bool x86_64__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target);
bool arm64__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target);
/* The same for the architecture that bprof was built for. Returns false on others than these two. */
bool jited__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target);

/* The size of a call instruction on these two, in bytes: the address after it is where the call returns to. */
#ifdef __x86_64__
#define JITED_CALL_SZ 5
#else
#define JITED_CALL_SZ 4
#endif

/*
 * Finds out where the calls in one function's code return to. target: the addresses that its BPF code calls,
 * cnt of them, in the order of its instructions, which the JIT keeps; returns[i]: the address after the
 * call of target[i]. It is 0 for all calls of a target that machine code calls more or less often.
 */
void jited__find_returns(const __u8 *code, __u32 len, __u64 address, const __u64 *target,
			 __u64 *returns, int cnt);

#endif
