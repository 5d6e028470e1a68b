/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the targets of call instructions in JITed code.
 */
#ifndef BPROF_JITED_CALLS_H
#define BPROF_JITED_CALLS_H

#include <stdbool.h>
#include <linux/types.h>

/*
 * These functions return true if a call instruction may be at offset off of a function, and set *target
 * to the address that it calls. code: the function's code, len bytes; address: the address of the code
 * in memory.
 *
 * On x86-64, bytes inside another instruction may look like a call, because the beginnings of
 * instructions are not known. So accept a target only if a function begins there. Four random bytes
 * hardly ever give such a target.
 */
bool x86_64__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target);
bool arm64__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target);
/*
 * The same for the architecture that bprof was built for. Returns false on architectures other than
 * x86-64 and arm64.
 */
bool jited__find_call(const __u8 *code, __u32 len, __u64 address, __u32 off, __u64 *target);

/*
 * The size of a call instruction on x86-64 and arm64, in bytes. The call returns to the address
 * after the instruction.
 */
#ifdef __x86_64__
#define JITED_CALL_SZ 5
#else
#define JITED_CALL_SZ 4
#endif

/*
 * Finds the return addresses of the calls in one function's code. target: the cnt addresses that the
 * function's BPF code calls, in the order of its instructions. The JIT keeps this order. Sets returns[i] to
 * the address after the call of target[i]. If machine code calls a target more or less often than BPF code
 * does, returns[i] is 0 for all calls of that target.
 */
void jited__find_returns(const __u8 *code, __u32 len, __u64 address, const __u64 *target,
			 __u64 *returns, int cnt);

#endif
