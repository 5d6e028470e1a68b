// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests when bprof bench marks an event as exact.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/bench_priv.h"

static void add_block(struct report_event *ev, double min, double p50)
{
	struct report_block *b = report_event__add_block(ev);

	assert_non_null(b);
	b->measured = 60;
	b->stat[STAT_MIN] = min;
	b->stat[STAT_P50] = p50;
}

/*
 * Makes an event with three blocks. The second block has this minimum and median, all other blocks
 * have 656. Returns whether the event is exact.
 */
static bool is_exact(const char *name, double min, double p50)
{
	struct report *r = report__new();
	struct report_event *ev = report_row__add_event(&report__add_prog(r)->all);
	bool exact;

	report_event__set_names(ev, name, name, "");
	add_block(ev, 656, 656);
	add_block(ev, min, p50);
	add_block(ev, 656, 656);
	exact = bench__is_exact(ev);
	report__free(r);
	return exact;
}

static void test_blocks(void **state)
{
	assert_true(is_exact("instructions", 656, 656));
	assert_true(is_exact("msr/tsc/", 656, 656));
	assert_false(is_exact("instructions", 657, 656));
	assert_false(is_exact("instructions", 655, 656));
	assert_false(is_exact("instructions", 656, 700));
	assert_false(is_exact("cycles", 656, 656));
	assert_false(is_exact("time", 656, 656));
}

/*
 * An interrupt hit a run of the second block. Its median is therefore not the exact value, but the
 * middle of the bucket from 656 to 663.
 */
static void test_interrupted_block(void **state)
{
	assert_true(is_exact("instructions", 656, 659.5));
}

static void test_no_blocks(void **state)
{
	struct report *r = report__new();
	struct report_event *ev = report_row__add_event(&report__add_prog(r)->all);

	report_event__set_names(ev, "instructions", "instructions", "");
	assert_false(bench__is_exact(ev));
	report__free(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_interrupted_block),
		cmocka_unit_test(test_no_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
