// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the syntax of expressions for arguments, and where errors are shown.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/parse_error.h"
#include "base/util.h"
#include "btf/arg_expr.h"

/* Writes what was parsed: "skb ->dev [3] > 1000". */
static void describe(const struct arg_expr *e, char *buf, size_t sz)
{
	static const char *const ops[] = {"", "==", "!=", "<", "<=", ">", ">=", "&"};
	size_t len = snprintf(buf, sz, "%s", e->root);

	for (int i = 0; i < e->step_cnt; i++)
		len += e->step[i].name ? snprintf(buf + len, sz - len, " .%s", e->step[i].name)
				       : snprintf(buf + len, sz - len, " [%llu]",
						  (unsigned long long)e->step[i].index);
	if (e->op)
		snprintf(buf + len, sz - len, " %s %s%s", ops[e->op], e->is_number ? "#" : "",
			 e->operand);
}

static const struct {
	const char *spec, *text, *want;
} cases[] = {
	{"ctx", "ctx", "ctx"},
	{"skb->len", "skb->len", "skb .len"},
	{" skb -> dev . ifindex ", "skb -> dev . ifindex", "skb .dev .ifindex"},
	{"ctx[2]", "ctx[2]", "ctx [2]"},
	{"ctx->args[ 0x10 ][1].a_1", "ctx->args[ 0x10 ][1].a_1", "ctx .args [16] [1] .a_1"},
	{"skb->len>1000", "skb->len", "skb .len > #1000"},
	{"skb->len >= 0x3E8", "skb->len", "skb .len >= #0x3E8"},
	{"len<5", "len", "len < #5"},
	{"len <=5", "len", "len <= #5"},
	{"a==-5 ", "a", "a == #-5"},
	{"a!=TCP_LISTEN", "a", "a != TCP_LISTEN"},
	{"skb->mark & 0xff", "skb->mark", "skb .mark & #0xff"},
};

static void test_parse(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arg_expr e;
		char text[200];

		assert_int_equal(arg_expr__parse(&e, cases[i].spec, NULL), 0);
		describe(&e, text, sizeof(text));
		assert_string_equal(text, cases[i].want);
		assert_string_equal(e.text, cases[i].text);
		arg_expr__free(&e);
	}
}

static void test_numbers(void **state)
{
	struct arg_expr e;

	assert_int_equal(arg_expr__parse(&e, "a == -9223372036854775808", NULL), 0);
	assert_true(e.is_negative && e.number == 1ULL << 63);
	arg_expr__free(&e);
	assert_int_equal(arg_expr__parse(&e, "a == 18446744073709551615", NULL), 0);
	assert_true(!e.is_negative && e.number == ~0ULL);
	arg_expr__free(&e);
}

static const struct {
	const char *spec;
	size_t pos;
	const char *text;
} errors[] = {
	{"", 0, "no argument"},
	{"5", 0, "no argument"},
	{"->len", 0, "no argument"},
	{"skb->", 5, "no name of a member"},
	{"  skb->", 7, "no name of a member"},
	{"skb->5", 5, "no name of a member"},
	{"skb-", 3, "the shell takes '>'"},
	{"skb->len 5", 9, "write an argument such as"},
	{"skb->len = 5", 9, "write an argument such as"},
	{"skb->len >", 10, "no number"},
	{"skb->len > 5 6", 13, "nothing may follow"},
	{"skb->len > 5k", 11, "no number of at most 64 bits"},
	{"skb->len > 0x", 11, "no number of at most 64 bits"},
	{"a > 18446744073709551616", 4, "no number of at most 64 bits"},
	{"a > -9223372036854775809", 4, "no number of at most 64 bits"},
	{"a[", 2, "no number"},
	{"a[-1]", 2, "no number"},
	{"a[1", 3, "no ']'"},
	{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r", 34, "too many members"},
};

static void test_errors(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct parse_error err;
		struct arg_expr e;

		assert_int_equal(arg_expr__parse(&e, errors[i].spec, &err), -EINVAL);
		if (!strstr(err.text, errors[i].text) || err.pos != errors[i].pos)
			fail_msg("%s: %zu: %s", errors[i].spec, err.pos, err.text);
		assert_null(e.spec);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
