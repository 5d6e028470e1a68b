// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how many arguments a function takes according to its instructions, which have the form in
 * which the kernel returns them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/util.h"
#include "btf/arg_reads.h"
#include "btf/func_table.h"

#define MOV(dst, src)                                       \
	{                                                   \
		BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0 \
	}
#define SET(dst)                                          \
	{                                                 \
		BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, 1 \
	}
#define ADD(dst, src)                                       \
	{                                                   \
		BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0 \
	}
#define SWAP(dst)                                            \
	{                                                    \
		BPF_ALU | BPF_END | BPF_TO_BE, dst, 0, 0, 16 \
	}
#define LOAD(dst, src)                                     \
	{                                                  \
		BPF_LDX | BPF_MEM | BPF_DW, dst, src, 0, 0 \
	}
#define STORE(dst, src)                                    \
	{                                                  \
		BPF_STX | BPF_MEM | BPF_DW, dst, src, 0, 0 \
	}
#define ATOMIC(dst, src, op)                                   \
	{                                                      \
		BPF_STX | BPF_ATOMIC | BPF_DW, dst, src, 0, op \
	}
#define ZERO(dst)                                       \
	{                                               \
		BPF_ST | BPF_MEM | BPF_DW, dst, 0, 0, 0 \
	}
#define IF(dst, src, rel)                                    \
	{                                                    \
		BPF_JMP | BPF_JSLE | BPF_X, dst, src, rel, 0 \
	}
#define IF_ZERO(dst, rel)                                   \
	{                                                   \
		BPF_JMP32 | BPF_JEQ | BPF_K, dst, 0, rel, 0 \
	}
#define GOTO(rel)                              \
	{                                      \
		BPF_JMP | BPF_JA, 0, 0, rel, 0 \
	}
#define GOTOL(rel)                               \
	{                                        \
		BPF_JMP32 | BPF_JA, 0, 0, 0, rel \
	}
#define CALL(rel)                                              \
	{                                                      \
		BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, rel, 0 \
	}
#define HELPER(args)                              \
	{                                         \
		BPF_JMP | BPF_CALL, 0, 0, 0, args \
	}
#define KFUNC(args)                                                   \
	{                                                             \
		BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, args \
	}
#define CONST64(dst)                               \
	{BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, 1}, \
	{                                          \
	}
#define RET                                    \
	{                                      \
		BPF_JMP | BPF_EXIT, 0, 0, 0, 0 \
	}

/* Returns how many arguments a program of a single function takes. */
#define READS(...)                                             \
	({                                                     \
		const struct bpf_insn insns[] = {__VA_ARGS__}; \
		__u32 cnt = sizeof(insns) / sizeof(*insns);    \
		reads(insns, cnt, cnt, 0);                     \
	})

/* In these tests, a helper or kfunc with the number N takes N arguments. */
static int number(void *ctx, const struct bpf_insn *call)
{
	return call->imm;
}

static call_args_fn call_args;

/* Returns how many arguments function f takes; function 1 begins at instruction second. */
static int reads(const struct bpf_insn *insns, __u32 cnt, __u32 second, int f)
{
	struct bpf_fn fns[] = {{.name = "main"}, {.name = "sub", .insn_off = second}};
	const struct func_table funcs = {.fn = fns, .cnt = ARRAY_SIZE(fns)};
	__u8 *all = insns__find_arg_reads(insns, cnt, &funcs, call_args, NULL);
	int found = all[f];

	free(all);
	return found;
}

static void test_operands(void **state)
{
	assert_int_equal(READS(MOV(0, 1), RET), 1);
	assert_int_equal(READS(SET(0), RET), 0);
	assert_int_equal(READS(SET(0), ADD(0, 2), RET), 2);
	assert_int_equal(READS(SET(0), ADD(3, 0), RET), 3);
	assert_int_equal(READS(SWAP(4), SET(0), RET), 4);
	assert_int_equal(READS(LOAD(0, 5), RET), 5);
	assert_int_equal(READS(SET(0), STORE(1, 0), RET), 1);
	assert_int_equal(READS(SET(0), STORE(10, 2), RET), 2);
	assert_int_equal(READS(SET(0), ZERO(3), RET), 3);
	assert_int_equal(READS(SET(0), ATOMIC(4, 0, BPF_ADD), RET), 4);
	assert_int_equal(READS(ATOMIC(4, 1, 0x100 /* BPF_LOAD_ACQ */), MOV(0, 4), RET), 1);
	assert_int_equal(READS(SET(0), IF(0, 5, 0), RET), 5);
	assert_int_equal(READS(SET(0), IF_ZERO(2, 0), RET), 2);
}

static void test_written(void **state)
{
	assert_int_equal(READS(SET(1), MOV(0, 1), RET), 0);
	assert_int_equal(READS(LOAD(1, 10), MOV(0, 1), RET), 0);
	assert_int_equal(READS(CONST64(1), MOV(0, 1), RET), 0);
	/* a helper leaves nothing in the registers */
	assert_int_equal(READS(HELPER(3), ADD(0, 1), RET), 0);
	assert_int_equal(READS(MOV(2, 1), HELPER(3), ADD(0, 2), RET), 1);
}

static void test_kernel(void **state)
{
	call_args = number;
	assert_int_equal(READS(HELPER(0), RET), 0);
	assert_int_equal(READS(HELPER(1), RET), 1);
	assert_int_equal(READS(KFUNC(5), RET), 5);
	assert_int_equal(READS(SET(1), SET(2), HELPER(3), RET), 3);
	assert_int_equal(READS(SET(1), SET(3), HELPER(3), RET), 2);
	assert_int_equal(READS(SET(1), SET(2), HELPER(2), HELPER(0), RET), 0);
	assert_int_equal(READS(HELPER(CALL_KEEPS_ARGS), MOV(0, 2), RET), 2);
	assert_int_equal(READS(HELPER(CALL_KEEPS_ARGS), SET(0), RET), 0);
	call_args = NULL;
}

static void test_jumps(void **state)
{
	assert_int_equal(READS(GOTO(1), MOV(0, 2), MOV(0, 1), RET), 1);
	assert_int_equal(READS(GOTOL(1), MOV(0, 2), MOV(0, 1), RET), 1);
	/* an argument that only one of two branches reads */
	assert_int_equal(READS(IF_ZERO(1, 1), SET(2), MOV(0, 2), RET), 2);
	assert_int_equal(READS(IF_ZERO(1, 1), MOV(0, 3), RET), 3);
	assert_int_equal(READS(IF_ZERO(1, 2), SET(2), GOTO(1), SET(2), MOV(0, 2), RET), 1);
	/* an argument that is first read in the second round of a loop */
	assert_int_equal(READS(SET(0), SET(1), GOTO(1), ADD(0, 4), IF_ZERO(1, -2), RET), 4);
	/* out of the program: no crash */
	assert_int_equal(READS(GOTO(100), RET), 0);
	assert_int_equal(READS(IF_ZERO(1, -100), RET), 1);
}

/* If a function passes on an argument to another function, it takes this argument. */
static void test_calls(void **state)
{
	const struct bpf_insn insns[] = {SET(1),    CALL(2),   ADD(0, 3), RET,
					 ADD(1, 2), MOV(0, 1), RET};

	assert_int_equal(reads(insns, ARRAY_SIZE(insns), 4, 0), 2);
	assert_int_equal(reads(insns, ARRAY_SIZE(insns), 4, 1), 2);
	assert_int_equal(reads(insns, ARRAY_SIZE(insns), 100, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands), cmocka_unit_test(test_written),
		cmocka_unit_test(test_jumps),	 cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
