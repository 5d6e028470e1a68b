// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the versions of a program in a report: their order, and which function of another version
 * each function is compared with.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/report.h"
#include "tests/unit/report_models.h"

/* Adds a version with two functions: its entry function and a subprogram. */
static void add_tree(struct report *r, __u32 id, const char *tag, double cost)
{
	struct report_prog *p;

	add_version(r, id, "xdp_lb", tag, NAN, 10, cost);
	p = add_version(r, id, "xdp_lb", tag, NAN, 10, cost / 2);
	p->func[0] = 's';
	p->subprog = true;
}

/*
 * Functions of a version stay together and in order, and are compared with the same function of the
 * other version.
 */
static void test_functions(void **state)
{
	static const struct {
		__u32 id;
		bool subprog;
		double change;
	} want[] = {
		{5, false, NAN}, {5, true, NAN}, {8, false, 20}, {8, true, 10}, {6, false, NAN}};
	struct report *r = make_base();

	add_tree(r, 8, "08", 120);
	add_version(r, 6, "xdp_fw", "06", NAN, 10, 1);
	add_tree(r, 5, "05", 100);
	report__compare_versions(r, r, NULL);
	assert_int_equal(r->prog_cnt, 5);
	for (int i = 0; i < 5; i++) {
		const struct report_event *ev = &r->prog[i].all.event[0];

		assert_int_equal(r->prog[i].id, want[i].id);
		assert_int_equal(r->prog[i].subprog, want[i].subprog);
		assert_int_equal(!report_event__has_change(ev), isnan(want[i].change));
		if (!report_event__has_change(ev))
			continue;
		assert_true(ev->change->absolute == want[i].change && ev->change->share == 0.2);
		assert_int_equal(ev->change->from, 5);
	}
	assert_true(r->prog[0].version.baseline && !r->prog[2].version.baseline);
	report__free(r);
}

/*
 * If no version has the tag of the baseline, nothing is compared. A change from 0 has no
 * percentage.
 */
static void test_base(void **state)
{
	struct report *r = make_base();

	add_version(r, 5, "xdp_lb", "05aa", NAN, 10, 100);
	add_version(r, 6, "xdp_lb", "06aa", NAN, 10, 0);
	add_version(r, 7, "xdp_lb", "07aa", NAN, 10, 3);
	report__compare_versions(r, r, "07b");
	for (int i = 0; i < 3; i++) {
		assert_true(!report_event__has_change(&r->prog[i].all.event[0]));
		assert_false(r->prog[i].version.baseline);
	}
	report__compare_versions(r, r, "06AA");
	assert_true(r->prog[0].all.event[0].change->absolute == 100);
	assert_true(r->prog[2].all.event[0].change->absolute == 3);
	assert_true(isnan(r->prog[2].all.event[0].change->share));
	assert_true(r->prog[1].version.baseline);
	report__free(r);
}

/* Two events of the same name are distinguished by their order. */
static void test_same_name(void **state)
{
	struct report *r = make_base();

	for (__u32 id = 5; id <= 6; id++)
		add_event(&add_version(r, id, "xdp_lb", "aa", NAN, 10, 100 + id)->all,
			  "instructions", id * 1000);
	report__compare_versions(r, r, NULL);
	assert_true(r->prog[1].all.event[0].change->absolute == 1);
	assert_true(r->prog[1].all.event[2].change->absolute == 1000);
	report__free(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_same_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
