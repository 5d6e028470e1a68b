// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which targets of calls are found in machine code. The instructions are encoded as by the GNU
 * assembler.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "base/util.h"
#include "btf/jited_calls.h"

#define AT 0xffffffffc0001000

static void test_x86_64(void **state)
{
	/* nop; call +0x10; call -0x1000; the beginning of a call */
	static const __u8 code[] = {0x90, 0xe8, 0x10, 0, 0, 0, 0xe8, 0, 0xf0, 0xff, 0xff, 0xe8, 0};
	__u64 target;

	assert_false(x86_64__find_call(code, sizeof(code), AT, 0, &target));
	assert_true(x86_64__find_call(code, sizeof(code), AT, 1, &target));
	assert_true(target == AT + 6 + 0x10);
	assert_true(x86_64__find_call(code, sizeof(code), AT, 6, &target));
	assert_true(target == AT + 11 - 0x1000);
	assert_false(x86_64__find_call(code, sizeof(code), AT, 11, &target));
	assert_false(x86_64__find_call(code, 3, AT, 1, &target));
}

#define NOP 0xd503201f
#define BLR_X10 0xd63f0140

/* The call is the last instruction. */
static const struct {
	__u32 code[5];
	__u64 want; /* 0: none */
} arm64_cases[] = {
	/* movn x10, #0x432f; movk x10, #0x8123, lsl #16; movk x10, #0x8000, lsl #32 */
	{{NOP, 0x928865ea, 0xf2b0246a, 0xf2d0000a, BLR_X10}, 0xffff80008123bcd0},
	/* movz x10, #0xffff, lsl #48; movk x10, #0x1234, lsl #16; movk x10, #0x5678 */
	{{NOP, 0xd2ffffea, 0xf2a2468a, 0xf28acf0a, BLR_X10}, 0xffff000012345678},
	{{NOP, NOP, NOP, 0x928865ea, BLR_X10}, 0xffffffffffffbcd0},
	/* no target: the first instruction is missing, or one between is for another register */
	{{NOP, NOP, 0xf2b0246a, 0xf2d0000a, BLR_X10}, 0},
	{{NOP, 0x928865ea, 0xf2b0246b, 0xf2d0000a, BLR_X10}, 0},
	{{NOP, 0x928865ea, 0xf2b0246a, NOP, BLR_X10}, 0},
	{{0xf2d0000a, 0xf2d0000a, 0xf2d0000a, 0xf2d0000a, BLR_X10}, 0},
	/* bl +0x100; bl -8; b +0x100; blr x11 */
	{{NOP, NOP, NOP, NOP, 0x94000040}, AT + 16 + 0x100},
	{{NOP, NOP, NOP, NOP, 0x97fffffe}, AT + 16 - 8},
	{{NOP, NOP, NOP, NOP, 0x14000040}, 0},
	{{NOP, 0x928865ea, 0xf2b0246a, 0xf2d0000a, 0xd63f0160}, 0},
};

static void test_arm64(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(arm64_cases); i++) {
		const __u8 *code = (const __u8 *)arm64_cases[i].code;
		__u64 target = 0;
		bool found = arm64__find_call(code, 20, AT, 16, &target);

		if (found != !!arm64_cases[i].want || (found && target != arm64_cases[i].want))
			fail_msg("case %zu: %d %#llx", i, found, target);
		assert_false(arm64__find_call(code, 20, AT, 17, &target));
		assert_false(arm64__find_call(code, 19, AT, 16, &target));
		assert_false(arm64__find_call(code, 20, AT, 20, &target));
	}
}

#define SLOTS 6
#define SLOT_SZ 8
#define A (AT + 0x1000)
#define B (AT + 0x2000)

/*
 * Writes a call of each target, 8 bytes apart, in the code of this build's architecture. 0: no
 * call.
 */
static void put_calls(const __u64 *target, __u8 *code)
{
	memset(code, 0x90, SLOTS * SLOT_SZ);
	for (int i = 0; i < SLOTS; i++) {
		__u8 *slot = code + i * SLOT_SZ;
		__u64 distance = target[i] - (AT + i * SLOT_SZ);
		__u32 insn = 0x94000000 | (distance / 4 & 0x3ffffff); /* BL */

		if (!target[i])
			continue;
		if (JITED_CALL_SZ == 4) {
			memcpy(slot, &insn, sizeof(insn));
			continue;
		}
		insn = distance - JITED_CALL_SZ;
		slot[0] = 0xe8;
		memcpy(slot + 1, &insn, sizeof(insn));
	}
}

/* The address after the call in slot i. */
#define AFTER(i) (AT + (i)*SLOT_SZ + JITED_CALL_SZ)

/*
 * Each call gets its return address, unless the machine code has more or fewer calls of that target
 * than the BPF code.
 */
static void test_returns(void **state)
{
	static const struct {
		__u64 code[SLOTS], target[3], want[3];
	} cases[] = {
		{{A, 0, B, 0, 0, A}, {A, B, A}, {AFTER(0), AFTER(2), AFTER(5)}},
		{{0, B, A, AT, A}, {A, B, A}, {AFTER(2), AFTER(1), AFTER(4)}},
		{{0, A, B}, {A, B, A}, {0, AFTER(2), 0}},
		{{A, A, B, A}, {A, B, A}, {0, AFTER(2), 0}},
		{{A, A, A, A, A, B}, {A, B, A}, {0, AFTER(5), 0}},
		{{0}, {A, B, A}, {0, 0, 0}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		__u8 code[SLOTS * SLOT_SZ];
		__u64 returns[3] = {1, 1, 1};

		put_calls(cases[i].code, code);
		jited__find_returns(code, sizeof(code), AT, cases[i].target, returns, 3);
		for (int n = 0; n < 3; n++)
			if (returns[n] != cases[i].want[n])
				fail_msg("case %zu, call %d: %#llx", i, n, returns[n]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
