// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the reads by which the probe of bprof trace gets arguments. Which arguments targets have is tested
 * with loaded programs, in tests/kernel/trace/test_args.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "probe/trace_args.h"
#include "target/target.h"

static const struct target target = {.id = 42, .func_index = 1};

/* Makes the arguments of the target, with these expressions. */
static struct trace_args make_args(const char *const *specs, int cnt)
{
	struct trace_args a = {};
	struct trace_target_args *to = array__add(&a.target, &a.target_cnt, sizeof(*to));

	*to = (struct trace_target_args){.id = 42, .func_index = 1, .found = (1 << cnt) - 1};
	for (int i = 0; i < cnt; i++)
		assert_int_equal(trace_args__add(&a, specs[i], NULL), 0);
	return a;
}

static void assert_read(const struct bprof_trace_cpu *area, int i, __u32 offset, __u8 size,
			__u8 arg, __u8 kind)
{
	assert_int_equal(area->read[i].offset, offset);
	assert_int_equal(area->read[i].size, size);
	assert_int_equal(area->read[i].arg, arg);
	assert_int_equal(area->read[i].kind, kind);
}

static void test_reads(void **state)
{
	const char *const specs[] = {"ctx->len", "ctx->x", "ctx->name"};
	struct trace_args a = make_args(specs, 3);
	struct arg_path *path = a.target->path;
	struct bprof_trace_cpu area = {};

	path[0] =
		(struct arg_path){.at = {{0, 8}, 2}, .minus = {{0, 16}, 2}, .size = 8, .bits = 64};
	path[1] = (struct arg_path){
		.at = {{0, 24, 5}, 3}, .size = 2, .bit = 3, .bits = 11, .is_signed = true};
	path[2] = (struct arg_path){.at = {{8}, 1}, .size = 16, .bits = 128, .kind = ARG_TEXT};
	trace_args__fill(&a, &target, &area);
	assert_int_equal(area.read_cnt, 8);
	assert_read(&area, 0, 0, 8, 0, BPROF_READ_POINTER);
	assert_read(&area, 1, 16, 8, 0, BPROF_READ_MINUS);
	assert_read(&area, 2, 0, 8, 0, BPROF_READ_POINTER);
	assert_read(&area, 3, 8, 8, 0, BPROF_READ_VALUE);
	assert_read(&area, 6, 5, 2, 1, BPROF_READ_VALUE);
	assert_read(&area, 7, 8, 16, 2, BPROF_READ_VALUE);
	assert_int_equal(area.arg[0].left, 0);
	assert_int_equal(area.arg[0].right, 0);
	assert_int_equal(area.arg[1].left, 64 - 14);
	assert_int_equal(area.arg[1].right, 64 - 11);
	assert_int_equal(area.arg[1].mask, 2);
	assert_int_equal(area.arg[0].sign, 0);
	assert_int_equal(area.arg[0].order, 0);
	assert_int_equal(area.arg[1].sign, 1 << 10);
	assert_int_equal(area.arg[1].order, 1ULL << 63);
	assert_int_equal(area.arg[2].left, 0);
	trace_args__free(&a);
}

static void test_conditions(void **state)
{
	static const struct {
		const char *spec;
		__u8 when;
	} cases[] = {
		{"a", 0},
		{"a == 5", BPROF_ARG_EQUAL},
		{"a != 5", BPROF_ARG_LESS | BPROF_ARG_GREATER},
		{"a < 5", BPROF_ARG_LESS},
		{"a <= 5", BPROF_ARG_LESS | BPROF_ARG_EQUAL},
		{"a > 5", BPROF_ARG_GREATER},
		{"a >= 5", BPROF_ARG_GREATER | BPROF_ARG_EQUAL},
		{"a & 5", BPROF_ARG_HAS_BITS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_args a = make_args(&cases[i].spec, 1);
		struct bprof_trace_cpu area = {};

		a.target->path[0] = (struct arg_path){.at = {{0}, 1}, .size = 4, .bits = 32};
		a.target->operand[0] = 5;
		trace_args__fill(&a, &target, &area);
		assert_int_equal(trace_args__has_condition(&a), cases[i].when != 0);
		assert_int_equal(area.arg[0].when, cases[i].when);
		assert_int_equal(area.arg[0].operand, 5);
		trace_args__free(&a);
	}
}

/* Other functions of the program, and trampolines that save no arguments, have none. */
static void test_none(void **state)
{
	const char *const specs[] = {"a", "b"};
	struct trace_args a = make_args(specs, 2);
	struct target other = target, bare = target;
	struct bprof_trace_cpu area = {};

	a.target->found = 2;
	a.target->path[1] = (struct arg_path){.at = {{0}, 1}, .size = 4, .bits = 32};
	other.func_index = 2;
	bare.shape = (struct target_shape){.known = true};
	assert_null(trace_args__path(&a, &target, 0));
	assert_non_null(trace_args__path(&a, &target, 1));
	assert_null(trace_args__path(&a, &other, 1));
	assert_null(trace_args__path(&a, &bare, 1));
	trace_args__fill(&a, &target, &area);
	assert_int_equal(area.read_cnt, 1);
	assert_read(&area, 0, 0, 4, 1, BPROF_READ_VALUE);
	trace_args__free(&a);
}

static void test_too_many(void **state)
{
	const char *const specs[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	struct trace_args a = make_args(specs, 8);

	assert_int_equal(trace_args__add(&a, "i", NULL), -E2BIG);
	assert_int_equal(a.cnt, 8);
	trace_args__free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
