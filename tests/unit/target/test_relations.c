// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the order of targets that extend one another, and the notes on targets. The prog arrays and
 * extensions are made up, and the kernel is not used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "report/report.h"
#include "target/relations.h"
#include "target/target.h"
#include "target/target_priv.h"

#define MAX_TARGETS 8

/* All targets point to this program. Its instructions are unknown. */
static struct bpf_fn fns[] = {
	{.label = "main", .type_id = 1, .first = 0},
	{.label = "parse", .type_id = 2, .first = 1},
	{.label = "count", .type_id = 3, .first = 2},
};
static struct func_table funcs = {.fn = fns, .cnt = ARRAY_SIZE(fns)};
static struct prog prog = {.funcs = &funcs};

/* Makes targets with these ids (0-terminated), in order. The caller frees v. */
static struct target_list make_targets(const __u32 *ids)
{
	struct target_list list = {.v = calloc(MAX_TARGETS, sizeof(struct target))};

	assert_non_null(list.v);
	for (; *ids; ids++) {
		struct target *t = &list.v[list.cnt++];

		*t = (struct target){.id = *ids, .prog = &prog, .func_index = 0};
		for (const struct target *other = list.v; other < t; other++)
			t->func_index += other->id == t->id;
	}
	return list;
}

static void free_targets(struct target_list *list)
{
	target_list__free_index(list);
	free(list->v);
}

static void assert_ids(const struct target_list *list, const __u32 *ids)
{
	int cnt = 0;

	for (; ids[cnt]; cnt++) {
		assert_true(cnt < list->cnt);
		assert_int_equal(list->v[cnt].id, ids[cnt]);
	}
	assert_int_equal(list->cnt, cnt);
}

#define IDS(...) ((const __u32[]){__VA_ARGS__, 0})

/*
 * Programs 20 and 21 are dispatchers. Programs 9 and 30 extend program 20, and program 10 extends
 * both dispatchers.
 */
static struct extension exts[] = {
	{.prog_id = 30, .target_id = 20, .target_name = "disp", .func = "prog0"},
	{.prog_id = 10, .target_id = 20, .target_name = "disp", .func = "prog1"},
	{.prog_id = 9, .target_id = 20, .target_name = "disp", .func = ""},
	{.prog_id = 10, .target_id = 21, .target_name = "other", .func = "prog0"},
};
static const struct extensions all = {.v = exts, .cnt = 4};

static void test_order(void **state)
{
	static const struct {
		const __u32 before[MAX_TARGETS], after[MAX_TARGETS];
	} cases[] = {
		/*
		 * extensions follow in the order of the functions that they replace, whatever their
		 * ids are
		 */
		{{9, 10, 20, 25, 30}, {20, 30, 10, 9, 25}},
		{{25, 30, 20}, {25, 20, 30}},
		/* program 10 extends two dispatchers, and follows the one that is measured */
		{{10, 21, 25}, {21, 10, 25}},
		/* extensions of a dispatcher that is not measured keep their places */
		{{9, 5, 25}, {9, 5, 25}},
		/* two functions of the dispatcher are measured, and come before the extension */
		{{30, 20, 20}, {20, 20, 30}},
		{{20}, {20}},
		{{0}, {0}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target_list list = make_targets(cases[i].before);

		list.extensions = all;
		target_list__sort(&list);
		assert_ids(&list, cases[i].after);
		free_targets(&list);
	}
}

/* If the call graph is not known, a function may run in runs of the program, or elsewhere. */
static void test_unknown_calls(void **state)
{
	struct target_list list = make_targets(IDS(20, 20));

	target_list__sort(&list);
	assert_false(list.v[0].runs_elsewhere);
	assert_int_equal(list.v[0].root_index, 0);
	assert_true(list.v[1].runs_elsewhere);
	assert_int_equal(list.v[1].root_index, 0);
	assert_int_equal(list.v[1].depth, 1);
	free_targets(&list);
}

static void test_extends(void **state)
{
	struct target_list list = make_targets(IDS(9, 10, 21, 25));

	list.extensions = all;
	target_list__sort(&list);
	assert_ids(&list, IDS(9, 21, 10, 25));
	assert_ptr_equal(list.v[0].extends, &exts[2]);
	assert_null(list.v[1].extends);
	assert_ptr_equal(list.v[2].extends, &exts[3]);
	assert_null(list.v[3].extends);
	free_targets(&list);
}

/* Checks a target's notes, which are NULL-terminated. */
static void assert_notes(const struct target_list *list, int index, const char *method,
			 const char *const *notes)
{
	struct report *r = report__new();
	struct report_prog *p = report__add_prog(r);
	int cnt = 0;

	assert_non_null(p);
	p->method = method;
	target__add_notes(&list->v[index], list, !strcmp(method, "samples"), p);
	for (; notes[cnt]; cnt++) {
		assert_true(cnt < p->notes.cnt);
		assert_string_equal(p->notes.text[cnt], notes[cnt]);
	}
	assert_int_equal(p->notes.cnt, cnt);
	report__free(r);
}

#define NOTES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_tail_call_notes(void **state)
{
	__u32 in_first[] = {7, 5, 5}, in_second[] = {5};
	struct prog_array arrays[] = {
		{.map_id = 100, .name = "jumps", .prog_id = in_first, .cnt = 3},
		{.map_id = 101, .name = "more", .prog_id = in_second, .cnt = 1},
	};
	struct target_list list = make_targets(IDS(5, 7, 5, 8, 9));

	list.prog_arrays = (struct prog_arrays){.v = arrays, .cnt = 2};
	list.v[0].tail_calls = TAIL_CALLS_YES;
	list.v[2].subprog = true;
	list.v[3].tail_calls = TAIL_CALLS_MAYBE;
	assert_notes(&list, 0, "fentry",
		     NOTES("its runs by tail call (it is in prog array 100, jumps and 1 more) are "
			   "not seen by fentry; 'bprof stat --method samples' estimates its cost",
			   "makes tail calls: its cost includes the programs it jumps to"));
	assert_notes(&list, 1, "run_stats",
		     NOTES("its runs by tail call (it is in prog array 100, jumps) are not seen by "
			   "run_stats; 'bprof stat --method samples' estimates its cost"));
	/*
	 * no notes: samples include runs that start by tail call, and exclude the programs that are
	 * jumped to
	 */
	assert_notes(&list, 0, "samples", NOTES(NULL));
	assert_notes(&list, 3, "samples", NOTES(NULL));
	/* no tail call can jump to a subprogram */
	assert_notes(&list, 2, "fentry", NOTES(NULL));
	assert_notes(&list, 3, "fentry",
		     NOTES("may make tail calls (it has a prog array): its cost includes the "
			   "programs it "
			   "jumps to"));
	assert_notes(&list, 4, "fentry", NOTES(NULL));
	free_targets(&list);
}

static void test_extension_notes(void **state)
{
	struct target_list list = make_targets(IDS(20, 30, 9, 25));

	list.extensions = all;
	target_list__sort(&list);
	assert_notes(&list, 0, "fentry",
		     NOTES("its cost includes that of the 2 extensions listed after it"));
	assert_notes(&list, 1, "fentry", NOTES("extends program 20 (disp) in place of prog0"));
	assert_notes(&list, 2, "fentry", NOTES("extends program 20 (disp) in place of a function"));
	assert_notes(&list, 3, "fentry", NOTES(NULL));
	free_targets(&list);
}

/*
 * The functions f@a.c:1 and f@b.c:2 have the same name and BTF id: only the first one can be
 * probed.
 */
static void test_namesake_notes(void **state)
{
	/* main calls f@a.c:1 and wrap; wrap, which is not a target, calls f@b.c:2 */
	static __u8 calls[4][4] = {{0, CALL_NOW, 0, CALL_NOW}, {}, {}, {0, 0, CALL_NOW}};
	struct bpf_fn twins[] = {{.label = "main", .type_id = 1, .first = 0},
				 {.label = "f@a.c:1", .type_id = 2, .first = 1},
				 {.label = "f@b.c:2", .type_id = 2, .first = 1},
				 {.label = "wrap", .type_id = 3, .first = 3}};
	struct func_table table = {.fn = twins, .cnt = 4};
	struct prog p = {.funcs = &table, .calls = &calls[0][0]};
	struct skipped skipped[] = {{.id = 6, .func_index = 2}, {.id = 5}};
	struct target_list list = make_targets(IDS(5, 5));

	list.v[0].prog = list.v[1].prog = &p;
	list.v[0].by_func = list.v[1].by_func = list.v[1].subprog = true;
	list.skip = skipped;
	list.skip_cnt = 2;
	target_list__sort(&list);
	assert_notes(&list, 0, "fentry", NOTES(NULL));
	assert_notes(&list, 1, "fentry",
		     NOTES("has the same BTF id as f@b.c:2, which cannot be probed"));
	assert_notes(&list, 1, "samples", NOTES(NULL));
	skipped[0].id = 5;
	assert_notes(&list, 0, "fentry", NOTES("its cost includes f@b.c:2, not measured"));
	skipped[0].reason.code = REASON_THROW;
	assert_notes(&list, 0, "fentry",
		     NOTES("its cost includes f@b.c:2, not measured: bpf_throw() may leave it"));
	assert_notes(&list, 0, "samples", NOTES(NULL));
	free_targets(&list);
}

/* A function that makes tail calls may run in its own runs if a tail call can reach its program. */
static void test_nested(void **state)
{
	__u32 ids[] = {7, 5};
	struct prog_array array = {.map_id = 100, .prog_id = ids, .cnt = 2};
	struct target_list list = make_targets(IDS(5));
	struct target *t = list.v;

	list.prog_arrays = (struct prog_arrays){.v = &array, .cnt = 1};
	t->tail_calls = TAIL_CALLS_YES;
	assert_false(target_list__is_nested(&list)); /* a probe does not see such runs */
	t->subprog = true;
	assert_true(target_list__is_nested(&list));
	t->tail_calls = TAIL_CALLS_MAYBE;
	assert_true(target_list__is_nested(&list));
	t->tail_calls = TAIL_CALLS_NO;
	assert_false(target_list__is_nested(&list));
	t->tail_calls = TAIL_CALLS_YES;
	array.cnt = 1;
	assert_false(target_list__is_nested(&list));
	free_targets(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),		cmocka_unit_test(test_unknown_calls),
		cmocka_unit_test(test_extends),		cmocka_unit_test(test_tail_call_notes),
		cmocka_unit_test(test_extension_notes), cmocka_unit_test(test_namesake_notes),
		cmocka_unit_test(test_nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
