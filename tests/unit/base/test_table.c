// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests tables and the text in them: alignment by display columns, strings that are harmless for
 * terminals.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"

enum { HEADER = 1, COLOR = 2 };

static void assert_table(struct table *t, unsigned int flags, int width, const char *want)
{
	const struct screen screen = {.width = width, .color = flags & COLOR};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	table__print(t, out, flags & HEADER, &screen);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	table__free(t);
}

static struct table *make_table(void)
{
	struct table *t = table__new();

	assert_non_null(t);
	table__add_col(t, TABLE_RIGHT, "ID");
	table__add_col(t, TABLE_LEFT, "NAME");
	table__add_col(t, TABLE_RIGHT, "RUNS");
	return t;
}

static void add_row(struct table *t, int id, const char *name, const char *runs)
{
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%d", id);
	table__add_cell(t, TABLE_PLAIN, "%s", name);
	table__add_cell(t, strcmp(runs, "0") ? TABLE_RED : TABLE_DIM, "%s", runs);
}

static void test_alignment(void **state)
{
	struct table *t = make_table();

	add_row(t, 7, "longer_name", "0");
	add_row(t, 1234, "a", "1,234,567");
	assert_table(t, HEADER, 0,
		     "  ID  NAME              RUNS\n"
		     "   7  longer_name          0\n"
		     "1234  a            1,234,567\n");
}

static void test_without_header(void **state)
{
	struct table *t = make_table();

	add_row(t, 7, "a", "0");
	/* Without a header, columns are as wide as with one, so that all intervals are aligned. */
	assert_table(t, 0, 0, " 7  a        0\n");
}

/*
 * A line has no blanks after its last non-empty cell, and a row may have fewer cells than there are
 * columns.
 */
static void test_short_rows(void **state)
{
	struct table *t = make_table();

	table__add_row(t);
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "1");
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", "");
	table__add_cell(t, TABLE_PLAIN, "name");
	assert_table(t, HEADER, 0, "ID  NAME  RUNS\n\n 1\n    name\n");
	assert_table(make_table(), HEADER, 0, "ID  NAME  RUNS\n");
	t = make_table();
	table__add_row(t);
	assert_table(t, HEADER, 0, "ID  NAME  RUNS\n\n");
	assert_table(table__new(), 0, 0, "");
	table__free(NULL);
}

static void test_color(void **state)
{
	struct table *t = make_table();

	add_row(t, 7, "a", "0");
	add_row(t, 8, "b", "10");
	assert_table(t, HEADER | COLOR, 0,
		     "\033[1mID\033[0m  \033[1mNAME\033[0m  \033[1mRUNS\033[0m\n"
		     " 7  a        \033[2m0\033[0m\n"
		     " 8  b       \033[31m10\033[0m\n");
}

static struct table *make_wide_table(bool folds)
{
	const struct table_col cols[] = {
		RIGHT_COL("ID"),
		LEFT_COL("NAME", .min_width = 8),
		LEFT_COL("TAG", .drop_order = 1),
		RIGHT_COL("SIZE", .drop_order = 2),
		LEFT_COL("DETAIL", .min_width = folds ? 10 : 0, .folds = folds),
	};
	struct table *t = table__new();

	assert_non_null(t);
	table__add_cols(t, cols, sizeof(cols) / sizeof(cols[0]));
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "42");
	table__add_cell(t, TABLE_PLAIN, "xdp_firewall_ingress");
	table__add_cell(t, TABLE_PLAIN, "d4f8542f");
	table__add_cell(t, TABLE_PLAIN, "1,456");
	table__add_cell(t, TABLE_PLAIN, "on eth0, and on eth1");
	return t;
}

/*
 * If the columns do not fit even with names of the least width, columns are left out in the order
 * of drop_order.
 */
static void test_drop_columns(void **state)
{
	const char *whole = "ID  NAME                  TAG        SIZE  DETAIL\n"
			    "42  xdp_firewall_ingress  d4f8542f  1,456  on eth0, and on eth1\n";

	assert_table(make_wide_table(false), HEADER, 0, whole);
	assert_table(make_wide_table(false), HEADER, 63, whole);
	assert_table(make_wide_table(false), HEADER, 51,
		     "ID  NAME      TAG        SIZE  DETAIL\n"
		     "42  xdp_…ess  d4f8542f  1,456  on eth0, and on eth1\n");
	assert_table(make_wide_table(false), HEADER, 50,
		     "ID  NAME                SIZE  DETAIL\n"
		     "42  xdp_fire…_ingress  1,456  on eth0, and on eth1\n");
	assert_table(make_wide_table(false), HEADER, 40,
		     "ID  NAME            DETAIL\n"
		     "42  xdp_fir…ngress  on eth0, and on eth1\n");
	/* Nothing is left to drop: the name is shorter than its least width, but not empty. */
	assert_table(make_wide_table(false), HEADER, 20,
		     "ID  NAME    DETAIL\n"
		     "42  xdp…ss  on eth0, and on eth1\n");
}

/* If a wide column is left out after a narrow one, the narrow column comes back if there is room for it again. */
static void test_restore_columns(void **state)
{
	const struct table_col cols[] = {
		LEFT_COL("NAME", .min_width = 6),
		RIGHT_COL("SIZE", .drop_order = 1),
		LEFT_COL("LOADED AT", .drop_order = 2),
		RIGHT_COL("COST"),
	};
	static const struct {
		int width;
		const char *want;
	} cases[] = {
		{27, "NAME  SIZE  LOADED AT  COST\n\n"},
		{21, "NAME  LOADED AT  COST\n\n"},
		{20, "NAME  SIZE  COST\n\n"},
		{16, "NAME  SIZE  COST\n\n"},
		{15, "NAME  COST\n\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table *t = table__new();

		table__add_cols(t, cols, sizeof(cols) / sizeof(cols[0]));
		table__add_row(t);
		assert_table(t, HEADER, cases[i].width, cases[i].want);
	}
}

/*
 * Columns are left out in the order of drop_order, and come back in the reverse order if there is
 * room. Of two columns with the same drop_order, the left one is left out and comes back first.
 */
static void test_drop_order(void **state)
{
	static const struct table_col cols[] = {
		LEFT_COL("A", .drop_order = 1),
		LEFT_COL("BBBB", .drop_order = 2),
		LEFT_COL("CCCC", .drop_order = 2),
		LEFT_COL("DDDDDDDDDD", .drop_order = 3),
		LEFT_COL("E"),
	};
	static const struct {
		int width;
		const char *want;
	} cases[] = {
		{0, "A  BBBB  CCCC  DDDDDDDDDD  E\n\n"},
		{28, "A  BBBB  CCCC  DDDDDDDDDD  E\n\n"},
		{27, "BBBB  CCCC  DDDDDDDDDD  E\n\n"},
		{24, "A  CCCC  DDDDDDDDDD  E\n\n"},
		{18, "A  DDDDDDDDDD  E\n\n"},
		{12, "A  BBBB  E\n\n"},
		{1, "E\n\n"},
	};
	struct table *t = table__new();

	table__add_cols(t, cols, ARRAY_SIZE(cols));
	table__add_row(t);
	/* a table can be printed again on a screen of another size */
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		int at = i < ARRAY_SIZE(cases) ? i : 2 * ARRAY_SIZE(cases) - 1 - i;
		const struct screen screen = {.width = cases[at].width};
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		table__print(t, out, true, &screen);
		fclose(out);
		assert_string_equal(text, cases[at].want);
		free(text);
	}
	table__free(t);
}

/* table__view() gives other renderers the cells' texts unchanged. */
static void test_view(void **state)
{
	struct table *t = table__new();

	table__add_col(t, TABLE_LEFT, "\033h");
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "\033c");
	assert_string_equal(table__view(t, -1, 0).text, "\033h");
	assert_string_equal(table__view(t, 0, 0).text, "\033c");
	assert_table(t, HEADER, 0, "\\x1bh\n\\x1bc\n");
}

/* The last column continues on further lines, or below the row, and breaks no word. */
static void test_fold(void **state)
{
	assert_table(make_wide_table(true), HEADER, 47,
		     "ID  NAME          TAG        SIZE  DETAIL\n"
		     "42  xdp_fi…gress  d4f8542f  1,456  on eth0, and\n"
		     "                                   on eth1\n");
	/* at 23 columns, DETAIL goes below the row; at 24, it has its least width */
	assert_table(make_wide_table(true), HEADER, 23,
		     "ID  NAME           SIZE\n"
		     "42  xdp_fi…gress  1,456\n"
		     "    on eth0, and on\n"
		     "    eth1\n");
	assert_table(make_wide_table(true), HEADER, 24,
		     "ID  NAME      DETAIL\n"
		     "42  xdp_…ess  on eth0,\n"
		     "              and on\n"
		     "              eth1\n");
	assert_table(make_wide_table(true), HEADER, 16,
		     "ID  NAME\n"
		     "42  xdp_fi…gress\n"
		     "    on eth0, and\n"
		     "    on eth1\n");
}

/* With fixed widths, each line can be printed as soon as its row is there. */
static void test_fixed_widths(void **state)
{
	static const struct table_col cols[] = {LEFT_COL("NAME", .min_width = 6),
						RIGHT_COL("RUNS")};
	const struct screen narrow = {.width = 14};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct table *t = table__new();

	assert_non_null(t);
	assert_non_null(out);
	table__add_cols(t, cols, 2);
	table__reserve(t, 0, 12);
	table__reserve(t, 1, 5);
	table__fix_widths(t, &narrow);
	table__print(t, out, true, &narrow);
	for (int i = 0; i < 2; i++) {
		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", i ? "a_longer_name" : "short");
		table__add_cell(t, TABLE_PLAIN, "%d", i ? 1234567 : 1);
		table__print(t, out, false, &narrow);
		table__clear(t);
	}
	/* the widths stay the same on a screen of another size */
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "a_longer_name");
	table__print(t, out, false, &(struct screen){.width = 80});
	fclose(out);
	assert_string_equal(text, "NAME      RUNS\nshort        1\na_l…ame  1234567\na_l…ame\n");
	free(text);
	table__free(t);
}

static void test_shorten(void **state)
{
	static const struct {
		const char *text;
		int width;
		const char *want;
	} rows[] = {
		{"xdp_lb", 6, "xdp_lb"},
		{"xdp_lb", 5, "xd…lb"},
		{"xdp_lb", 4, "xd…b"},
		{"xdp_lb", 1, "…"},
		{"xdp_lb", 0, ""},
		{"\xe5\x8c\x85z\xe5\x8c\x85", 4, "\xe5\x8c\x85…"},
		{"\xe5\x8c\x85z\xe5\x8c\x85\xe5\x8c\x85", 6, "\xe5\x8c\x85z…\xe5\x8c\x85"},
		{"\xe5\x8c\x85\xe5\x8c\x85", 2, "…"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *got = text__shorten(rows[i].text, rows[i].width);

		assert_string_equal(got, rows[i].want);
		free(got);
	}
}

static void test_utf8(void **state)
{
	struct table *t = make_table();

	add_row(t, 1, "na\xc3\xafve", "1"); /* this character has two bytes and one column */
	add_row(t, 2, "\xe5\x8c\x85", "1"); /* this character has three bytes and two columns */
	add_row(t, 3, "e\xcc\x81", "1");    /* a combining accent has no column */
	add_row(t, 4, "\033[2J", "1");
	assert_table(t, 0, 0,
		     " 1  na\xc3\xafve       1\n"
		     " 2  \xe5\x8c\x85          1\n"
		     " 3  e\xcc\x81           1\n"
		     " 4  \\x1b[2J     1\n");
}

/*
 * Makes a table with headlines above several columns; a narrow table leaves out some of these
 * columns.
 */
static struct table *make_grouped(void)
{
	static const struct table_col cols[] = {
		LEFT_COL("NAME"),
		RIGHT_COL("MEAN", .group = "cycles"),
		RIGHT_COL("P99", .group = "cycles", .drop_order = 2),
		RIGHT_COL("MEAN", .group = "cache-misses"),
		RIGHT_COL("P99", .group = "cache-misses", .drop_order = 1),
		RIGHT_COL("RUNS"),
	};
	struct table *t = table__new();

	table__add_cols(t, cols, ARRAY_SIZE(cols));
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "prog");
	for (int i = 1; i < 6; i++)
		table__add_cell(t, TABLE_PLAIN, "%d", i * 1111);
	return t;
}

static void test_column_groups(void **state)
{
	assert_table(make_grouped(), HEADER, 0,
		     "      cycles      cache\xe2\x80\xa6sses\n"
		     "NAME  MEAN   P99  MEAN   P99  RUNS\n"
		     "prog  1111  2222  3333  4444  5555\n");
	assert_table(make_grouped(), HEADER, 30,
		     "      cycles      ca\xe2\x80\xa6s\n"
		     "NAME  MEAN   P99  MEAN  RUNS\n"
		     "prog  1111  2222  3333  5555\n");
	assert_table(make_grouped(), HEADER | COLOR, 24,
		     "      \033[1mcy\xe2\x80\xa6s\033[0m  \033[1mca\xe2\x80\xa6s\033[0m\n"
		     "\033[1mNAME\033[0m  \033[1mMEAN\033[0m  \033[1mMEAN\033[0m  "
		     "\033[1mRUNS\033[0m\n"
		     "prog  1111  3333  5555\n");
	/* without the header, there is no headline */
	assert_table(make_grouped(), 0, 24, "prog  1111  3333  5555\n");
}

/* Tests one group that is the first column, and one that is the last column. */
static void test_outer_groups(void **state)
{
	static const struct table_col cols[] = {
		LEFT_COL("NAME", .group = "of"),
		RIGHT_COL("MEAN"),
		RIGHT_COL("P99", .group = "tail"),
		RIGHT_COL("MAX", .group = "tail"),
	};
	struct table *t = table__new();

	table__add_cols(t, cols, ARRAY_SIZE(cols));
	assert_table(t, HEADER, 0, "of          tail\nNAME  MEAN  P99  MAX\n");
	t = table__new();
	table__add_cols(t, cols, 2);
	assert_table(t, HEADER, 0, "of\nNAME  MEAN\n");
}

static void assert_printable(const char *s, const char *want, int width)
{
	char *got = text__printable(s);

	assert_non_null(got);
	assert_string_equal(got, want);
	assert_int_equal(text__width(got), width);
	free(got);
}

static void test_printable(void **state)
{
	assert_printable(NULL, "", 0);
	assert_printable("xdp_lb.1", "xdp_lb.1", 8);
	assert_printable("a\nb\tc\033\x7f", "a\\x0ab\\x09c\\x1b\\x7f", 19);
	assert_printable("\xff\xc3(\xe2\x82", "\\xff\\xc3(\\xe2\\x82", 17);
	assert_printable("\xc2\x9b"
			 "2J",
			 "\\xc2\\x9b2J", 10);
	assert_printable("a\xe2\x80\xae"
			 "b",
			 "a\\xe2\\x80\\xaeb", 14);
	assert_printable("\xed\xa0\x80", "\\xed\\xa0\\x80", 12); /* half a surrogate pair */
}

/* Without setlocale(), bytes above ASCII have no known meaning. */
static void test_c_locale(void **state)
{
	assert_non_null(setlocale(LC_CTYPE, "C"));
	assert_printable("na\xc3\xafve", "na\\xc3\\xafve", 12);
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

static void assert_csv(const struct table *t, const struct csv_style *style, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	table__print_csv(t, style, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

/* CSV has plain numbers, no '-' for an unknown number, and names that cannot forge a field. */
static void test_csv(void **state)
{
	static const char *const headers[] = {"ID", "NAME", "RUNS/S", "CPU%", "HELD BY", "L1-miss"};
	struct table *t = table__new();

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		table__add_col(t, TABLE_RIGHT, headers[i]);
	table__add_row(t);
	table__add_count(t, 1234567, TABLE_PLAIN);
	table__add_cell(t, TABLE_PLAIN, "%s", "a,\"b");
	table__add_rate(t, "~", 12345.25);
	table__add_rate(t, ">", 5);
	table__add_cell(t, TABLE_PLAIN, "%s", "-");
	table__add_amount(t, "", 1290, "ns", true);
	table__add_row(t);
	table__add_same(t);
	table__add_cell(t, TABLE_PLAIN, "%s", "x\ty");
	table__add_number(t, NAN, 1, "%");
	assert_csv(t, &(struct csv_style){.sep = ",", .header = true},
		   "id,name,runs_per_s,cpu_percent,held_by,L1-miss\n"
		   "1234567,\"a,\"\"b\",12345.25,,,1290\n"
		   "1234567,x\\x09y,,,,\n");
	assert_csv(t, &(struct csv_style){.sep = "\t", .tsv = true},
		   "1234567\ta,\"b\t12345.25\t\t\t1290\n"
		   "1234567\tx\\x09y\t\t\t\t\n");
	table__free(t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_column_groups),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_without_header),
		cmocka_unit_test(test_short_rows),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_drop_columns),
		cmocka_unit_test(test_restore_columns),
		cmocka_unit_test(test_drop_order),
		cmocka_unit_test(test_view),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_outer_groups),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_fixed_widths),
		cmocka_unit_test(test_shorten),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_c_locale),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
