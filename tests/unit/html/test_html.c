// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that HTML is escaped, that its elements are balanced, and the HTML of a table.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "html/html.h"

struct page {
	struct html h;
	char *text;
	size_t sz;
};

static void begin(struct page *p)
{
	*p = (struct page){};
	p->h.out = open_memstream(&p->text, &p->sz);
	assert_non_null(p->h.out);
}

static void assert_html(struct page *p, const char *want)
{
	html__finish(&p->h);
	fclose(p->h.out);
	assert_string_equal(p->text, want);
	free(p->text);
}

static void test_elements(void **state)
{
	struct page p;

	begin(&p);
	html__begin(&p.h, "div");
	html__attr(&p.h, "class", "%s", "a");
	html__element(&p.h, "em", NULL, "x");
	html__element(&p.h, "b", "c", "y");
	html__text(&p.h, "%d", 7);
	html__end(&p.h);
	assert_html(&p, "<div class=\"a\"><em>x</em><b class=\"c\">y</b>7</div>\n");
}

/* Text from outside cannot end an element or an attribute, or harm the display. */
static void test_escapes(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"\" onload='x' &amp;", "&quot; onload=&#39;x&#39; &amp;amp;"},
		{"a\nb\tc\033[31m\177", "a\\x0ab\\x09c\\x1b[31m\\x7f"},
		{"right\xe2\x80\xaeleft", "right\\xe2\\x80\\xaeleft"},
		{"na\xc3\xafve \xe5\x8c\x85", "na&#xef;ve &#x5305;"},
		{"cut \xe5\x8c", "cut \\xe5\\x8c"},
		{"]]>--!><!--", "]]&gt;--!&gt;&lt;!--"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char want[256];
		struct page p;

		begin(&p);
		html__begin(&p.h, "i");
		html__attr(&p.h, "title", "%s", rows[i].text);
		html__text(&p.h, "%s", rows[i].text);
		html__end(&p.h);
		snprintf(want, sizeof(want), "<i title=\"%s\">%s</i>", rows[i].want, rows[i].want);
		assert_html(&p, want);
	}
}

/* Embedded JSON cannot end its element. It remains the same JSON. */
static void test_json(void **state)
{
	struct page p;

	begin(&p);
	html__json(&p.h, "{\"a\":\"</script><!--&\"}\n");
	assert_html(&p, "<script type=\"application/json\" class=\"bprof\">\n"
			"{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\"}\n</script>\n");
}

static void test_lines(void **state)
{
	struct page p;

	begin(&p);
	html__lines(&p.h, "\nlost: 1 of 2: x\nplain\n");
	html__lines(&p.h, "");
	assert_html(&p, "<ul><li><strong>lost:</strong> 1 of 2: x</li>\n<li>plain</li>\n</ul>\n");
}

static void test_table(void **state)
{
	static const struct table_col cols[] = {
		LEFT_COL("NAME", .min_width = 4, .row_header = true),
		RIGHT_COL("", .full_header = "MEAN"),
		LEFT_COL("BAR", .text_only = true),
	};
	struct table *t = table__new();
	struct page p;

	assert_non_null(t);
	table__add_cols(t, cols, 3);
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", "<a>");
	table__add_cell(t, TABLE_RED, "1");
	table__add_cell(t, TABLE_PLAIN, "###");
	table__add_row(t);
	table__add_same(t);
	table__add_cell(t, TABLE_PLAIN, "2");
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "b");
	begin(&p);
	html__table(&p.h, t, "what & why");
	table__free(t);
	assert_html(
		&p,
		"<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"what &amp; why\">"
		"<table><caption>what &amp; why</caption>\n"
		"<thead><tr><th scope=\"col\" class=\"name\">NAME</th>"
		"<th scope=\"col\" class=\"num\">MEAN</th></tr>\n</thead>\n"
		"<tbody><tr><th scope=\"rowgroup\" rowspan=\"2\" class=\"name\">&lt;a&gt;</th>"
		"<td class=\"num bad\">1</td></tr>\n"
		"<tr><td class=\"num\">2</td></tr>\n</tbody>\n"
		"<tbody><tr><th scope=\"row\" class=\"name\">b</th>"
		"<td class=\"num\"></td></tr>\n</tbody>\n</table>\n</div>\n");
}

static void print_naive(const void *arg, FILE *out)
{
	text__put(out, text__printable("na\xc3\xafve\x1b"));
}

/*
 * The terminal's locale changes neither a page nor the text that pages and terminals have in
 * common.
 */
static void test_c_locale(void **state)
{
	struct table *t = table__new();
	struct page p;
	char *text;

	assert_non_null(t);
	assert_non_null(setlocale(LC_CTYPE, "C"));
	table__add_col(t, TABLE_LEFT, "\xc3\xa9");
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", "na\xc3\xafve\x1b");
	begin(&p);
	html__text(&p.h, "%s", "na\xc3\xafve");
	html__table(&p.h, t, "");
	text = html__capture(print_naive, NULL);
	assert_string_equal(text, "na\xc3\xafve\\x1b");
	free(text);
	text = text__printable("na\xc3\xafve");
	assert_string_equal(text, "na\\xc3\\xafve");
	free(text);
	setlocale(LC_CTYPE, "C.UTF-8");
	table__free(t);
	assert_html(&p,
		    "na&#xef;ve<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"\">"
		    "<table><caption></caption>\n"
		    "<thead><tr><th scope=\"col\">&#xe9;</th></tr>\n</thead>\n"
		    "<tbody><tr><td>na&#xef;ve\\x1b</td></tr>\n</tbody>\n</table>\n</div>\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements), cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_json),	 cmocka_unit_test(test_lines),
		cmocka_unit_test(test_table),	 cmocka_unit_test(test_c_locale),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
