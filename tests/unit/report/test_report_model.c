// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the report model: which statistics are percentiles, which rows belong together, and what new
 * elements have before they get values.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/util.h"
#include "report/report.h"
#include "tests/unit/report_models.h"

static void test_percentiles(void **state)
{
	for (int i = 0; i < STAT_CNT; i++)
		assert_int_equal(stat__is_percentile(i), stat_specs[i].name[0] == 'p');
}

/* The start of a measurement is noted only once. */
static void test_start(void **state)
{
	struct timespec started = {};

	report__note_start(&started);
	assert_true(started.tv_sec > 0);
	started = (struct timespec){.tv_sec = 1, .tv_nsec = 2};
	report__note_start(&started);
	assert_int_equal(started.tv_sec, 1);
	assert_int_equal(started.tv_nsec, 2);
}

static void test_new_block(void **state)
{
	struct report_event ev = {};
	struct report_block *b = report_event__add_block(&ev);

	assert_non_null(b);
	for (int i = 0; i < STAT_CNT; i++)
		assert_true(isnan(b->stat[i]));
	free(ev.block);
}

static void test_names(void **state)
{
	struct report *r = make_base();
	struct report_event *ev = report_row__add_event(&add_prog(r, 1, "p", "p", 1)->all);

	assert_non_null(ev);
	report_event__set_names(ev, "cycles:u", "cycles", "ns");
	assert_string_equal(ev->name, "cycles:u");
	assert_string_equal(ev->base, "cycles");
	assert_string_equal(ev->unit, "ns");
	report__free(r);
}

/* The label of a subprogram names its program, even if both names begin with the same characters. */
static void test_labels(void **state)
{
	static const struct {
		const char *name, *func, *label;
		bool subprog;
	} cases[] = {
		{"lb", "lb", "lb", false},
		{"xdp_firewall_in", "xdp_firewall_ingress", "xdp_firewall_ingress", false},
		{"", "lb", "lb", false},
		{"lb", "", "lb", false},
		{"lb", "parse", "lb:parse", true},
		{"lb", "lb@b.c:7", "lb:lb@b.c:7", true},
		{"xdp_firewall_in", "xdp_firewall_in_2@b.c:7",
		 "xdp_firewall_in:xdp_firewall_in_2@b.c:7", true},
		{"", "f@b.c:7", "-:f@b.c:7", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct report_prog p = {.name = (char *)cases[i].name,
					      .func = (char *)cases[i].func,
					      .subprog = cases[i].subprog};
		char buf[LABEL_SZ];

		assert_string_equal(report_prog__label(&p, buf), cases[i].label);
	}
}

/* Only rows of return values are parts of the same function. */
static void test_same_target(void **state)
{
	struct report *r = make_base();

	add_prog(r, 1, "p", "p", 1);
	add_prog(r, 1, "p", "p", 1);
	for (int parts = 0; parts < 4; parts++) {
		r->prog[0].by_retval = parts & 1;
		r->prog[1].by_retval = parts & 2;
		assert_int_equal(report_prog__is_same_target(&r->prog[0], &r->prog[1]), parts == 3);
		assert_int_equal(report__is_first_row(r, 1), parts != 3);
	}
	report__free(r);
}

/* The size is the median of the loads. Without loads, it is not changed. */
static void test_verification(void **state)
{
	static const double ns[] = {30, 10, 20};
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 1, "p", "p", 1);

	report_prog__set_verification(p, ns, 0);
	assert_true(isnan(p->size[SIZE_VERIFICATION]));
	report_prog__set_verification(p, ns, ARRAY_SIZE(ns));
	assert_true(p->size[SIZE_VERIFICATION] == 20);
	report_prog__set_verification(p, NULL, 0);
	assert_int_equal(p->verification_cnt, 0);
	assert_null(p->verification);
	report__free(r);
}

/* Tests events that were enabled for a moment, but never on a counter. */
static void test_never_on(void **state)
{
	struct report_row row = {.of_scope = true}, prog = {};
	struct report_event ev = {.enabled_ns = 1};

	assert_true(report_row__never_on(&row, &ev));
	assert_false(report_row__never_on(&prog, &ev));
	ev.running_ns = 1;
	assert_false(report_row__never_on(&row, &ev));
	ev.enabled_ns = ev.running_ns = 0;
	assert_false(report_row__never_on(&row, &ev));
}

/* In a tree, a called function is shown without the name of its caller, which stands above it. */
static void test_called_names(void **state)
{
	static const struct {
		const char *func, *site, *want;
	} cases[] = {
		{"f", NULL, "f"},
		{"f (map)", NULL, "f (map)"},
		{"sub:f", NULL, "f"},
		{"sub:f (map)", NULL, "f (map)"},
		{"f a.c:41", "a.c:41", "f a.c:41"},
		{"f (map) a.c:41#2", "a.c:41#2", "f (map) a.c:41#2"},
		{"sub:f (map) a.c:41", "a.c:41", "f (map) a.c:41"},
		{"sub:f insn 7", "insn 7", "f insn 7"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct report_prog p = {.func = (char *)cases[i].func,
					      .site = (char *)cases[i].site};

		assert_string_equal(report_prog__called_name(&p), cases[i].want);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percentiles),  cmocka_unit_test(test_start),
		cmocka_unit_test(test_new_block),    cmocka_unit_test(test_labels),
		cmocka_unit_test(test_names),	     cmocka_unit_test(test_same_target),
		cmocka_unit_test(test_verification), cmocka_unit_test(test_never_on),
		cmocka_unit_test(test_called_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
