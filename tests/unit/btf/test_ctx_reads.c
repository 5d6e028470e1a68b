// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which fields of its context a program reads, from instructions as a compiler makes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/filter.h>

#include "btf/ctx_reads.h"

static struct bpf_insn make(__u8 code, __u8 dst, __u8 src, __s16 off, __s32 imm)
{
	return (struct bpf_insn){
		.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm};
}

#define LOAD(size, dst, src, off) make(BPF_LDX | BPF_MEM | BPF_##size, dst, src, off, 0)
#define SAVE(dst, src, off) make(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define MOV(dst, src) make(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst) make(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, 0)
#define IF(off) make(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, off, 0)
#define JUMP(off) make(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define CALL(rel) make(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, rel)
#define HELPER make(BPF_JMP | BPF_CALL, 0, 0, 0, 7)
#define RET make(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#define READS(want, ...)                                                                    \
	do {                                                                                \
		const struct bpf_insn v[] = {__VA_ARGS__};                                  \
		assert_int_equal(insns__find_ctx_reads(v, sizeof(v) / sizeof(v[0])), want); \
	} while (0)

#define WORD(i) (1ULL << (i))

static void test_loads(void **state)
{
	READS(0, SET(0), RET);
	READS(WORD(2), LOAD(W, 0, 1, 8), RET);
	READS(WORD(2), LOAD(B, 0, 1, 11), RET);
	READS(WORD(38) | WORD(39), LOAD(DW, 0, 1, 152), RET);
	/* reads behind the first 64 words, or before the context, are ignored */
	READS(0, LOAD(W, 0, 1, 256), LOAD(W, 2, 1, -8), RET);
	/* the base of the second load is not the context, but a value that was loaded from it */
	READS(WORD(0), LOAD(W, 2, 1, 0), LOAD(W, 0, 2, 4), RET);
}

static void test_copies(void **state)
{
	READS(WORD(1), MOV(6, 1), HELPER, LOAD(W, 0, 6, 4), RET);
	READS(0, HELPER, LOAD(W, 0, 1, 4), RET);
	READS(0, MOV(6, 1), SET(6), LOAD(W, 0, 6, 4), RET);
	/* the context is kept on the stack, and overwritten there */
	READS(WORD(3), SAVE(10, 1, -16), LOAD(DW, 7, 10, -16), LOAD(W, 0, 7, 12), RET);
	READS(0, SAVE(10, 1, -16), LOAD(DW, 7, 10, -8), LOAD(W, 0, 7, 12), RET);
	READS(0, SAVE(10, 1, -16), SAVE(10, 2, -16), LOAD(DW, 7, 10, -16), LOAD(W, 0, 7, 12), RET);
	/* the load of a 64-bit constant takes two slots, and the second slot is not an instruction */
	READS(WORD(1), make(BPF_LD | BPF_IMM | BPF_DW, 2, 0, 0, 0), LOAD(W, 0, 1, 8),
	      LOAD(W, 0, 1, 4), RET);
}

static void test_jumps(void **state)
{
	READS(WORD(1) | WORD(2), IF(2), LOAD(W, 0, 1, 4), RET, LOAD(W, 0, 1, 8), RET);
	READS(WORD(2), JUMP(1), LOAD(W, 0, 1, 4), LOAD(W, 0, 1, 8), RET);
	/* a loop: in its second round, r2 is the context */
	READS(WORD(1), SET(2), LOAD(W, 0, 2, 4), MOV(2, 1), IF(-3), RET);
	/* out of the program */
	READS(0, JUMP(100));
	READS(0, IF(-100), CALL(100), SET(0));
}

static void test_calls(void **state)
{
	READS(WORD(5), MOV(2, 1), CALL(1), RET, LOAD(W, 0, 2, 20), RET);
	/* the called function gets no context as an argument, and has its own stack */
	READS(0, SAVE(10, 1, -8), SET(1), CALL(1), RET, LOAD(DW, 1, 10, -8), LOAD(W, 0, 1, 4), RET);
	/* a function that nobody calls */
	READS(0, SET(0), RET, LOAD(W, 0, 1, 4), RET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
