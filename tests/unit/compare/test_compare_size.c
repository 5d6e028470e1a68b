// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests limits on sizes, such as verified instructions: which sizes are compared, which are exact,
 * and what applies if no program was run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

static void open_sizes(struct scene *s, double base, double new)
{
	open_scene(s, "lb", "lb");
	s->base->prog[0].size[SIZE_VERIFIED_INSNS] = base;
	s->new->prog[0].size[SIZE_VERIFIED_INSNS] = new;
}

static void test_exact(void **state)
{
	static const struct {
		const char *limit;
		double base, new;
		enum verdict verdict;
	} cases[] = {
		{"verified_insns>5%", 100, 105, VERDICT_SAME},
		{"verified_insns>5%", 100, 106, VERDICT_WORSE},
		{"verified_insns>5%", 100, 94, VERDICT_BETTER},
		{"verified_insns>0", 100, 101, VERDICT_WORSE},
		{"lb/verified_insns>0", 100, 101, VERDICT_WORSE},
		{"VERIFIED_INSNS>0", 100, 100, VERDICT_SAME},
		{"verified_insns>10", 100, NAN, VERDICT_GONE},
		{"verified_insns>10", NAN, 100, VERDICT_NEW},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct compare_row *row;
		struct scene s;

		open_sizes(&s, cases[i].base, cases[i].new);
		add_limit(&s, cases[i].limit);
		/* Without a value in both reports there would be no comparison. */
		add_spread(s.base_row, "time", 100, 0.5, 8);
		add_spread(s.new_row, "time", 100, 0.5, 8);
		add_limit(&s, "time:mean>50%");
		row = compare(&s);
		assert_int_equal(s.c->row_cnt, 2);
		row += strcmp(row->event, "time") ? 0 : 1;
		assert_string_equal(row->event, "verified_insns");
		assert_int_equal(row->stat, COMPARE_SIZE);
		assert_true(row->exact);
		assert_int_equal(row->verdict, cases[i].verdict);
		close_scene(&s);
	}
	assert_string_equal(compare_stats[COMPARE_SIZE].name, "size");
	assert_string_equal(compare_stats[STAT_P999].name, "p99.9");
}

/* Sizes are compared only if a limit names them, or if there is nothing else. */
static void test_default(void **state)
{
	struct scene s;

	open_sizes(&s, 100, 200);
	add_spread(s.base_row, "time", 100, 0.5, 8);
	add_spread(s.new_row, "time", 100, 0.5, 8);
	assert_string_equal(compare(&s)->event, "time");
	assert_int_equal(s.c->row_cnt, 1);
	close_scene(&s);

	open_sizes(&s, 100, 101);
	assert_string_equal(compare(&s)->event, "verified_insns");
	assert_int_equal(s.c->row_cnt, 1);
	assert_int_equal(s.c->verdict, VERDICT_WORSE);
	close_scene(&s);

	/* Only one report has measured events. So sizes are not compared, and there is nothing to compare. */
	open_sizes(&s, 100, 101);
	add_spread(s.base_row, "time", 100, 0.5, 8);
	assert_int_equal(try_compare(&s), -ENODATA);
	close_scene(&s);
}

/* A limit applies to a program that only one report has. */
static void test_one_sided(void **state)
{
	struct scene s;

	open_sizes(&s, 100, 100);
	add_limit(&s, "verified_insns>0");
	add_prog(s.base, 8, "old", "old", 1)->size[SIZE_VERIFIED_INSNS] = 5;
	add_prog(s.new, 9, "added", "added", 1)->size[SIZE_VERIFIED_INSNS] = 7;
	compare(&s);
	assert_int_equal(s.c->row_cnt, 3);
	assert_int_equal(s.c->cnt[VERDICT_GONE], 1);
	assert_int_equal(s.c->cnt[VERDICT_NEW], 1);
	close_scene(&s);
}

static void set_times(struct report_prog *p, double first, int cnt)
{
	double ns[16];

	for (int i = 0; i < cnt; i++)
		ns[i] = first + 1000 * (i % 3);
	report_prog__set_verification(p, ns, cnt);
}

/* The verifier's time is tested like other times: with too few loads, nothing can be said. */
static void test_time(void **state)
{
	const struct compare_row *row;
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_limit(&s, "verification_ns>10%");
	set_times(&s.base->prog[0], 100000, 10);
	set_times(&s.new->prog[0], 150000, 10);
	row = compare(&s);
	assert_false(row->exact);
	assert_int_equal(row->verdict, VERDICT_WORSE);
	assert_int_equal(row->base_blocks, 10);
	assert_true(row->p < 0.01);
	/* six loads are enough */
	for (int i = 0; i < 2; i++) {
		set_times(&s.base->prog[0], 100000, i ? 10 : 6);
		set_times(&s.new->prog[0], 150000, i ? 6 : 10);
		assert_int_equal(compare(&s)->verdict, VERDICT_WORSE);
	}
	close_scene(&s);

	open_scene(&s, "lb", "lb");
	add_limit(&s, "verification_ns>10us");
	set_times(&s.base->prog[0], 100000, 5);
	set_times(&s.new->prog[0], 150000, 10);
	assert_int_equal(compare(&s)->verdict, VERDICT_INCONCLUSIVE);
	close_scene(&s);
}

/*
 * The length of machine code may depend on addresses (arm64), and on random numbers. If it does,
 * there is no verdict on it.
 */
static void test_short_code(void **state)
{
	static const struct {
		const char *limit;
		bool base, new, blinded;
		enum verdict verdict;
	} cases[] = {
		{"jited_bytes>0", false, true, false, VERDICT_INCONCLUSIVE},
		{"jited_bytes>0", true, false, false, VERDICT_INCONCLUSIVE},
		{"jited_bytes>0", false, false, true, VERDICT_INCONCLUSIVE},
		{"jited_bytes>0", false, false, false, VERDICT_WORSE},
		{"verified_insns>0", true, true, true, VERDICT_WORSE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene s;

		open_sizes(&s, 100, 104);
		add_limit(&s, cases[i].limit);
		s.base->prog[0].size[SIZE_JITED] = 100;
		s.new->prog[0].size[SIZE_JITED] = 104;
		s.base->prog[0].short_code = cases[i].base;
		s.new->prog[0].short_code = cases[i].new;
		s.new->prog[0].blinded = cases[i].blinded;
		assert_int_equal(compare(&s)->verdict, cases[i].verdict);
		close_scene(&s);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *limit, *why;
	} cases[] = {
		{"peak_states>0", "--fail-on peak_states>0: no program '*' has this size: bprof "
				  "bench finds it out when it loads an object"},
		{"lb/peak_states>0", "--fail-on lb/peak_states>0: no program 'lb' has this size: "
				     "bprof bench finds it out when it loads an object"},
		{"fw/verified_insns>0", "--fail-on fw/verified_insns>0: there is no program 'fw'"},
		{"verified_insns>10us",
		 "--fail-on verified_insns>10us: verified_insns is not counted in ns"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene s;

		open_sizes(&s, 100, 100);
		add_limit(&s, cases[i].limit);
		assert_int_equal(try_compare(&s), -EINVAL);
		assert_string_equal(s.err.detail, cases[i].why);
		close_scene(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),	   cmocka_unit_test(test_default),
		cmocka_unit_test(test_one_sided),  cmocka_unit_test(test_time),
		cmocka_unit_test(test_short_code), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
