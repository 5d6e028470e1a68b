// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which functions a BPF exception may leave. The instructions have the form in which the
 * kernel returns them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btf/func_table.h"
#include "btf/throws.h"

#define THROW_IMM 4711

enum { MAIN, A, B, C, FN_CNT };

#define NOP                                         \
	{                                           \
		.code = BPF_ALU64 | BPF_MOV | BPF_K \
	}
#define RET                                \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}
#define CALL(rel)                                                                    \
	{                                                                            \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .off = (rel) \
	}
/* A call of a helper: its imm must not matter. */
#define HELPER                                               \
	{                                                    \
		.code = BPF_JMP | BPF_CALL, .imm = THROW_IMM \
	}
#define KFUNC(value)                                                                         \
	{                                                                                    \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = (value) \
	}
#define CALLBACK(rel)                                                                       \
	{                                                                                   \
		.code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = (rel) \
	}

static struct bpf_fn fns[FN_CNT] = {
	{.name = "main", .insn_off = 0},
	{.name = "a", .insn_off = 3},
	{.name = "b", .insn_off = 6},
	{.name = "c", .insn_off = 9},
};
static const struct func_table funcs = {.fn = fns, .cnt = FN_CNT};
static const struct throw_call known = {.kind = THROW_CALL_IMM, .imm = THROW_IMM};

/* Checks the functions that throw; "want" has a bit 1 << f for function f. */
static void check(const struct bpf_insn *insns, __u32 cnt, const struct throw_call *call, int want)
{
	bool *throws;

	assert_int_equal(insns__find_throws(insns, cnt, &funcs, call, &throws), 0);
	for (int f = 0; f < FN_CNT; f++)
		if ((throws && throws[f]) != !!(want & 1 << f))
			fail_msg("function %s", fns[f].name);
	if (!want)
		assert_null(throws);
	free(throws);
}

/* main calls a, a calls b, b may throw; c is called by nobody. */
static void test_callers(void **state)
{
	const struct bpf_insn insns[] = {CALL(2),	   NOP, RET, NOP,    CALL(1),  RET,
					 KFUNC(THROW_IMM), NOP, RET, HELPER, KFUNC(5), RET};

	check(insns, 12, &known, 1 << MAIN | 1 << A | 1 << B);
	check(insns, 12, &(struct throw_call){.kind = THROW_CALL_KFUNC},
	      1 << MAIN | 1 << A | 1 << B | 1 << C);
	check(insns, 12, &(struct throw_call){.kind = THROW_CALL_NONE}, 0);
	check(insns, 12, &(struct throw_call){.kind = THROW_CALL_IMM, .imm = 6}, 0);
	/* The instructions may end before the functions do. */
	check(insns, 6, &known, 0);
	check(insns, 7, &known, 1 << MAIN | 1 << A | 1 << B);
	assert_true(insns__call_kfunc(insns, 12));
	assert_false(insns__call_kfunc(insns, 6));
}

/* A callback may throw out of the function that passes it on. */
static void test_callback(void **state)
{
	const struct bpf_insn insns[] = {NOP, NOP, RET, CALLBACK(5),	  NOP, RET,
					 NOP, NOP, RET, KFUNC(THROW_IMM), NOP, RET};

	check(insns, 12, &known, 1 << A | 1 << C);
}

/* If the kernel withholds addresses, imm is 0, and each kfunc may be bpf_throw(). */
static void test_withheld(void **state)
{
	const struct bpf_insn insns[] = {NOP,	   NOP, RET, NOP, NOP, RET,
					 KFUNC(0), NOP, RET, NOP, NOP, RET};

	check(insns, 12, &known, 1 << B);
}

/* If any function throws, a call of an unknown callee may be a call of this function. */
static void test_unknown_callee(void **state)
{
	struct bpf_insn insns[] = {NOP, NOP, RET, CALL(32767), NOP, RET, KFUNC(THROW_IMM),
				   NOP, RET, NOP, NOP,	       RET};

	check(insns, 12, &known, 1 << A | 1 << B);
	insns[6].imm = 5;
	check(insns, 12, &known, 0);
}

static void test_too_many(void **state)
{
	const struct bpf_insn insns[] = {KFUNC(THROW_IMM), NOP, RET};
	struct func_table many = {.cnt = 4097};
	bool *throws;

	many.fn = calloc(many.cnt, sizeof(*many.fn));
	assert_non_null(many.fn);
	assert_int_equal(insns__find_throws(insns, 3, &many, &known, &throws), -E2BIG);
	assert_null(throws);
	free(many.fn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers),	 cmocka_unit_test(test_callback),
		cmocka_unit_test(test_withheld), cmocka_unit_test(test_unknown_callee),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
