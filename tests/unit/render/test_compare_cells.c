// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which columns a comparison has, and what single cells of its rows say.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "render/compare_render.h"

static const struct compare_column *find_column(const char *header)
{
	for (int i = 0; i < compare_column_cnt; i++) {
		const char *own = compare_columns[i].col.header;

		if (own && !strcmp(own, header))
			return &compare_columns[i];
	}
	fail_msg("no column %s", header);
	return NULL;
}

static bool is_shown(const struct comparison *c, const char *header, int verbose)
{
	const struct compare_render_opts o = {.verbose = verbose};

	return find_column(header)->shown(c, &o);
}

static const char *cell_of(const struct compare_row *row, const char *header)
{
	static char cell[COMPARE_LABEL_SZ];

	find_column(header)->format(row, cell);
	return cell;
}

/* ---- columns ---- */

/* One row with an input is enough for the column, whichever row it is. */
static void test_input_column(void **state)
{
	static const struct {
		const char *input[2];
		bool shown;
	} cases[] = {{{"", ""}, false}, {{"a", ""}, true}, {{"", "a"}, true}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report_prog p[2] = {{.input = (char *)cases[i].input[0]},
					   {.input = (char *)cases[i].input[1]}};
		struct compare_row row[2] = {{.new = &p[0]}, {.new = &p[1]}};
		const struct comparison c = {.row = row, .row_cnt = 2};

		assert_int_equal(is_shown(&c, "CASE", 0), cases[i].shown);
	}
}

/* The environments of a history's check are shown if there are several. */
static void test_environment_column(void **state)
{
	static const struct {
		const char *environment[2];
		bool shown;
	} cases[] = {{{NULL, NULL}, false}, {{"x86", "x86"}, false}, {{"x86", "arm64"}, true}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct compare_row row[] = {{.environment = cases[i].environment[0]},
					    {.environment = cases[i].environment[1]}};
		const struct comparison c = {.row = row, .row_cnt = 2};

		assert_int_equal(is_shown(&c, "ON", 0), cases[i].shown);
		assert_string_equal(cell_of(&row[1], "ON"), cases[i].environment[1] ?: "");
	}
}

/* The number of values is shown with -v, as blocks or as commits. */
static void test_basis_columns(void **state)
{
	for (int basis = 0; basis < BASIS_CNT; basis++) {
		const struct comparison c = {.basis = basis};

		for (int verbose = 0; verbose < 2; verbose++) {
			assert_int_equal(is_shown(&c, "COMMITS", verbose),
					 basis == BASIS_COMMITS && verbose);
			assert_int_equal(is_shown(&c, "BLOCKS", verbose),
					 basis == BASIS_BLOCKS && verbose);
			assert_int_equal(is_shown(&c, "COMMIT", verbose), basis == BASIS_COMMITS);
		}
	}
}

/* ---- cells ---- */

static void test_commit(void **state)
{
	struct compare_row row = {.base_blocks = 5, .new_blocks = 1};

	assert_string_equal(cell_of(&row, "COMMIT"), "-");
	row.commit = "0123456789abcdef0123456789abcdef01234567";
	assert_string_equal(cell_of(&row, "COMMIT"), "0123456789ab");
	assert_string_equal(cell_of(&row, "COMMITS"), "5, 1");
}

/*
 * Without a relative limit, the interval is in the event's unit, and only an increase has a plus
 * sign.
 */
static void test_interval(void **state)
{
	static const struct {
		double low, high;
		const char *text;
	} cases[] = {
		{0, 0.5, "0.0 to +0.5"}, {-0.5, 0, "-0.5 to 0.0"}, {2, 3, "+2.0 to +3.0"},
		{NAN, NAN, "-"},	 {-INFINITY, 3, "-"},	   {2, INFINITY, "-"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct compare_row row = {.unit = "",
						.stat = STAT_MEAN,
						.change = {1, cases[i].low, cases[i].high},
						.share = {1, 1, 1}};

		assert_string_equal(cell_of(&row, "95% INTERVAL"), cases[i].text);
	}
}

static void test_p(void **state)
{
	static const struct {
		double p;
		const char *text;
	} cases[] = {{NAN, "-"}, {0.00009, "<0.0001"}, {0.0001, "0.0001"}, {1, "1.0000"}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct compare_row row = {.p = cases[i].p, .adjusted_p = cases[i].p};

		assert_string_equal(cell_of(&row, "P"), cases[i].text);
		assert_string_equal(cell_of(&row, "RAW P"), cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_input_column),  cmocka_unit_test(test_environment_column),
		cmocka_unit_test(test_basis_columns), cmocka_unit_test(test_commit),
		cmocka_unit_test(test_interval),      cmocka_unit_test(test_p),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
