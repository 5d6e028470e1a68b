// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the reports on the entries of a suite become one report.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tests/unit/report_models.h"

static void test_names(void **state)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 1, "xdp_lb", "xdp_lb", 100);

	p->input = strdup("syn");
	add_prog(r, 2, "xdp_fw", "xdp_fw", 100);
	report__skip(r, 3, "tc [syn]", "test_run", "why");
	report__set_entry(r, "lb");
	assert_string_equal(r->prog[0].input, "lb/syn");
	assert_string_equal(r->prog[1].input, "lb");
	assert_string_equal(r->skip[0].name, "lb: tc [syn]");
	report__free(r);
}

static void test_take(void **state)
{
	struct report *r = make_base(), *other = make_base(), *empty = make_base();
	__u64 elapsed = r->elapsed_ns + other->elapsed_ns + empty->elapsed_ns;

	r->calibrated = true;
	empty->calibrated = true;
	other->calibrated = false;
	other->by_retval = true;
	add_prog(r, 1, "a", "a", 100);
	add_event(&add_prog(other, 2, "b", "b", 100)->all, "cycles", 5);
	add_prog(other, 3, "c", "c", 100);
	report__skip(other, 4, "d", "test_run", "why");
	report__take(r, other);
	report__take(r, empty);
	assert_int_equal(r->prog_cnt, 3);
	assert_string_equal(r->prog[0].name, "a");
	assert_string_equal(r->prog[1].name, "b");
	assert_string_equal(r->prog[1].all.event[0].name, "cycles");
	assert_string_equal(r->prog[2].name, "c");
	assert_int_equal(r->skip_cnt, 1);
	assert_string_equal(r->skip[0].detail, "why");
	assert_int_equal(r->elapsed_ns, elapsed);
	assert_true(r->by_retval);
	/* One entry with raw numbers makes the report one of raw numbers. */
	assert_false(r->calibrated);
	report__free(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
