// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how annotated code shows instructions that the kernel changes when it shows them, and those
 * that LLVM does not know.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/util.h"
#include "sampling/annotate.h"

enum { MAIN, SUB = 9, OTHER, END };

static const struct bpf_insn insns[END] = {
	{.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = 42},
	{},
	/* The distance is counted from the next instruction. */
	{.code = BPF_LD | BPF_IMM | BPF_DW,
	 .dst_reg = 2,
	 .src_reg = BPF_PSEUDO_FUNC,
	 .imm = SUB - 3},
	{},
	{.code = BPF_JMP | BPF_CALL, .imm = 0x1234},
	{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call},
	{.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .off = OTHER - 7},
	{.code = 0xfe},
	{.code = BPF_JMP | BPF_EXIT},
	{.code = BPF_JMP | BPF_EXIT},
	{.code = BPF_JMP | BPF_EXIT},
};

/* x86-64: a byte that begins no instruction, and a return. */
static const __u8 code[] = {0x06, 0xc3};

static void add_func(struct record_prog *p, const char *name, __u32 insn, __u32 cnt, __u32 code_off,
		     __u32 code_len)
{
	*record_prog__add_func(p) =
		(struct record_func){strdup(name), insn, cnt, code_off, code_len, true};
}

/* Makes a recording of a program with these instructions, and two functions behind it. */
static struct record *make_record(void)
{
	struct record *r = record__new();
	struct record_prog *p = record__add_prog(r);

	r->event = strdup("cpu-clock");
	r->period = 1000;
	r->head->host.kernel = strdup("6.12");
	r->head->host.arch = strdup("x86_64");
	r->head->host.cpus = 1;
	p->id = 7;
	p->name = strdup("prog");
	p->type = strdup("xdp");
	p->insns = malloc(sizeof(insns));
	memcpy(p->insns, insns, sizeof(insns));
	p->insns_sz = sizeof(insns);
	p->code = malloc(sizeof(code));
	memcpy(p->code, code, sizeof(code));
	p->code_sz = sizeof(code);
	add_func(p, "main", MAIN, SUB, 0, sizeof(code));
	add_func(p, "sub", SUB, 1, sizeof(code), 0);
	add_func(p, "other", OTHER, 1, sizeof(code), 0);
	*record_prog__add_place(p) = (struct record_place){0, 3, 30};
	r->samples.taken = r->samples.in_targets = 3;
	return r;
}

/* Returns the text of a function's instruction; off: BPF instruction, or byte of JITed code. */
static const char *text_of(const struct annotated_func *f, bool jited, __u32 off)
{
	for (int i = 0; i < f->line_cnt; i++)
		for (int k = 0; k < f->line[i].insn_cnt; k++)
			if (f->line[i].insn[k].jited == jited && f->line[i].insn[k].off == off)
				return f->line[i].insn[k].text;
	fail_msg("no instruction %u", off);
	return NULL;
}

static void test_names(void **state)
{
	const struct annotate_opts o = {};
	struct record *r = make_record();
	const struct annotated_func *f;
	struct annotation *a;

	a = annotate(r, &o);
	f = &a->prog[0].func[0];
	assert_string_equal(f->func->name, "main");
	if (!a->no_disasm) {
		assert_string_equal(text_of(f, false, 0), "r1 = map id 42 ll");
		assert_string_equal(text_of(f, false, 2), "r2 = sub ll");
		assert_string_equal(text_of(f, false, 4), "call helper");
		assert_string_equal(text_of(f, false, 5), "call tail_call");
		assert_string_equal(text_of(f, false, 6), "call other");
		assert_string_equal(text_of(f, false, 7), ".insn 0xfe");
		assert_string_equal(text_of(f, false, 8), "exit");
		assert_string_equal(text_of(f, true, 0), ".byte 0x06");
		assert_non_null(strstr(text_of(f, true, 1), "ret"));
	}
	annotation__free(a);
	record__free(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
