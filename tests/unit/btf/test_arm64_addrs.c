// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the detection of kernel addresses whose loading takes fewer than three instructions in
 * arm64 code. The instructions are encoded as by the GNU assembler.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/util.h"
#include "btf/arm64_addrs.h"

#define NOP 0xd503201f
#define RET 0xd65f03c0

static void test_code(void **state)
{
	static const struct {
		__u32 code[6];
		__u32 want;
	} cases[] = {
		/*
		 * three instructions: movz x0, #0xffff, lsl #48; movk x0, #0x1234, lsl #16; movk
		 * x0, #0x5678
		 */
		{{0xd2ffffe0, 0xf2a24680, 0xf28acf00, RET, NOP, NOP}, 0},
		/* the same without the third instruction, and then without the second one */
		{{0xd2ffffe0, 0xf2a24680, RET, NOP, NOP, NOP}, 1},
		{{0xd2ffffe0, 0xf28acf00, RET, NOP, NOP, NOP}, 1},
		/*
		 * a short load of 0xfff0000012340000 to x7, then a load of three instructions to x1
		 */
		{{0xd2fffe07, 0xf2a24687, 0xd2ffffe1, 0xf2a24681, 0xf28acf01, RET}, 1},
		/* a MOVK to another register is not part of the load */
		{{0xd2ffffe0, 0xf2a24681, 0xf28acf01, RET, NOP, NOP}, 1},
		/* a short load at the end of the code */
		{{NOP, NOP, NOP, NOP, 0xd2ffffe0, 0xf2a24680}, 1},
		/*
		 * movz x0, #0x1234, lsl #48, and movz x0, #0xffff: these are not addresses of the
		 * kernel
		 */
		{{0xd2e24680, RET, 0xd29fffe0, RET, NOP, NOP}, 0},
		/*
		 * a load that begins with MOVN is not counted: movn x0, #0x7fff, lsl #32; movk x0,
		 * #0x1234, lsl #16
		 */
		{{0x92cfffe0, 0xf2a24680, RET, NOP, NOP, NOP}, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (arm64__count_short(cases[i].code, 6) != cases[i].want)
			fail_msg("case %zu: %u", i, arm64__count_short(cases[i].code, 6));
}

static void test_constants(void **state)
{
	static const struct {
		__u64 value;
		__u8 src_reg;
		__u32 want;
	} cases[] = {
		{0xffff000012345678, 0, 0},
		{0xffff000012340000, 0, 1},
		{0xffff000012340000, BPF_PSEUDO_MAP_FD, 0},
		{0xfff0000000000000, 0, 1},
		{0x1234000000000000, 0, 0},
		/*
		 * The first value takes two instructions with MOVZ and also with MOVN; the JIT then
		 * uses MOVZ. The second value takes a single MOVN.
		 */
		{0xffffffff00000000, 0, 1},
		{0xffffffffffff0000, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct bpf_insn insns[] = {
			{.code = BPF_LD | BPF_IMM | BPF_DW,
			 .src_reg = cases[i].src_reg,
			 .imm = (__s32)cases[i].value},
			{.imm = (__s32)(cases[i].value >> 32)},
			{.code = BPF_JMP | BPF_EXIT},
		};

		if (arm64__count_short_constants(insns, 3) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

static void test_usual(void **state)
{
	static const struct {
		__u64 address;
		bool want;
	} cases[] = {
		{0xffff000012345678, true},
		{0xffff000012340000, false}, /* a multiple of 64 KiB */
		{0xffff000000005678, false},
		{0xffff000012345400, true},
		{0xffff000100005678, true},  /* more than 4 GB above the lowest address */
		{0xffff000112345678, true},  /* takes a MOVN and two MOVKs */
		{0xffffffff12345678, false}, /* takes a MOVN and one MOVK */
		{0xfff0000012345678, true},
		{0xfff0000112345678, false}, /* takes a MOVZ and three MOVKs */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (arm64__is_common_address(cases[i].address) != cases[i].want)
			fail_msg("case %zu", i);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_usual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
