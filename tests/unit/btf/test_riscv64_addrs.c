// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the number of instructions with which riscv64 code loads a number, and which programs load
 * addresses. The numbers of instructions are those of emit_imm() in Linux 6.12.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/util.h"
#include "btf/riscv64_addrs.h"

static void test_load_insns(void **state)
{
	static const struct {
		__u64 value;
		int want;
	} cases[] = {
		/* li */
		{0, 1},
		{2047, 1},
		{(__u64)-2048, 1},
		/* lui and addiw, which is there also if it adds nothing */
		{2048, 2},
		{(__u64)-2049, 2},
		{4096, 2},
		{0x7fffffff, 2},
		{(__u64)INT32_MIN, 2},
		/* li 1, slli 31; with addi -1; lui, addiw, slli, addi */
		{0x80000000, 2},
		{0xffffffff, 3},
		{0x123456789, 4},
		/* the first page of vmalloc (five levels of page tables): li -7, slli 53 */
		{0xff20000000000000, 2},
		/* page 1: li -7, slli 41, addi 1, slli 12 */
		{0xff20000000001000, 4},
		/* page 0x800: the same, because the page's number ends with zeros */
		{0xff20000000800000, 4},
		/* page 0x801: li -7, slli 37, addi 1, slli 12, addi -0x7ff, slli 12 */
		{0xff20000000801000, 6},
		/* page 0x1002: lui, addiw, slli 12, addi -0x7ff, slli 13 */
		{0xff20000001002000, 5},
		/* an address in page 0x801: li -7, slli 40, addi 0x401, slli 13, addi -0xf8 */
		{0xff20000000801f08, 5},
		/* the linear map: lui, addiw, slli 17, addi 0x48d, slli 14, addi 0x568 */
		{0xff60000081234568, 6},
		{0xff60000081234000, 5},
		/* all bits */
		{0x123456789abcdef1, 8},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (riscv64__load_insns(cases[i].value) != cases[i].want)
			fail_msg("%#llx: %d, not %d", cases[i].value,
				 riscv64__load_insns(cases[i].value), cases[i].want);
}

static void test_loads_address(void **state)
{
	static const struct {
		__u8 code, src_reg;
		bool want;
	} cases[] = {
		{BPF_LD | BPF_IMM | BPF_DW, 0, false},
		{BPF_LD | BPF_IMM | BPF_DW, BPF_PSEUDO_FUNC, false},
		{BPF_LD | BPF_IMM | BPF_DW, BPF_PSEUDO_MAP_FD, true},
		{BPF_LD | BPF_IMM | BPF_DW, BPF_PSEUDO_MAP_VALUE, true},
		{BPF_LD | BPF_IMM | BPF_DW, BPF_PSEUDO_BTF_ID, true},
		{BPF_JMP | BPF_CALL, BPF_PSEUDO_CALL, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* The second half of the first instruction is no instruction of its own. */
		const struct bpf_insn insns[] = {
			{.code = BPF_LD | BPF_IMM | BPF_DW},
			{.code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_MAP_FD},
			{.code = cases[i].code, .src_reg = cases[i].src_reg},
			{},
		};

		if (riscv64__loads_address(insns, ARRAY_SIZE(insns)) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_insns),
		cmocka_unit_test(test_loads_address),
	};

	return cmocka_run_group_tests_name("riscv64_addrs", tests, NULL, NULL);
}
