// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the labels of functions: they are unique in a program, whatever the names, files and lines are. Also tests
 * which labels a user's glob selects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/util.h"
#include "btf/bpf_fn.h"
#include "btf/func_label.h"
#include "btf/line_table.h"

#define MAX_FUNCS 8

/* A function and the place of its first instruction. file NULL: it has no line. */
struct made_func {
	const char *name, *file;
	__u32 line, type_id;
	const char *label;
	__u32 first;
};

static void assert_labels(const struct made_func *funcs)
{
	struct bpf_line lines[2 * MAX_FUNCS] = {};
	struct bpf_fn fn[MAX_FUNCS] = {};
	__u32 cnt = 0, line_cnt = 0;

	for (; funcs[cnt].name; cnt++) {
		const struct made_func *f = &funcs[cnt];

		fn[cnt] = (struct bpf_fn){
			.name = f->name, .type_id = f->type_id, .insn_off = 10 * cnt};
		if (f->file)
			lines[line_cnt++] = (struct bpf_line){
				.insn_off = 10 * cnt, .line = f->line, .file = f->file};
		/* this line is not that of the function's first instruction */
		lines[line_cnt++] =
			(struct bpf_line){.insn_off = 10 * cnt + 5, .line = 99, .file = "other.h"};
	}
	func_label__set(fn, cnt, NULL, 0); /* the second call replaces these */
	func_label__set(fn, cnt, lines, line_cnt);
	for (__u32 i = 0; i < cnt; i++) {
		assert_string_equal(fn[i].label, funcs[i].label);
		assert_int_equal(fn[i].first, funcs[i].first);
		for (__u32 k = 0; k < i; k++)
			assert_string_not_equal(fn[i].label, fn[k].label);
	}
	for (__u32 i = 0; i < cnt; i++)
		free(fn[i].own_label);
}

static void test_labels(void **state)
{
	/* Without namesakes, labels are names, also of the copies of functions that gcc makes. */
	assert_labels((struct made_func[]){{"main", "m.c", 1, 1, "main", 0},
					   {"f.isra.0", "m.c", 2, 2, "f.isra.0", 1},
					   {"f.constprop.0", "m.c", 2, 3, "f.constprop.0", 2},
					   {}});
	/* functions of two source files, with different BTF ids, and with the same one */
	assert_labels((struct made_func[]){{"main", "m.c", 1, 1, "main", 0},
					   {"f", "/src/a.c", 5, 2, "f@a.c:5", 1},
					   {"g", "/src/a.c", 9, 4, "g@a.c:9", 2},
					   {"f", "../b.c", 12, 3, "f@b.c:12", 3},
					   {"g", "../b.c", 9, 4, "g@b.c:9", 2},
					   {}});
	/* A header that two files include, two files of one name, and functions without lines. */
	assert_labels((struct made_func[]){{"main", "m.c", 1, 1, "main", 0},
					   {"f", "a/h.h", 5, 2, "f@h.h:5#1", 1},
					   {"f", "b/h.h", 5, 2, "f@h.h:5#2", 1},
					   {"f", "a/h.h", 6, 2, "f@h.h:6", 1},
					   {"f", NULL, 0, 5, "f#1", 4},
					   {"g", "g.c", 3, 6, "g@g.c:3", 5},
					   {"g", "", 4, 7, "g#1", 6},
					   {}});
	/* The entry function keeps its name. */
	assert_labels((struct made_func[]){
		{"main", "m.c", 1, 1, "main", 0}, {"main", "b.c", 7, 2, "main@b.c:7", 1}, {}});
	assert_labels((struct made_func[]){
		{"main", "m.c", 1, 1, "main", 0}, {"main", NULL, 0, 2, "main#1", 1}, {}});
}

static void test_hostile_files(void **state)
{
	char path[300], label[100];

	assert_labels((struct made_func[]){{"main", "m.c", 1, 1, "main", 0},
					   {"f", "a\x1b[2J \n.c", 5, 2, "f@a_[2J__.c:5", 1},
					   {"f", "x#1@y\x80.c", 5, 3, "f@x_1_y_.c:5#1", 2},
					   {"f", "x_1_y_.c", 5, 4, "f@x_1_y_.c:5#2", 3},
					   {"f", "dir/", 4294967295u, 5, "f@:4294967295", 4},
					   {}});
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	snprintf(label, sizeof(label), "f@%s:1", path + sizeof(path) - 1 - 64);
	assert_labels((struct made_func[]){{"main", "m.c", 1, 1, "main", 0},
					   {"f", path, 1, 2, label, 1},
					   {"f", "b.c", 1, 3, "f@b.c:1", 2},
					   {}});
}

static void test_matches(void **state)
{
	static const char *const globs[] = {
		"*", "helper", "h*", "helper@a.c:12", "*@a.c*", "helper@*", "helper@a.c:1[0-9]"};
	static const char *const others[] = {"",    "help",	    "helper@b.c:12",
					     "a.c", "helper@a.c:1", "HELPER"};

	for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
		assert_true(func_label__matches("helper@a.c:12", globs[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(func_label__matches("helper@a.c:12", others[i]));
	assert_true(func_label__matches("helper#2", "helper"));
	assert_true(func_label__matches("helper#2", "helper#2"));
	assert_false(func_label__matches("helper#2", "helper#1"));
	assert_true(func_label__matches("helper", "helper"));
	assert_false(func_label__matches("helper", "helper@*"));
	/*
	 * A label selects its function, even if the label, read as a glob, would only match others.
	 */
	assert_true(func_label__matches("f@[id].c:3", "f@[id].c:3"));
}

static void test_moved(void **state)
{
	assert_true(func_label__is_moved("f@a.c:5", "f@a.c:17"));
	assert_true(func_label__is_moved("f@a.c:5#2", "f@a.c:17#2"));
	assert_true(func_label__is_moved("f@a.c:5", "f@a.c:5"));
	assert_false(func_label__is_moved("f@a.c:5", "f@b.c:5"));
	assert_false(func_label__is_moved("f@a.c:5", "g@a.c:5"));
	assert_false(func_label__is_moved("f@a.c:5#1", "f@a.c:5#2"));
	assert_false(func_label__is_moved("f@a.c:5#1", "f@a.c:5"));
	assert_false(func_label__is_moved("f@a.c:5", "f"));
	assert_false(func_label__is_moved("f#1", "f#1"));
	assert_false(func_label__is_moved("a::f", "a::g"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_hostile_files),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
