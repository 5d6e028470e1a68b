// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests comparisons of reports with a row for each return value (--by retval): runs are compared
 * with those that returned the same value.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

static void add_value(struct report *r, __u32 id, const char *name, double retval, double cost)
{
	struct report_prog *p = add_prog(r, id, name, name, 100);

	r->by_retval = p->by_retval = true;
	p->retval = retval;
	add_exact(&p->all, "instructions", cost);
}

static const struct compare_row *find_row(const struct comparison *c, const char *label)
{
	char buf[COMPARE_LABEL_SZ];

	for (int i = 0; i < c->row_cnt; i++)
		if (!strcmp(compare_row__label(&c->row[i], buf), label))
			return &c->row[i];
	fail_msg("no row %s", label);
	return NULL;
}

static void open_values(struct scene *s)
{
	*s = (struct scene){.base = make_base(), .new = make_base()};
	add_value(s->base, 1, "lb", 1, 10);
	add_value(s->base, 1, "lb", 2, 77);
	add_value(s->base, 1, "lb", 3, 510);
	add_value(s->base, 1, "lb", NAN, 5);
}

static void test_pairs(void **state)
{
	struct scene s;

	open_values(&s);
	add_value(s.new, 2, "lb", 1, 10);
	add_value(s.new, 2, "lb", 3, 511);
	add_value(s.new, 2, "lb", 4, 9);
	add_value(s.new, 2, "lb", NAN, 5);
	compare(&s);
	assert_int_equal(s.c->row_cnt, 5);
	assert_int_equal(s.c->ambiguous, 0);
	assert_int_equal(find_row(s.c, "lb (XDP_DROP)")->verdict, VERDICT_SAME);
	assert_int_equal(find_row(s.c, "lb (XDP_PASS)")->verdict, VERDICT_GONE);
	assert_int_equal(find_row(s.c, "lb (XDP_TX)")->verdict, VERDICT_WORSE);
	assert_int_equal(find_row(s.c, "lb (XDP_REDIRECT)")->verdict, VERDICT_NEW);
	assert_int_equal(find_row(s.c, "lb (other)")->verdict, VERDICT_SAME);
	/* no row is refused because the first rows returned different values */
	assert_null(find_row(s.c, "lb (XDP_TX)")->returned.base);
	close_scene(&s);
}

static void test_match(void **state)
{
	struct scene s;

	open_values(&s);
	add_value(s.new, 2, "lb_v2", 3, 500);
	assert_int_equal(compare_matches__add(&s.matches, "lb=lb_v2", NULL), 0);
	compare(&s);
	assert_int_equal(find_row(s.c, "lb -> lb_v2 (XDP_TX)")->verdict, VERDICT_BETTER);
	assert_int_equal(s.c->cnt[VERDICT_GONE], 3);
	close_scene(&s);
}

/* A report with one row per program cannot be compared with one with a row per value. */
static void test_undivided(void **state)
{
	struct scene s;

	open_values(&s);
	add_exact(&add_prog(s.new, 2, "lb", "lb", 100)->all, "instructions", 10);
	assert_int_equal(try_compare(&s), -ENODATA);
	assert_non_null(strstr(s.err.detail, "the base report has a row for each return value "
					     "(--by retval), the new report has not"));
	close_scene(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_undivided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
