// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which instructions count as blinded. They have the form in which the kernel returns them. The programs
 * here are made up, so the kernel cannot return their instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/util.h"
#include "btf/blinding.h"
#include "btf/prog.h"

#define AX 11
#define INSN(insn_code, dst)                                    \
	{                                                       \
		.code = (insn_code), .dst_reg = (dst), .imm = 5 \
	}

static void test_insns(void **state)
{
	static const struct {
		struct bpf_insn insns[3];
		bool blinded;
	} cases[] = {
		{{INSN(BPF_ALU64 | BPF_MOV | BPF_K, AX), INSN(BPF_ALU64 | BPF_XOR | BPF_K, AX)},
		 true},
		{{INSN(BPF_ALU | BPF_MOV | BPF_K, AX), INSN(BPF_ALU | BPF_XOR | BPF_K, AX)}, true},
		{{INSN(BPF_JMP | BPF_EXIT, 0), INSN(BPF_ALU64 | BPF_MOV | BPF_K, AX),
		  INSN(BPF_ALU64 | BPF_XOR | BPF_K, AX)},
		 true},
		/* not blinded: the program's own registers */
		{{INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1), INSN(BPF_ALU64 | BPF_XOR | BPF_K, 1)},
		 false},
		{{INSN(BPF_ALU64 | BPF_MOV | BPF_K, AX), INSN(BPF_ALU64 | BPF_XOR | BPF_K, 1)},
		 false},
		{{INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1), INSN(BPF_ALU64 | BPF_XOR | BPF_K, AX)},
		 false},
		/* not blinded: instructions that the verifier adds for other purposes */
		{{INSN(BPF_ALU | BPF_MOV | BPF_K, AX), INSN(BPF_ALU64 | BPF_SUB | BPF_X, AX)},
		 false},
		{{INSN(BPF_ALU64 | BPF_MOV | BPF_X, AX), INSN(BPF_ALU64 | BPF_XOR | BPF_K, AX)},
		 false},
		{{INSN(BPF_ALU64 | BPF_MOV | BPF_K, AX), INSN(BPF_ALU64 | BPF_XOR | BPF_X, AX)},
		 false},
		{{INSN(BPF_ALU | BPF_MOV | BPF_K, AX), INSN(BPF_ALU64 | BPF_XOR | BPF_K, AX)},
		 false},
		{{INSN(BPF_JMP | BPF_MOV | BPF_K, AX), INSN(BPF_JMP | BPF_XOR | BPF_K, AX)}, false},
		{{INSN(BPF_ALU64 | BPF_ADD | BPF_K, AX), INSN(BPF_ALU64 | BPF_XOR | BPF_K, AX)},
		 false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(insns__are_blinded(cases[i].insns, 3), cases[i].blinded);
	assert_false(insns__are_blinded(cases[0].insns, 0));
	assert_false(insns__are_blinded(cases[0].insns, 1));
	assert_true(insns__are_blinded(cases[0].insns, 2));
}

static bool yes(void)
{
	return true;
}

static bool no(void)
{
	return false;
}

/* If the code cannot be read, the kernel's current setting (bpf_jit_harden) decides. */
static void test_unreadable(void **state)
{
	struct prog p = {.fd = -1};

	assert_false(prog__is_blinded(&p, yes)); /* interpreted */
	p.info.jited_prog_len = 64;
	assert_true(prog__is_blinded(&p, yes));
	assert_false(prog__is_blinded(&p, no));
	p.info.xlated_prog_len = 16;
	assert_true(prog__is_blinded(&p, yes));
	assert_false(prog__is_blinded(&p, no));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_insns),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests_name("blinding", tests, NULL, NULL);
}
