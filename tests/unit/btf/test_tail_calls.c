// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which functions call which, and which of them reach a tail call. The instructions have the
 * form in which the kernel returns them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/tail_calls.h"

static struct bpf_insn make_insn(__u8 code, __u8 src_reg, __s16 off, __s32 imm)
{
	return (struct bpf_insn){.code = code, .src_reg = src_reg, .off = off, .imm = imm};
}

/* Makes a call of a subprogram. imm is that of a call of bpf_tail_call(), which must not matter. */
static struct bpf_insn call(__s16 rel)
{
	return make_insn(BPF_JMP | BPF_CALL, BPF_PSEUDO_CALL, rel, BPF_FUNC_tail_call);
}

#define NOP make_insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0)
#define RET make_insn(BPF_JMP | BPF_EXIT, 0, 0, 0)
#define TAIL make_insn(BPF_JMP | BPF_CALL, 0, 0, BPF_FUNC_tail_call)

/* main calls a, a calls b, and nothing calls c. Each function has 3 instructions. */
enum { MAIN, A, B, C, FN_CNT };

struct program {
	struct bpf_insn insn[3 * FN_CNT];
};

/* Makes a program. b0 and c0 are the first instructions of b and c. */
static struct program make_program(struct bpf_insn b0, struct bpf_insn c0)
{
	return (struct program){{call(2), NOP, RET, NOP, call(1), RET, b0, NOP, RET, c0, NOP, RET}};
}

static struct bpf_fn fns[FN_CNT] = {
	{.name = "main", .insn_off = 0},
	{.name = "a", .insn_off = 3},
	{.name = "b", .insn_off = 6},
	{.name = "c", .insn_off = 9},
};
static const struct func_table funcs = {.fn = fns, .cnt = FN_CNT};

static bool reach_in(const struct bpf_insn *insns, __u32 cnt, const struct func_table *t, int func)
{
	return insns__reach_tail_call(insns, cnt, t, func);
}

#define REACH(insns, t, func) reach_in(insns, sizeof(insns) / sizeof((insns)[0]), t, func)

static void test_none(void **state)
{
	const struct program p = make_program(NOP, NOP);

	assert_false(REACH(p.insn, NULL, 0));
	for (int i = 0; i < FN_CNT; i++)
		assert_false(REACH(p.insn, &funcs, i));
	assert_false(reach_in(NULL, 0, NULL, 0));
	assert_false(reach_in(NULL, 0, &funcs, MAIN));
}

/*
 * A function reaches a tail call through the functions that it calls, not through other functions.
 */
static void test_callee(void **state)
{
	const struct program in_b = make_program(TAIL, NOP), in_c = make_program(NOP, TAIL);

	assert_true(REACH(in_b.insn, NULL, 0));
	assert_true(REACH(in_b.insn, &funcs, MAIN));
	assert_true(REACH(in_b.insn, &funcs, A));
	assert_true(REACH(in_b.insn, &funcs, B));
	assert_false(REACH(in_b.insn, &funcs, C));

	assert_true(REACH(in_c.insn, NULL, 0));
	assert_false(REACH(in_c.insn, &funcs, MAIN));
	assert_false(REACH(in_c.insn, &funcs, A));
	assert_false(REACH(in_c.insn, &funcs, B));
	assert_true(REACH(in_c.insn, &funcs, C));
}

static void test_other_calls(void **state)
{
	/*
	 * not taken for a tail call: a helper that is called by address, one whose address is
	 * withheld (0), a constant that only looks like bpf_tail_call(), and a kfunc
	 */
	const struct bpf_insn insns[] = {
		make_insn(BPF_JMP | BPF_CALL, 0, 0, -58848),
		make_insn(BPF_JMP | BPF_CALL, 0, 0, 0),
		make_insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, BPF_FUNC_tail_call),
		make_insn(BPF_JMP | BPF_CALL, BPF_PSEUDO_KFUNC_CALL, 0, BPF_FUNC_tail_call),
		RET,
	};

	assert_false(REACH(insns, NULL, 0));
}

/* The verifier refuses recursion, but the search must end even for hostile instructions. */
static void test_loop(void **state)
{
	const struct program p = make_program(call(-4), TAIL);

	assert_false(REACH(p.insn, &funcs, MAIN));
	assert_false(REACH(p.insn, &funcs, B));
}

static void test_callback(void **state)
{
	/* main passes c to a helper */
	const struct bpf_insn insns[] = {
		make_insn(BPF_LD | BPF_IMM | BPF_DW, BPF_PSEUDO_FUNC, 0, 8),
		make_insn(0, 0, 0, 0),
		RET,
		NOP,
		NOP,
		RET,
		NOP,
		NOP,
		RET,
		TAIL,
		RET};

	assert_true(REACH(insns, &funcs, MAIN));
	assert_false(REACH(insns, &funcs, A));
}

/* If a callee is not the beginning of a function, it is assumed that it may reach a tail call. */
static void test_unknown_callee(void **state)
{
	const struct program p = make_program(call(32767), TAIL);

	assert_true(REACH(p.insn, &funcs, MAIN));
	assert_true(REACH(p.insn, &funcs, B));
}

static void test_call_graph(void **state)
{
	/*
	 * b calls itself, which no valid program does, and c calls something that is not a function
	 */
	const struct program p = make_program(call(-1), call(32767));
	static const __u8 want[FN_CNT][FN_CNT] = {
		[MAIN][A] = CALL_NOW, [A][B] = CALL_NOW, [B][B] = CALL_NOW};
	struct func_table many = {.fn = fns, .cnt = 1 << 20};
	__u8 *calls;

	assert_int_equal(insns__call_graph(p.insn, 3 * FN_CNT, &funcs, &calls), 0);
	assert_memory_equal(calls, want, sizeof(want));
	free(calls);
	/* The instructions may end before the functions do. */
	assert_int_equal(insns__call_graph(p.insn, 1, &funcs, &calls), 0);
	assert_true(calls[MAIN * FN_CNT + A]);
	assert_false(calls[A * FN_CNT + B]);
	free(calls);
	assert_int_equal(insns__call_graph(p.insn, 1, &many, &calls), -E2BIG);
	assert_null(calls);
}

#define HELPER make_insn(BPF_JMP | BPF_CALL, 0, 0, 0) /* its address is withheld */
#define KFUNC make_insn(BPF_JMP | BPF_CALL, BPF_PSEUDO_KFUNC_CALL, 0, 0)

static struct bpf_insn mov(__u8 dst, __u8 src)
{
	return (struct bpf_insn){
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = dst, .src_reg = src};
}

/* The first half of an instruction that loads a constant of 64 bits. */
static struct bpf_insn load(__u8 dst)
{
	return (struct bpf_insn){.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = dst};
}

/* The second half of the load of an address in the kernel. */
#define AUX ((struct bpf_insn){.imm = -65536})
/* Two instructions, which load the address of program.aux as the third argument of a call */
#define LOAD_AUX load(BPF_REG_3), AUX

/*
 * Makes a main function that loads the address of a callback into r2 and then has the cnt instructions of rest.
 * Returns when main calls the callback: CALL_NOW, CALL_LATER or both.
 */
static __u8 when_called(const struct bpf_insn *rest, __u32 cnt)
{
	struct bpf_insn insns[32] = {load(BPF_REG_2)};
	struct bpf_fn two[] = {{.name = "main"}, {.name = "callback", .insn_off = 2 + cnt}};
	const struct func_table table = {.fn = two, .cnt = 2};
	__u8 *calls, when;

	insns[0].src_reg = BPF_PSEUDO_FUNC;
	insns[0].imm = 1 + cnt;
	for (__u32 i = 0; i < cnt; i++)
		insns[2 + i] = rest[i];
	insns[2 + cnt] = RET;
	assert_int_equal(insns__call_graph(insns, 2 + cnt + 1, &table, &calls), 0);
	when = calls[1];
	free(calls);
	return when;
}

#define WHEN(...)                                           \
	when_called((const struct bpf_insn[]){__VA_ARGS__}, \
		    sizeof((const struct bpf_insn[]){__VA_ARGS__}) / sizeof(struct bpf_insn))

/* The call that gets a callback shows whether the callback runs later, also if other calls come before it. */
static void test_when_callbacks_run(void **state)
{
	const struct bpf_insn spill = {.code = BPF_STX | BPF_MEM | BPF_DW, .src_reg = BPF_REG_2};

	/* bpf_loop(), bpf_timer_set_callback(), bpf_wq_set_callback() */
	assert_int_equal(WHEN(HELPER, RET), CALL_NOW);
	assert_int_equal(WHEN(LOAD_AUX, HELPER, RET), CALL_LATER);
	assert_int_equal(WHEN(load(BPF_REG_4), AUX, KFUNC, RET), CALL_LATER);
	/* bpf_loop() as the verifier inlines it */
	assert_int_equal(WHEN(NOP, call(1), RET), CALL_NOW);
	/* the callback is in r6 during the first call */
	assert_int_equal(WHEN(mov(6, 2), HELPER, mov(2, 6), LOAD_AUX, HELPER, RET),
			 CALL_NOW | CALL_LATER);
	assert_int_equal(WHEN(mov(6, 2), mov(2, 1), HELPER, mov(2, 6), LOAD_AUX, HELPER, RET),
			 CALL_LATER);
	/*
	 * not taken for the address of program.aux: a constant that is not loaded directly before
	 * the call, and one of 32 bits
	 */
	assert_int_equal(WHEN(LOAD_AUX, NOP, HELPER, RET), CALL_NOW);
	assert_int_equal(WHEN(load(BPF_REG_3), make_insn(0, 0, 0, 0), HELPER, RET), CALL_NOW);
	/* it is not known when the callback runs */
	assert_int_equal(WHEN(spill, HELPER, RET), CALL_NOW | CALL_LATER);
	assert_int_equal(WHEN(RET), CALL_NOW | CALL_LATER);
	assert_int_equal(WHEN(mov(2, 1), HELPER, RET), CALL_NOW | CALL_LATER);
}

/*
 * The kernel stores the distance of a call in 16 bits. The callee is known if only one function
 * begins at a place with these bits.
 */
static void test_far_calls(void **state)
{
	struct bpf_fn far[] = {{.name = "main", .insn_off = 0},
			       {.name = "near", .insn_off = 100},
			       {.name = "far", .insn_off = 70000},
			       {.name = "other", .insn_off = 65536 + 100}};
	const struct func_table with_far = {.fn = far, .cnt = 3},
				with_other = {.fn = far, .cnt = 4};
	struct bpf_insn insns[] = {call((__s16)(70000 - 1)), call(100 - 2)};
	int callee;

	assert_true(insns__find_callee(insns, 0, &with_far, &callee));
	assert_int_equal(callee, 2);
	assert_true(insns__find_callee(insns, 1, &with_far, &callee));
	assert_int_equal(callee, 1);
	assert_true(insns__find_callee(insns, 1, &with_other, &callee));
	assert_int_equal(callee, -1);
}

static void test_out_of_range(void **state)
{
	const struct bpf_insn insns[] = {TAIL, RET};

	/* functions beyond the last instruction have no calls */
	assert_true(REACH(insns, &funcs, MAIN));
	assert_false(REACH(insns, &funcs, C));
	/* an index that is not that of a function means the whole program */
	assert_true(REACH(insns, &funcs, FN_CNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_callee),
		cmocka_unit_test(test_other_calls),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_callback),
		cmocka_unit_test(test_unknown_callee),
		cmocka_unit_test(test_out_of_range),
		cmocka_unit_test(test_call_graph),
		cmocka_unit_test(test_when_callbacks_run),
		cmocka_unit_test(test_far_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
