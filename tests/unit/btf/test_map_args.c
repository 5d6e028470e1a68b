// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests in which register the address of a map is certain, and which code is recognised as a helper
 * that the verifier has inlined; and which parameter is a map.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <bpf/btf.h>
#include <cmocka.h>

#include "base/text.h"
#include "base/util.h"
#include "btf/map_args.h"

#define MAP(reg, id)                        \
	{.code = BPF_LD | BPF_IMM | BPF_DW, \
	 .dst_reg = (reg),                  \
	 .src_reg = BPF_PSEUDO_MAP_FD,      \
	 .imm = (id)},                      \
	{                                   \
	}
#define NUMBER(reg)                                                      \
	{.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = (reg), .imm = 1}, \
	{                                                                \
	}
#define MOV(dst, src)                                                                   \
	{                                                                               \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (dst), .src_reg = (src) \
	}
#define SET(dst)                                                                \
	{                                                                       \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = 1 \
	}
#define ADD(dst)                                                                  \
	{                                                                         \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (dst), .imm = 272 \
	}
#define STORE(src)                                                                             \
	{                                                                                      \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = 10, .src_reg = (src), .off = -8 \
	}
#define FETCH(src)                                                                                 \
	{                                                                                          \
		.code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 10, .src_reg = (src), .off = -8, \
		.imm = BPF_ADD | BPF_FETCH                                                         \
	}
#define LOAD(sz, dst, src)                                                           \
	{                                                                            \
		.code = BPF_LDX | BPF_MEM | (sz), .dst_reg = (dst), .src_reg = (src) \
	}
#define IF(off_)                                                               \
	{                                                                      \
		.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 2, .off = (off_) \
	}
#define GOTO(off_)                                      \
	{                                               \
		.code = BPF_JMP | BPF_JA, .off = (off_) \
	}
#define FAR(off)                                         \
	{                                                \
		.code = BPF_JMP32 | BPF_JA, .imm = (off) \
	}
#define GOTOX                                                  \
	{                                                      \
		.code = BPF_JMP | BPF_JA | BPF_X, .dst_reg = 5 \
	}
#define CALL                                            \
	{                                               \
		.code = BPF_JMP | BPF_CALL, .imm = 4096 \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}
#define NOP                                                       \
	{                                                         \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 4 \
	}
#define MAX 12

/* The call is the last instruction that is not zero. */
static const struct {
	const char *what;
	struct bpf_insn insns[MAX];
	__u32 first, want;
} cases[] = {
	{"loaded", {MAP(1, 42), NOP, CALL}, 0, 42},
	{"of two loads the last", {MAP(1, 41), MAP(1, 42), CALL}, 0, 42},
	{"another register", {MAP(1, 42), MAP(2, 43), STORE(1), CALL}, 0, 42},
	{"moved", {MAP(6, 42), MOV(1, 6), CALL}, 0, 42},
	{"kept over a call", {MAP(6, 42), CALL, MOV(1, 6), CALL}, 0, 42},
	{"lost by a call", {MAP(1, 42), CALL, CALL}, 0, 0},
	{"overwritten", {MAP(1, 42), SET(1), CALL}, 0, 0},
	{"a number", {MAP(1, 42), NUMBER(1), CALL}, 0, 0},
	{"read from memory", {MAP(1, 42), LOAD(BPF_DW, 1, 10), CALL}, 0, 0},
	{"fetched", {MAP(1, 42), FETCH(1), CALL}, 0, 0},
	{"another one is fetched", {MAP(1, 42), FETCH(3), CALL}, 0, 42},
	{"a branch leaves", {MAP(1, 42), IF(1), CALL}, 0, 42},
	{"a branch arrives", {IF(2), MAP(1, 42), CALL}, 0, 0},
	{"a branch arrives before the load", {IF(0), MAP(1, 42), CALL}, 0, 42},
	{"a far branch arrives", {FAR(2), MAP(1, 42), CALL}, 0, 0},
	{"jumps to anywhere", {GOTOX, MAP(1, 42), CALL}, 0, 0},
	{"after a jump", {MAP(1, 42), GOTO(0), CALL}, 0, 0},
	{"after the end", {MAP(1, 42), EXIT, CALL}, 0, 0},
	{"in the function before", {MAP(1, 42), CALL}, 2, 0},
};

static void test_map(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct insn_flow flow;
		__u32 last = MAX - 1, map;

		while (!cases[i].insns[last].code)
			last--;
		insn_flow__find(&flow, cases[i].insns, MAX);
		map = insn_flow__map_in(&flow, cases[i].first, last, BPF_REG_1);
		insn_flow__free(&flow);
		if (map != cases[i].want)
			fail_msg("%s: map %u", cases[i].what, map);
	}
}

#define PER_CPU                                                \
	{                                                      \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .off = -1 \
	}
#define MOV32                                                  \
	{                                                      \
		.code = BPF_ALU | BPF_MOV | BPF_K, .imm = 1234 \
	}
#define PSEUDO_CALL                                                                        \
	{                                                                                  \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .off = 9, .imm = 1 \
	}
#define TEST_END                                                                        \
	{                                                                               \
		.code = BPF_JMP | BPF_JGE | BPF_X, .dst_reg = 7, .src_reg = 6, .off = 5 \
	}
#define COUNT                                                               \
	{                                                                   \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 7, .imm = 1 \
	}
#define AGAIN(off_)                                              \
	{                                                        \
		.code = BPF_JMP | BPF_JEQ | BPF_K, .off = (off_) \
	}

static const struct {
	struct bpf_insn insns[MAX];
	__u32 i;
	const char *want;
	__u32 map;
} inlined[] = {
	{{MAP(1, 42), ADD(1), LOAD(BPF_W, 0, 2)}, 2, "bpf_map_lookup_elem", 42},
	{{NUMBER(1), ADD(1), LOAD(BPF_W, 0, 2)}, 2, NULL, 0},
	{{MAP(1, 42), ADD(2)}, 2, NULL, 0},
	{{SET(0), PER_CPU, LOAD(BPF_W, 0, 0)}, 1, "bpf_get_smp_processor_id", 0},
	{{MOV32, PER_CPU, LOAD(BPF_W, 0, 0)}, 1, "bpf_get_smp_processor_id", 0},
	{{SET(0), PER_CPU, LOAD(BPF_DW, 0, 0)}, 1, "bpf_get_current_task", 0},
	/* the end of an inlined lookup in a per-CPU array */
	{{LOAD(BPF_DW, 0, 0), PER_CPU, LOAD(BPF_W, 0, 0)}, 1, NULL, 0},
	{{SET(0), PER_CPU}, 1, NULL, 0},
	{{PER_CPU, LOAD(BPF_W, 0, 0)}, 0, NULL, 0},
	{{TEST_END, MOV(1, 7), MOV(2, 8), PSEUDO_CALL, COUNT, AGAIN(-6), MOV(0, 7)},
	 3,
	 "bpf_loop",
	 0},
	{{TEST_END, MOV(1, 7), MOV(2, 8), PSEUDO_CALL, COUNT, AGAIN(-5), MOV(0, 7)}, 3, NULL, 0},
	{{TEST_END, MOV(1, 7), MOV(2, 8), CALL, COUNT, AGAIN(-6), MOV(0, 7)}, 3, NULL, 0},
	{{TEST_END, MOV(1, 7), MOV(2, 8), PSEUDO_CALL, COUNT, AGAIN(-6)}, 3, NULL, 0},
	{{PSEUDO_CALL, COUNT, AGAIN(-6), MOV(0, 7)}, 0, NULL, 0},
};

static void test_inlined(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(inlined); k++) {
		struct insn_flow flow;
		const char *helper;
		__u32 map, cnt = MAX;

		/*
		 * Leaves out the zeros at the end: no pattern may be found beyond the last
		 * instruction.
		 */
		while (!inlined[k].insns[cnt - 1].code)
			cnt--;
		insn_flow__find(&flow, inlined[k].insns, cnt);
		helper = insn_flow__inlined(&flow, 0, inlined[k].i, &map);
		insn_flow__free(&flow);
		if (!text__is_same(helper, inlined[k].want) || map != inlined[k].map)
			fail_msg("case %zu: %s, map %u", k, helper ?: "none", map);
	}
}

/* Adds a function's type with one parameter of each of these types. Returns its id. */
static int add_proto(struct btf *btf, int first, int second)
{
	int id = btf__add_func_proto(btf, 0);

	btf__add_func_param(btf, "first", first);
	btf__add_func_param(btf, "second", second);
	return id;
}

/*
 * Tests which parameter is a map. The parameters of a helper are those of the typedef btf_NAME;
 * other functions have a type of their own.
 */
static void test_param(void **state)
{
	struct btf *btf = btf__new_empty();
	int number, map, other, proto;

	assert_non_null(btf);
	number = btf__add_int(btf, "u64", 8, 0);
	map = btf__add_ptr(btf, btf__add_struct(btf, "bpf_map", 0));
	other = btf__add_ptr(btf, btf__add_struct(btf, "bpf_map_ops", 0));
	proto = btf__add_ptr(btf, add_proto(btf, other, map));
	btf__add_typedef(btf, "btf_bpf_output", proto);
	btf__add_func(btf, "bpf_output", BTF_FUNC_STATIC, add_proto(btf, number, number));
	btf__add_func(btf, "htab_update", BTF_FUNC_STATIC, add_proto(btf, map, number));
	btf__add_func(btf, "no_map", BTF_FUNC_STATIC, add_proto(btf, number, other));
	assert_int_equal(map_args__param(btf, "bpf_output"), 2);
	assert_int_equal(map_args__param(btf, "htab_update"), 1);
	assert_int_equal(map_args__param(btf, "no_map"), 0);
	assert_int_equal(map_args__param(btf, "unknown"), 0);
	btf__free(btf);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_param),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
