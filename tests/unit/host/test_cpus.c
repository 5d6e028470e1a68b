// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests CPU sets: lists with gaps, invalid lists, and what is computed from lists.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/cpus.h"

/* Checks that the list is valid and is formatted as text. */
static void assert_list(const char *list, const char *text)
{
	char buf[256];
	struct cpus c;

	assert_int_equal(cpus__parse(list, &c, NULL), 0);
	assert_string_equal(cpus__format(&c, buf, sizeof(buf)), text);
	cpus__free(&c);
}

static void parses_lists(void **state)
{
	assert_list("0", "0");
	assert_list("0-3", "0-3");
	assert_list("0-3,5,7-8", "0-3,5,7-8");
	assert_list("0,2,4", "0,2,4");
	assert_list("65535", "65535");
	assert_list(" 0-1\n", "0-1");
	assert_list("\t7 \n", "7");
}

static void orders_and_merges(void **state)
{
	struct cpus c;

	assert_list("3,1,2", "1-3");
	assert_list("5,5,5", "5");
	assert_list("4-6,0-5", "0-6");

	assert_int_equal(cpus__parse("9,2,9,0", &c, NULL), 0);
	assert_int_equal(c.cnt, 3);
	assert_int_equal(c.id[0], 0);
	assert_int_equal(c.id[1], 2);
	assert_int_equal(c.id[2], 9);
	cpus__free(&c);
}

static void empty_list_is_empty_set(void **state)
{
	struct cpus c;

	assert_list("", "");
	assert_list(" \n", "");
	assert_int_equal(cpus__parse("", &c, NULL), 0);
	assert_int_equal(c.cnt, 0);
	assert_int_equal(cpus__limit(&c), 0);
	assert_false(cpus__has(&c, 0));
	cpus__free(&c);
	cpus__free(&c);
}

static void refuses_what_is_no_list(void **state)
{
	static const struct {
		const char *list;
		size_t pos;
	} bad[] = {
		{"x", 0},
		{"0,x", 2},
		{"0,,1", 2},
		{"0,", 2},
		{",0", 0},
		{"3-1", 0},
		{"0,3-1", 2},
		{"0-", 0},
		{"-1", 0},
		{"1 2", 0},
		{"65536", 0},
		{"0-65536", 0},
		{"99999999999999999999", 0},
		{"1-3:2", 0},
		{"0x1", 0},
		{"1,2;3", 2},
		{"0, 1", 2},
		{"\xff", 0},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cpus c = {(int *)1, 1};
		size_t pos = 77;

		if (cpus__parse(bad[i].list, &c, &pos) != -EINVAL)
			fail_msg("'%s' was taken", bad[i].list);
		if (pos != bad[i].pos)
			fail_msg("'%s': error at %zu", bad[i].list, pos);
		assert_null(c.id);
		assert_int_equal(c.cnt, 0);
		assert_int_equal(cpus__parse(bad[i].list, &c, NULL), -EINVAL);
	}
}

static void looks_up_ids_not_positions(void **state)
{
	struct cpus c;

	assert_int_equal(cpus__parse("1,4-5,64", &c, NULL), 0);
	assert_false(cpus__has(&c, 0));
	assert_true(cpus__has(&c, 1));
	assert_false(cpus__has(&c, 3));
	assert_true(cpus__has(&c, 5));
	assert_true(cpus__has(&c, 64));
	assert_false(cpus__has(&c, 65));
	assert_false(cpus__has(&c, -1));
	assert_int_equal(cpus__limit(&c), 65);
	cpus__free(&c);
}

static void computes_sets(void **state)
{
	struct cpus a, b, none = {0}, out;
	char buf[64];

	assert_int_equal(cpus__parse("0-5,9", &a, NULL), 0);
	assert_int_equal(cpus__parse("2,4,8-9", &b, NULL), 0);

	cpus__minus(&a, &b, &out);
	assert_string_equal(cpus__format(&out, buf, sizeof(buf)), "0-1,3,5");
	cpus__free(&out);
	cpus__minus(&a, &a, &out);
	assert_int_equal(out.cnt, 0);
	cpus__free(&out);
	cpus__dup(&none, &out);
	cpus__add(&out, &b);
	cpus__add(&out, &a);
	assert_string_equal(cpus__format(&out, buf, sizeof(buf)), "0-5,8-9");
	cpus__free(&out);
	cpus__minus(&none, &a, &out);
	assert_int_equal(out.cnt, 0);
	cpus__free(&out);

	cpus__dup(&a, &out);
	assert_ptr_not_equal(out.id, a.id);
	cpus__free(&a);
	assert_string_equal(cpus__format(&out, buf, sizeof(buf)), "0-5,9");
	cpus__free(&out);
	cpus__free(&b);
}

/* A list that does not fit ends after a complete range, and says so: "0-12" must not stand for "0-127". */
static void format_never_cuts_a_range(void **state)
{
	struct cpus c;
	char buf[16];

	assert_int_equal(cpus__parse("0-127,200", &c, NULL), 0);
	memset(buf, 'x', sizeof(buf));
	assert_string_equal(cpus__format(&c, buf, 6), "...");
	assert_int_equal(buf[6], 'x');
	assert_string_equal(cpus__format(&c, buf, 9), "...");
	assert_string_equal(cpus__format(&c, buf, 10), "0-127,200");
	assert_string_equal(cpus__format(&c, buf, 5), "...");
	assert_string_equal(cpus__format(&c, buf, 1), "");
	buf[0] = 'x';
	cpus__format(&c, buf, 0);
	assert_int_equal(buf[0], 'x');
	cpus__free(&c);
	assert_int_equal(cpus__parse("0,2,4,6,8", &c, NULL), 0);
	assert_string_equal(cpus__format(&c, buf, 9), "0,2,...");
	assert_string_equal(cpus__format(&c, buf, 10), "0,2,4,6,8");
	cpus__free(&c);
}

static void reads_files(void **state)
{
	char path[] = "/tmp/bprof-test-cpus-XXXXXX";
	int fd = mkstemp(path);
	struct cpus c;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0,2-3\n", 6), 6);
	assert_int_equal(cpus__read(path, &c), 0);
	assert_int_equal(c.cnt, 3);
	assert_int_equal(cpus__limit(&c), 4);
	cpus__free(&c);

	assert_int_equal(write(fd, "junk\n", 5), 5);
	assert_int_equal(cpus__read(path, &c), -EINVAL);
	assert_int_equal(c.cnt, 0);
	close(fd);
	unlink(path);
	assert_int_equal(cpus__read(path, &c), -ENOENT);
	assert_int_equal(c.cnt, 0);
}

static void online_is_part_of_possible(void **state)
{
	struct cpus online, possible, rest;

	assert_int_equal(cpus__online(&online), 0);
	assert_int_equal(cpus__possible(&possible), 0);
	assert_true(online.cnt > 0);
	cpus__minus(&online, &possible, &rest);
	assert_int_equal(rest.cnt, 0);
	cpus__free(&rest);
	cpus__free(&online);
	cpus__free(&possible);
}

static void assert_same_cpus(const struct cpus *a, const struct cpus *b)
{
	assert_int_equal(a->cnt, b->cnt);
	assert_memory_equal(a->id, b->id, a->cnt * sizeof(*a->id));
}

/* A list of CPUs that the user gives is used unchanged, whatever CPUs the machine has. */
static void test_given_cpus(void **state)
{
	int ids[] = {0, 5, 7};
	const struct cpus given = {ids, 3};
	struct cpus possible = {}, online = {}, all = {};
	int limit = -1;

	assert_int_equal(cpus__possible(&all), 0);
	assert_int_equal(cpus__choose(&given, &possible, &online, &limit), 0);
	assert_same_cpus(&possible, &given);
	assert_same_cpus(&online, &given);
	assert_int_equal(limit, cpus__limit(&all));
	cpus__free(&possible);
	cpus__free(&online);
	cpus__free(&all);
}

static void test_all_cpus(void **state)
{
	const struct cpus none = {};
	struct cpus possible = {}, online = {}, all = {}, on = {};
	int limit = -1;

	assert_int_equal(cpus__possible(&all) ?: cpus__online(&on), 0);
	assert_int_equal(cpus__choose(&none, &possible, &online, &limit), 0);
	assert_same_cpus(&possible, &all);
	assert_same_cpus(&online, &on);
	assert_int_equal(limit, cpus__limit(&all));
	cpus__free(&online);
	assert_int_equal(cpus__choose(&none, NULL, &online, NULL), 0);
	assert_same_cpus(&online, &on);
	cpus__free(&possible);
	cpus__free(&online);
	cpus__free(&all);
	cpus__free(&on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_lists),
		cmocka_unit_test(orders_and_merges),
		cmocka_unit_test(empty_list_is_empty_set),
		cmocka_unit_test(refuses_what_is_no_list),
		cmocka_unit_test(looks_up_ids_not_positions),
		cmocka_unit_test(computes_sets),
		cmocka_unit_test(format_never_cuts_a_range),
		cmocka_unit_test(reads_files),
		cmocka_unit_test(online_is_part_of_possible),
		cmocka_unit_test(test_given_cpus),
		cmocka_unit_test(test_all_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
