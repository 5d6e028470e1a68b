// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the sentences about a comparison (headline, notes, reasons) and their order. Also tests which names are
 * code in Markdown, because a comment might otherwise show them as links.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "render/compare_render.h"
#include "render/render.h"
#include "tests/unit/compare_models.h"

static void test_headline(void **state)
{
	struct comparison c = {.verdict = VERDICT_SAME, .cnt[VERDICT_SAME] = 5};
	char buf[80];

	assert_string_equal(comparison__headline(&c, buf, sizeof(buf)), "same: 5 same");
	c.gap_cnt = 3;
	assert_string_equal(comparison__headline(&c, buf, sizeof(buf)),
			    "same: 5 same, 3 not measured");
	assert_string_equal(comparison__headline(&c, buf, 15), "same: 5 same, ");
	c.cnt[VERDICT_SAME] = 0;
	assert_string_equal(comparison__headline(&c, buf, sizeof(buf)), "same: 3 not measured");
}

static void test_notes(void **state)
{
	struct compare_difference difference = {"kernel", "6.1", "6.12"};
	struct compare_place place[] = {{"old", NULL}, {"new", "6.12.5"}};
	struct compare_gap gap = {"7.2", "no such kernel"};
	struct comparison c = {
		.difference = &difference,
		.difference_cnt = 1,
		.gap = &gap,
		.gap_cnt = 1,
		.axis = "kernel",
		.place = place,
		.place_cnt = 2,
		.ambiguous = 2,
		.unmeasured = 3,
		.untested = 4,
		.returned = 5,
	};
	static const char *const want[] = {
		"the reports differ in kernel: 6.1, now 6.12",
		"7.2 was not measured: no such kernel",
		"kernel new: Linux 6.12.5",
		"functions with the same name, type and case, paired in order: 2",
		"statistics left out, as neither report has a value: 3",
		"statistics of exact events left out, as they need 6 blocks: 4; their minimum "
		"counts instead",
		"functions compared although the return values of their programs changed: 5",
	};
	char text[200];

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_true(comparison__note(&c, i, text, sizeof(text)));
		assert_string_equal(text, want[i]);
	}
	assert_false(comparison__note(&c, ARRAY_SIZE(want), text, sizeof(text)));
}

/* Each reason is given once, with the number of the further rows that have it. */
static void test_reasons(void **state)
{
	static const char *const why[] = {"few blocks", "", "noisy", "few blocks", "few blocks"};
	struct compare_row row[ARRAY_SIZE(why)] = {};
	struct comparison c = {.row = row, .row_cnt = ARRAY_SIZE(why)};
	const struct compare_row *found;
	int more;

	for (size_t i = 0; i < ARRAY_SIZE(why); i++)
		strcpy(row[i].why, why[i]);
	assert_true(comparison__reason(&c, 0, &found, &more));
	assert_ptr_equal(found, &row[0]);
	assert_int_equal(more, 2);
	assert_true(comparison__reason(&c, 1, &found, &more));
	assert_ptr_equal(found, &row[2]);
	assert_int_equal(more, 0);
	assert_false(comparison__reason(&c, 2, &found, &more));
}

static void test_sizes(void **state)
{
	struct report *r = make_base();
	struct report_prog *base, *new;
	struct compare_pair size[2] = {};
	struct comparison c = {.size = size, .size_cnt = 2};
	char cell[SIZE_CELL_SZ];

	add_prog(r, 1, "a", "a", 1);
	new = add_prog(r, 2, "b", "b", 1);
	base = &r->prog[0];
	base->size[SIZE_JITED] = 1456;
	new->size[SIZE_VERIFIED_INSNS] = 20;
	size[0].base = base;
	size[1].new = new;
	assert_int_equal(comparison__known_sizes(&c), 1U << SIZE_JITED | 1U << SIZE_VERIFIED_INSNS);
	/* a size counts as known if one of the two reports has it */
	size[0].new = new;
	c.size_cnt = 1;
	assert_int_equal(comparison__known_sizes(&c), 1U << SIZE_JITED | 1U << SIZE_VERIFIED_INSNS);
	assert_string_equal(compare_size__format(&size[0], SIZE_JITED, cell), "1,456 -> -");
	new->size[SIZE_JITED] = 1480;
	assert_string_equal(compare_size__format(&size[0], SIZE_JITED, cell),
			    "1,456 -> 1,480 (+24)");
	new->size[SIZE_JITED] = 1456;
	assert_string_equal(compare_size__format(&size[0], SIZE_JITED, cell), "1,456");
	report__free(r);
}

/* Markdown shows names as code if they contain markup or look like links. */
static void test_markdown(void **state)
{
	static const struct {
		const char *why;
		bool is_code;
	} cases[] = {
		{"too few blocks: 5, or (1%)", false},
		{"<5 blocks", false},
		{"a_b", false},
		{"a _b", true},
		{"_b", true},
		{"see http://host", true},
		{"see www.host", true},
		{"see WWW.host", true},
		{"a*b", true},
		{"<b>", true},
		{"", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct compare_render_opts o = {.base_name = "a", .new_name = "b"};
		struct report_prog p = {.name = "lb", .func = "lb", .type = "xdp"};
		struct compare_row row = {.base = &p, .new = &p, .event = "time", .unit = "ns"};
		struct comparison c = {.row = &row,
				       .row_cnt = 1,
				       .axis_header = "",
				       .verdict = VERDICT_INCONCLUSIVE};
		char *text, *prose, *code;

		row.worst = row.verdict = VERDICT_INCONCLUSIVE;
		strcpy(row.why, cases[i].why);
		text = render_comparison(&c, comparison__render_markdown, &o);
		assert_true(asprintf(&prose, ": %s\n", cases[i].why) > 0);
		assert_true(asprintf(&code, "`%s`", cases[i].why) > 0);
		if (!!strstr(text, code) != cases[i].is_code)
			fail_msg("%s", text);
		if (*cases[i].why && !!strstr(text, prose) == cases[i].is_code)
			fail_msg("%s", text);
		free(prose);
		free(code);
		free(text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headline), cmocka_unit_test(test_notes),
		cmocka_unit_test(test_reasons),	 cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_markdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
