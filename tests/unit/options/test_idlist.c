// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the argument of --prog-id, and the caret under an error in the argument.
 */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/parse_error.h"
#include "options/idlist.h"
#include "tests/unit/capture.h"

static void assert_item(const struct idlist *l, int i, __u32 id, const char *func)
{
	assert_in_range(i, 0, l->cnt - 1);
	assert_int_equal(l->v[i].id, id);
	if (func)
		assert_string_equal(l->v[i].func, func);
	else
		assert_null(l->v[i].func);
}

static void test_ids(void **state)
{
	struct idlist l = {};

	assert_int_equal(idlist__parse(&l, &idlist_programs, "42,57", NULL), 0);
	assert_int_equal(l.cnt, 2);
	assert_item(&l, 0, 42, NULL);
	assert_item(&l, 1, 57, NULL);
	/* a second list is appended, and its duplicates are kept */
	assert_int_equal(idlist__parse(&l, &idlist_programs, "4294967295", NULL), 0);
	assert_int_equal(idlist__parse(&l, &idlist_programs, "42,007", NULL), 0);
	assert_int_equal(l.cnt, 5);
	assert_item(&l, 0, 42, NULL);
	assert_item(&l, 2, 4294967295u, NULL);
	assert_item(&l, 3, 42, NULL);
	assert_item(&l, 4, 7, NULL);
	idlist__free(&l);
	assert_int_equal(l.cnt, 0);
	assert_null(l.v);
	idlist__free(&l);
}

static void test_funcs(void **state)
{
	struct idlist l = {};

	assert_int_equal(idlist__parse(&l, &idlist_programs,
				       "42:parse_ip,7,42:*,9:p?[a-z]*,1:f.cold$1,"
				       "2:f@a-b.c:12#1,3:f#2",
				       NULL),
			 0);
	assert_int_equal(l.cnt, 7);
	assert_item(&l, 0, 42, "parse_ip");
	assert_item(&l, 1, 7, NULL);
	assert_item(&l, 2, 42, "*");
	assert_item(&l, 3, 9, "p?[a-z]*");
	assert_item(&l, 4, 1, "f.cold$1");
	assert_item(&l, 5, 2, "f@a-b.c:12#1");
	assert_item(&l, 6, 3, "f#2");
	idlist__free(&l);
}

static void test_ranges(void **state)
{
	struct idlist l = {};

	assert_int_equal(idlist__parse(&l, &idlist_programs, "3,10-12:f-*,7-7", NULL), 0);
	assert_int_equal(l.cnt, 3);
	assert_item(&l, 1, 10, "f-*");
	assert_int_equal(l.v[0].last, 3);
	assert_int_equal(l.v[1].last, 12);
	assert_int_equal(l.v[2].last, 7);
	assert_true(idlist__has(&l, 3));
	assert_true(idlist__has(&l, 11));
	assert_true(idlist__has(&l, 12));
	assert_false(idlist__has(&l, 9));
	assert_false(idlist__has(&l, 13));
	/* only programs have ranges */
	assert_int_equal(idlist__parse(&l, &idlist_processes, "3-4", NULL), -EINVAL);
	idlist__free(&l);
}

static const struct {
	const char *arg;
	size_t pos, len;
	const char *text;
} errors[] = {
	{"", 0, 1, "missing"},
	{"5-", 1, 1, "missing after '-'"},
	{"5-x", 2, 1, "not a program id"},
	{"5-4", 0, 3, "backwards"},
	{"5--6", 2, 1, "no sign"},
	{"5-6-7", 2, 3, "not a program id"},
	{",", 0, 1, "missing"},
	{"7,", 1, 1, "missing"},
	{",7", 0, 1, "missing"},
	{"7,,8", 2, 1, "missing"},
	{"0", 0, 1, "begin with 1"},
	{"7,000", 2, 3, "begin with 1"},
	{"-1", 0, 1, "no sign"},
	{"7,+1", 2, 1, "no sign"},
	{"42, 57", 3, 1, "no spaces"},
	{"42 ,57", 2, 1, "no spaces"},
	{" 42", 0, 1, "no spaces"},
	{"42 ", 2, 1, "no spaces"},
	{"4294967296", 0, 10, "too large"},
	{"1,99999999999999999999999", 2, 23, "too large"},
	{"1,9999999999999999999999999999999999999999", 2, 40, "too large"},
	{"0x2a", 0, 4, "decimal"},
	{"7,xdp_lb,8", 2, 6, "decimal"},
	{"12a", 0, 3, "decimal"},
	{"1;2", 0, 3, "decimal"},
	{"4\n", 0, 2, "decimal"},
	{":f", 0, 1, "before ':'"},
	{"7,:f", 2, 1, "before ':'"},
	{"42:", 2, 1, "after ':'"},
	{"7,42:,8", 4, 1, "after ':'"},
	{"42:f g", 4, 1, "character"},
	{"42:a:b", 4, 1, "character"},
	{"42:a@b (c)", 6, 1, "character"},
	{"42:f\x1b[2J", 4, 1, "character"},
	{"0:f", 0, 1, "begin with 1"},
	{"x:f", 0, 1, "decimal"},
};

static void test_errors(void **state)
{
	struct idlist l = {};

	assert_int_equal(idlist__parse(&l, &idlist_programs, "5:keep", NULL), 0);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct parse_error err = {};

		assert_int_equal(idlist__parse(&l, &idlist_programs, errors[i].arg, &err), -EINVAL);
		if (err.pos != errors[i].pos || err.len != errors[i].len ||
		    !strstr(err.text, errors[i].text))
			fail_msg("\"%s\": got %zu+%zu \"%s\"", errors[i].arg, err.pos, err.len,
				 err.text);
		/* the result is the same if the caller does not ask for the error's text */
		assert_int_equal(idlist__parse(&l, &idlist_programs, errors[i].arg, NULL), -EINVAL);
		/* after an error the list is unchanged */
		assert_int_equal(l.cnt, 1);
		assert_item(&l, 0, 5, "keep");
	}
	idlist__free(&l);
}

/*
 * Task ids have the range of pid_t. Lists of them cannot contain functions, and have error messages
 * of their own.
 */
static void test_tasks(void **state)
{
	struct idlist l = {};
	struct parse_error err = {};

	assert_int_equal(idlist__parse(&l, &idlist_processes, "1,2147483647", NULL), 0);
	assert_int_equal(l.cnt, 2);
	assert_item(&l, 1, 2147483647, NULL);
	assert_int_equal(idlist__parse(&l, &idlist_processes, "1,2147483648", &err), -EINVAL);
	assert_string_equal(err.text, "too large for a process id");
	assert_int_equal(err.pos, 2);
	assert_int_equal(idlist__parse(&l, &idlist_processes, "4,sshd", &err), -EINVAL);
	assert_string_equal(err.text, "not a process id; give a decimal number ('pgrep -d, "
				      "NAME' lists them by name)");
	assert_int_equal(idlist__parse(&l, &idlist_threads, "7:f", &err), -EINVAL);
	assert_int_equal(err.len, 3);
	assert_non_null(strstr(err.text, "not a thread id"));
	assert_int_equal(l.cnt, 2);
	idlist__free(&l);
}

static void assert_printed(const char *arg, size_t pos, size_t len, const char *want)
{
	struct parse_error err;
	struct capture c;
	char *got;

	assert_int_equal(parse_error__set(&err, pos, len, "no %s", "good"), -EINVAL);
	capture__begin(&c, stderr);
	parse_error__report(-EINVAL, "--opt", arg, &err);
	got = capture__end(&c);
	assert_string_equal(got, want);
	free(got);
}

static void test_caret(void **state)
{
	assert_printed("7,xdp,8", 2, 3, "bprof: --opt: no good\n  7,xdp,8\n    ^^^\n");
	assert_printed("", 0, 0, "bprof: --opt: no good\n  \n  ^\n");
	assert_printed("7,", 2, 1, "bprof: --opt: no good\n  7,\n    ^\n");
	/* the caret counts columns, not bytes */
	assert_printed("\xc3\xa4,x", 3, 1, "bprof: --opt: no good\n  \xc3\xa4,x\n    ^\n");
	assert_printed("1,\xc3\xa4\xc3\xa4", 2, 4,
		       "bprof: --opt: no good\n  1,\xc3\xa4\xc3\xa4\n    ^^\n");
	/* a byte that is not UTF-8 or controls a terminal is shown as '?', and gets a caret, too */
	assert_printed("\xb8\xb8", 0, 2, "bprof: --opt: no good\n  ??\n  ^^\n");
	assert_printed("a\nb", 2, 1, "bprof: --opt: no good\n  a?b\n    ^\n");
	assert_printed("\xc2\x9b\xe2\x80\xae,\033", 6, 1,
		       "bprof: --opt: no good\n  ??,?\n     ^\n");
	assert_printed("\tx", 1, 1, "bprof: --opt: no good\n  \tx\n  \t^\n");
	/* the output has no terminal escapes, and the caret is in the right column */
	assert_printed("\033[2J,x", 5, 1, "bprof: --opt: no good\n  ?[2J,x\n       ^\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),   cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_funcs), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_tasks), cmocka_unit_test(test_caret),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
