/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Macros for the targets of tests/kernel/drive/contexts.h. For a hook NAME, NAME_0 is an empty
 * program and NAME_100 has 100 additions (see alu.bpf.c); both take a pointer to the context's
 * type. NAME_void_0 and NAME_void_100 take a void pointer, so that the verifier does not rely on
 * their BTF. NAME_calls calls a function of the kernel three times. NAME_shapes calls the functions of maps of
 * all kinds, except for kinds that programs that may sleep must not use.
 */
#ifndef PROGS_CONTEXTS_H
#define PROGS_CONTEXTS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define CONTEXT_ALU(sec, name, ctx_type, result, k) \
	SEC(sec) int name##_##k(ctx_type ctx)       \
	{                                           \
		long verdict = (result) - (k);      \
                                                    \
		asm volatile(".rept " #k "\n\t"     \
			     "%0 += 1\n\t"          \
			     ".endr"                \
			     : "+r"(verdict));      \
		return verdict;                     \
	}

#define CONTEXT_CALLS(sec, name, ctx_type, result)                    \
	SEC(sec) int name##_calls(ctx_type ctx)                       \
	{                                                             \
		asm volatile(".rept 3\n\tcall %[random]\n\t.endr"     \
			     :                                        \
			     : [random] "i"(BPF_FUNC_get_prandom_u32) \
			     : "r0", "r1", "r2", "r3", "r4", "r5");   \
		return (result);                                      \
	}

#define CONTEXT_ADDS(sec, name, ctx_type, result)        \
	CONTEXT_ALU(sec, name, ctx_type, result, 0)      \
	CONTEXT_ALU(sec, name, ctx_type, result, 100)    \
	CONTEXT_ALU(sec, name##_void, void *, result, 0) \
	CONTEXT_ALU(sec, name##_void, void *, result, 100)

#define CONTEXT_SHAPES(sec, name, ctx_type, result, trie) \
	SEC(sec) int name##_shapes(ctx_type ctx)          \
	{                                                 \
		call_shapes(trie);                        \
		return (result);                          \
	}

#define CONTEXT(sec, name, ctx_type, result)       \
	CONTEXT_ADDS(sec, name, ctx_type, result)  \
	CONTEXT_CALLS(sec, name, ctx_type, result) \
	CONTEXT_SHAPES(sec, name, ctx_type, result, true)

/* For programs that may sleep. The kernel does not let them use LPM tries. */
#define CONTEXT_SLEEPABLE(sec, name, ctx_type, result) \
	CONTEXT_ADDS(sec, name, ctx_type, result)      \
	CONTEXT_CALLS(sec, name, ctx_type, result)     \
	CONTEXT_SHAPES(sec, name, ctx_type, result, false)

#endif
