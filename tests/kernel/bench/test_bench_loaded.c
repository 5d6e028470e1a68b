// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests exact verdicts of bprof bench on loaded programs without input. These tests run on every
 * machine that counts instructions exactly (one vCPU, -icount), even on riscv64, whose kernel
 * refuses programs that read packets as those of test_bench.c do.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/bench/bench_case.h"

/* Compares two loaded programs, and checks the status. Returns the comparison of their minimums. */
static json_t *compare(struct fixture *f, struct target old, struct target new, int status)
{
	struct run *r = bench(f, "--baseline %u --prog-id %u", old.id, new.id);
	json_t *rows = json_object_get(r->json, "comparisons"), *row;

	assert_status(r, status);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (!strcmp(str(row, "stat"), "min"))
			return row;
	fail_test("nothing is compared: %s", r->out);
	return NULL;
}

static bool is_exact(json_t *row)
{
	return json_is_true(json_object_get(row, "exact"));
}

static void test_change(void **state)
{
	struct fixture *f = *state;
	struct target few = load_target(f, "alu", "xdp_alu_100");
	struct target many = load_target(f, "alu", "xdp_alu_1000");
	json_t *row = compare(f, few, many, 3);

	assert_string_equal(str(row, "verdict"), "worse");
	assert_true(is_exact(row) && real(row, "change.estimate") == 900);
	row = compare(f, many, few, 0);
	assert_string_equal(str(row, "verdict"), "better");
	assert_true(is_exact(row) && real(row, "change.estimate") == -900);
}

/*
 * Two loads of a program have different addresses, and so have their probes. bench reports no
 * change.
 */
static void test_no_change(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_64");

	for (int i = 0; i < 3; i++) {
		json_t *row = compare(f, t, load_target(f, "alu", "xdp_alu_64"), 0);

		assert_string_equal(str(row, "verdict"), "same");
		assert_true(is_exact(row) && real(row, "change.estimate") == 0);
	}
}

/*
 * On riscv64, code that loads the address of a map has a different length in each load. So bench
 * calls no number exact, and a few more instructions do not count as worse.
 */
static void test_map(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "version_1", "xdp_version");
	struct target b = load_target(f, "version_1", "xdp_version");
	struct run *r = bench(f, "--baseline %u --prog-id %u -v", a.id, b.id);

	if (!arch_is("riscv64"))
		return;
	assert_contains(r->err, "loading the address of a map takes a varying number of "
				"instructions: its counts are not exact");
	assert_false(is_exact(json_array_get(json_object_get(r->json, "comparisons"), 0)));
}

#define BENCH_TEST(...) KTEST_WITH(setup_bench, teardown_bench, __VA_ARGS__)

KTEST_GROUP(bench_loaded, "exact verdicts without input", NULL, ON(RISCV64),
	    BENCH_TEST(test_change), BENCH_TEST(test_no_change), BENCH_TEST(test_map));
