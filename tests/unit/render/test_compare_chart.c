// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the chart of a comparison in HTML: how many rows it has, and where there is room for labels
 * at the ends of its axis.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "html/html.h"
#include "render/compare_render.h"
#include "tests/unit/count_parts.h"

enum { MAX_ROWS = 100 };

/* Draws rows with these changes, which are shares. The caller frees the text. */
static char *draw(const double *share, int cnt)
{
	struct report_prog p = {.name = "lb", .func = "lb"};
	struct compare_row row[MAX_ROWS] = {};
	const struct comparison c = {.row = row, .row_cnt = cnt};
	char *text = NULL;
	size_t sz;
	struct html h = {.out = open_memstream(&text, &sz)};

	assert_non_null(h.out);
	for (int i = 0; i < cnt; i++)
		row[i] = (struct compare_row){.new = &p,
					      .event = "time",
					      .unit = "ns",
					      .exact = true,
					      .share = {share[i], share[i], share[i]}};
	comparison__write_chart(&c, &h);
	html__finish(&h);
	fclose(h.out);
	return text;
}

/* The worst 30 rows are drawn; the table has all. */
static void test_many(void **state)
{
	double share[MAX_ROWS];

	for (int i = 0; i < MAX_ROWS; i++)
		share[i] = 1 + i;
	for (int cnt = 29; cnt <= 31; cnt++) {
		char *text = draw(share, cnt);

		assert_int_equal(count_parts(text, "<circle"), cnt < 30 ? cnt : 30);
		assert_int_equal(!strstr(text, "+3,000.0%"), cnt < 30);
		assert_null(strstr(text, "+3,100.0%"));
		free(text);
	}
}

/*
 * The chart is 340 wide. A label at an end of the axis needs more than 50 to the 0 in between, for
 * the 0 has a label, too.
 */
static void test_ends(void **state)
{
	static const struct {
		double low, high;
		bool low_label, high_label;
	} cases[] = {
		{-50, 290, false, true}, {-51, 289, true, true}, {-290, 50, true, false},
		{-289, 51, true, true},	 {1, 2, false, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = draw((const double[]){cases[i].low, cases[i].high}, 2);

		/* the text of the first row begins at the same place */
		assert_int_equal(count_parts(text, "text-anchor=\"start\""),
				 2 + cases[i].low_label);
		assert_int_equal(count_parts(text, "text-anchor=\"end\""), cases[i].high_label);
		free(text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
